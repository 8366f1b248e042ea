/** Walks a parsed script in the order in which it runs, and judges each command. */
import {
  type AndOr,
  type ArithmeticCommand,
  type ArithmeticExpression,
  type Command,
  type Function as FunctionNode,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  parse,
  type Redirection,
  type Statement,
  type SyntaxNode,
  type TestCommand,
} from "unbash";
import { changesDirectory, endsOnFailure } from "./changes-directory.js";
import { changesPrograms } from "./environment.js";
import { assignedBy, evaluatesUnknown, isNumeric, mayEvaluate } from "./evaluated-numbers.js";
import { type ExpandedWord, literalWord } from "./expanded-word.js";
import { type CommandPlace, type CommandSink, judgeWords } from "./judge-words.js";
import type { AnalyzeOptions, CommandProblem } from "./judgement.js";
import { MAX_DEPTH, MAX_JUDGED, MAX_PARSED } from "./limits.js";
import { listedBy } from "./programs/xargs.js";
import { judgeRedirects, redirectedInput } from "./redirections.js";
import type { ProgramInput, SegmentFacts } from "./segment-facts.js";
import { moveShell, movesShell } from "./shell-moves.js";
import { ShellState } from "./shell-state.js";
import { readsDifferently } from "./shells-differ.js";
import { eachProgram, judgeAround, testWords } from "./simple-command.js";
import { assignedName, hasExpansion } from "./variables.js";
import { inPipe, type Scope } from "./walk-scope.js";

export class ScriptWalk implements CommandSink {
  readonly found: SegmentFacts[] = [];
  readonly remote = new Set<SegmentFacts>();
  readonly problems: CommandProblem[] = [];
  #parsed = 0;
  #judged = 0;

  start(text: string, options: AnalyzeOptions): void {
    const script = this.#parse(text, 0);
    if (script === undefined) return;
    this.#script(script, {
      state: ShellState.start(script, options),
      wrappers: [],
      depth: 0,
      isRemote: false,
      source: text,
    });
  }

  get count(): number {
    return this.found.length;
  }

  segment(facts: SegmentFacts, isRemote: boolean): void {
    this.found.push(facts);
    if (isRemote) this.remote.add(facts);
  }

  mayJudge(place: CommandPlace, text: string): boolean {
    if (++this.#judged <= MAX_JUDGED && place.depth <= MAX_DEPTH) return true;
    this.#problem("too-long", "it contains more commands than are analyzed", text);
    return false;
  }

  script(text: string, place: CommandPlace, kind: "same-shell" | "own-shell"): void {
    const script = this.#parse(text, place.depth);
    if (script === undefined) return;
    const state =
      kind === "same-shell" ? place.state.continued(script) : place.state.fresh(script, place.state.directories);
    this.#script(script, { ...place, state, source: text });
  }

  #parse(text: string, depth: number): ParsedScript | undefined {
    this.#parsed += text.length;
    if (this.#parsed > MAX_PARSED || depth > MAX_DEPTH) {
      this.#problem("too-long", "what it expands to is too long to be analyzed", text.slice(0, 80));
      return undefined;
    }
    if (text.includes("\0")) this.#problem("syntax", "it contains NUL", "");
    return parse(text);
  }

  #problem(kind: CommandProblem["kind"], detail: string, text: string): void {
    if (this.problems.some((one) => one.kind === kind && one.detail === detail)) return;
    this.problems.push({ kind, detail, text });
  }

  #script(script: ParsedScript, scope: Scope): void {
    const [error] = script.errors ?? [];
    if (error !== undefined)
      this.#problem("syntax", `syntax error: ${error.message}`, scope.source.slice(error.pos, error.pos + 40));
    const inside = script.source === undefined ? scope : { ...scope, source: script.source };
    this.#statements(script.commands, inside);
  }

  #statements(statements: readonly Statement[], scope: Scope): void {
    for (const { command, background } of statements) {
      if (background === true) this.#node(command, { ...scope, state: scope.state.copy() });
      else {
        const before = scope.state.directories;
        this.#node(command, scope);
        if (!endsOnFailure(command)) scope.state.mergeDirectories(before); // `cd` may fail
      }
    }
  }

  #node(node: SyntaxNode, scope: Scope): void {
    this.#guard(node, scope);
    switch (node.type) {
      case "Command":
        this.#command(node, scope);
        return;
      case "Pipeline":
        this.#pipeline(node, scope);
        return;
      case "AndOr":
        this.#andOr(node, scope);
        return;
      case "Subshell":
      case "Coproc":
        if (node.type === "Coproc" && node.name !== undefined) this.#nested(node.name, scope);
        this.#node(node.body, { ...scope, state: scope.state.copy() });
        return;
      case "BraceGroup":
        this.#node(node.body, scope);
        return;
      case "CompoundList":
        this.#statements(node.commands, scope);
        return;
      case "Script":
        this.#substitution(node, scope);
        return;
      case "Redirected":
        this.#redirected(node.command, node.redirects, scope);
        return;
      case "Function":
        this.#function(node, scope);
        return;
      case "If":
      case "Elif":
      case "Case":
      case "CaseItem":
        this.#choice(node, scope);
        return;
      case "For":
      case "Select":
      case "While":
      case "ArithmeticFor":
        this.#loop(node, scope);
        return;
      case "TestCommand":
        this.#test(node, scope);
        return;
      case "ArithmeticCommand":
        this.#arithmetic(node, scope);
        return;
      default:
        this.#nested(node, scope);
        return;
    }
  }

  #substitution(script: ParsedScript, scope: Scope): void {
    const inside = { ...scope, state: scope.state.copy(), depth: scope.depth + 1, isTest: false };
    const text = scope.source.slice(script.pos, script.end);
    const from = this.found.length;
    const [only, ...others] = script.commands;
    if (inside.depth <= MAX_DEPTH) {
      this.#script(script, inside);
      const isPipeline = others.length === 0 && (only?.command.type === "Pipeline" || only?.command.type === "Command");
      scope.state.prints(text, isPipeline ? listedBy(this.found.slice(from)) : undefined);
    } else this.tooDeep(scope.source.slice(script.pos, script.end));
  }

  /** What is deeper is not judged. */
  tooDeep(text: string): void {
    this.#problem("too-long", "its commands are nested too deeply to be analyzed", text.slice(0, 80));
  }

  #choice(node: Extract<SyntaxNode, { type: "If" | "Elif" | "Case" | "CaseItem" }>, scope: Scope): void {
    switch (node.type) {
      case "If":
        this.#node(node.clause, scope);
        this.#branches([node.then, ...node.elif, ...(node.else === undefined ? [] : [node.else])], scope);
        return;
      case "Elif":
        this.#node(node.clause, scope);
        this.#branches([node.then], scope);
        return;
      case "Case":
        this.#nested(node.word, scope);
        this.#branches(node.items, scope);
        return;
      case "CaseItem":
        for (const pattern of node.pattern) this.#nested(pattern, scope);
        this.#node(node.body, scope);
        return;
      default:
        node satisfies never;
    }
  }

  /** Substitutions inside words, which run in subshells. */
  #nested(node: SyntaxNode, scope: Scope, each = this.#each(scope)): void {
    if (node.type === "Script") {
      this.#node(node, scope);
      return;
    }
    this.#guard(node, scope);
    this.#assigned(assignedName(node), scope.source, node.pos, node.end);
    forEachChild(node, each);
  }

  #each(scope: Scope): (node: SyntaxNode) => void {
    const each = (node: SyntaxNode): void => this.#nested(node, scope, each);
    return each;
  }

  #guard(node: SyntaxNode, scope: Scope): void {
    const differs = readsDifferently(node, scope.source, scope.isTest === true);
    if (differs !== undefined) this.#problem("shells-differ", differs, scope.source.slice(node.pos, node.end));
    if (!evaluatesUnknown(node, scope.state)) return;
    const text = scope.source.slice(node.pos, node.end);
    this.#problem("dynamic-command", mayEvaluate(text), text);
  }

  #expression(node: ArithmeticExpression | undefined, scope: Scope): void {
    if (node === undefined || isNumeric(node, scope.state)) return;
    const text = scope.source.slice(node.pos, node.end);
    this.#problem("dynamic-command", mayEvaluate(text), text);
  }

  /** An assignment without a command: in an expansion, in arithmetic, by a loop. */
  #assigned(name: string | undefined, source: string, from: number, to: number): void {
    if (name === undefined || !changesPrograms(name)) return;
    this.#problem("environment", `sets \`${name}\`, which changes what programs do`, source.slice(from, to));
  }

  #command(node: Command, scope: Scope): void {
    forEachChild(node, this.#each(scope));
    const text = scope.source.slice(node.pos, node.end);
    const input = redirectedInput(node.redirects) ?? scope.input;
    const directories: (readonly string[] | undefined)[] = [];
    const before = scope.state.directories;
    let stays = false;
    const also = (facts: SegmentFacts) => judgeAround(facts, node, scope.state);
    eachProgram(node, scope.state, (words) => {
      judgeWords(this, scope, { words, text, input, also });
      if (node.name !== undefined && hasExpansion(node.name)) this.#ran(words, scope);
      if (!movesShell(words)) {
        stays = true;
        return;
      }
      const moved = scope.state.copy();
      moveShell(words, moved);
      directories.push(moved.directories);
    });
    const [first, ...others] = directories;
    if (directories.length > 0) scope.state.directories = first;
    for (const other of stays ? [...others, before] : others) scope.state.mergeDirectories(other);
    this.#backgroundOfDash(node, scope);
  }

  /** A name that is an expansion may be that of a builtin which changes variables. */
  #ran(words: readonly ExpandedWord[], scope: Scope): void {
    const [name] = words;
    scope.state.variables.ran(name === undefined || name.isUnresolved ? undefined : name.value);
  }

  /** In dash `a &>f b` starts `a` in the background and then `b`. */
  #backgroundOfDash(node: Command, scope: Scope): void {
    const redirect = node.redirects.find((one) => one.type === "Redirect" && one.operator.startsWith("&>"));
    if (redirect === undefined || !node.args.some(({ pos }) => pos > redirect.pos)) return;
    const rest = scope.source.slice(scope.source.indexOf("&", redirect.pos) + 1, node.end);
    this.#asDash(rest, scope);
  }

  #asDash(text: string, scope: Scope): void {
    const script = this.#parse(text, scope.depth);
    if (script === undefined) return;
    const state = scope.state.copy();
    this.#statements(script.commands, { ...scope, state, source: text, depth: scope.depth + 1 });
  }

  #pipeline(node: Pipeline, scope: Scope): void {
    let input: ProgramInput | undefined = scope.input;
    if (node.prefixes.some(({ type }) => type === "Time")) this.#time(node, scope);
    const isPipe = node.commands.length > 1;
    const from = this.found.length;
    for (const command of node.commands) {
      this.#node(command, isPipe ? inPipe(scope, input) : scope);
      const to = this.found.length;
      input = { kind: "pipe", producers: () => this.found.slice(from, to) };
    }
  }

  /** In dash `time` is a program, with options of its own. */
  #time(node: Pipeline, scope: Scope): void {
    const [first] = node.commands;
    const takesOptions = first?.type === "Command" && first.name?.value.startsWith("-") === true;
    if (first !== undefined && !takesOptions) return;
    const from = node.prefixes.find(({ type }) => type === "Time")?.pos ?? node.pos;
    this.#asDash(`\\${scope.source.slice(from, Math.max(node.end, from + "time".length))}`, scope);
  }

  /** What the second command of a chain sets is known in the rest of the chain only. */
  #andOr(node: AndOr, scope: Scope): void {
    const { state } = scope;
    const before = state.directories;
    const chain = state.copy();
    let succeeded = before;
    node.commands.forEach((command, index) => {
      if (index === 0) {
        this.#node(command, scope);
        chain.take(state);
        return;
      }
      const isAlternative = node.operators[index - 1] === "||";
      succeeded = chain.directories;
      if (isAlternative) chain.mergeDirectories(before);
      const place = isAlternative ? chain.copy() : chain;
      this.#node(command, { ...scope, state: place });
      chain.mergeDirectories(place.directories);
    });
    if (endsOnFailure(node)) state.directories = succeeded;
    else state.mergeDirectories(chain.directories);
  }

  #branches(nodes: readonly SyntaxNode[], scope: Scope): void {
    for (const node of nodes) {
      const state = scope.state.copy();
      this.#node(node, { ...scope, state });
      scope.state.mergeDirectories(state.directories);
    }
  }

  #loop(node: Extract<SyntaxNode, { type: "For" | "Select" | "While" | "ArithmeticFor" }>, scope: Scope): void {
    if (changesDirectory(node)) scope.state.directories = undefined;
    const inside = { ...scope, state: scope.state.copy() };
    if (node.type === "For" || node.type === "Select") {
      for (const word of node.wordlist ?? []) this.#nested(word, scope);
      this.#assigned(node.name.value, scope.source, node.pos, node.name.end);
      inside.state.assignEach(node.name.value, node.wordlist);
    } else if (node.type === "While") this.#node(node.clause, inside);
    else {
      this.#expression(node.initialize, inside);
      for (const name of assignedBy(node.initialize)) inside.state.assign(name, undefined);
      this.#expression(node.test, inside);
      this.#expression(node.update, inside);
      for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) this.#nested(part, inside);
    }
    this.#node(node.body, inside);
  }

  /** The body runs where the function is called, which may be in another directory. */
  #function(node: FunctionNode, scope: Scope): void {
    const state = scope.state.copy();
    if (changesDirectory(node)) {
      state.directories = undefined;
      scope.state.directories = undefined;
    }
    this.#node(node.body, { ...scope, state });
    scope.state.define(node.name.value);
  }

  #redirected(command: SyntaxNode, redirects: readonly Redirection[], scope: Scope): void {
    for (const redirect of redirects) this.#nested(redirect, scope);
    const first = redirects[0];
    const last = redirects.at(-1);
    const text = first === undefined || last === undefined ? "" : scope.source.slice(first.pos, last.end);
    judgeWords(this, scope, { words: [], text, also: (facts) => judgeRedirects(facts, redirects, scope.state) });
    // If a redirection fails, the group does not run.
    const state = scope.state.copy();
    this.#node(command, { ...scope, state, input: redirectedInput(redirects) ?? scope.input });
    scope.state.mergeDirectories(state.directories);
  }

  /** `[[ … ]]` of bash; dash reads it as a command, in which `>`, `&&` and `||` mean what they mean everywhere. */
  #test(node: TestCommand, scope: Scope): void {
    this.#nested(node.expression, { ...scope, isTest: true });
    const text = scope.source.slice(node.pos, node.end);
    const words = [literalWord("[["), ...testWords(node.expression, scope.state)];
    judgeWords(this, scope, { words, text });
    if (/[<>|&\n;]/.test(text)) this.#asDash(`\\${text}`, scope);
  }

  /** `(( … ))` of bash; in dash two subshells, unless it is one word that names no program. */
  #arithmetic(node: ArithmeticCommand, scope: Scope): void {
    this.#nested(node, scope);
    const text = scope.source.slice(node.pos, node.end);
    judgeWords(this, scope, { words: [literalWord("((")], text });
    for (const name of assignedBy(node.expression)) scope.state.assign(name, undefined);
    if (!/^\s*\w+(\+\+|--|[-+*/%]?=[\w+*/%-]*)\s*$/.test(node.body)) this.#asDash(`( (${node.body}) )`, scope);
  }
}
