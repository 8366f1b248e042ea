/** Judges one program by the words that it is started with. */
import { baseName, normalizePath, relativeInside, resolvePath } from "../../text/index.js";
import { applySpec, hostOf, looksLikePath } from "./apply-spec.js";
import { type ExpandedWord, shownWord, withoutPrefix } from "./expanded-word.js";
import type { ProgramCall } from "./program-spec.js";
import { programNamed } from "./programs/index.js";
import { startedTool } from "./runners.js";
import { type ProgramInput, SegmentFacts } from "./segment-facts.js";
import type { ShellState } from "./shell-state.js";

/** Where a program is started. */
export interface CommandPlace {
  readonly state: ShellState;
  /** What starts it, outermost first. */
  readonly wrappers: readonly string[];
  /** Commands inside commands around it. */
  readonly depth: number;
  /** It runs on another machine: its paths are not paths of this one. */
  readonly isRemote: boolean;
}

/** Judges shell texts, and takes the finished segments. */
export interface CommandSink {
  segment(facts: SegmentFacts, isRemote: boolean): void;
  script(text: string, place: CommandPlace, kind: "same-shell" | "own-shell"): void;
  /** How many segments there are. */
  readonly count: number;
  /** Whether the limits of the analysis allow to judge one more; if not, that is a problem already. */
  mayJudge(place: CommandPlace, text: string): boolean;
}

/** Directories of the system whose programs are judged by their name alone. */
const SYSTEM_DIRECTORY = /^\/(usr\/(local\/)?)?s?bin\/[^/]+$/;

export interface StartedProgram {
  readonly words: readonly ExpandedWord[];
  /** As written. */
  readonly text: string;
  readonly input?: ProgramInput | undefined;
  /** Judges what is not in the words: redirections, assignments. */
  readonly also?: (facts: SegmentFacts) => void;
}

export function judgeWords(sink: CommandSink, place: CommandPlace, started: StartedProgram): SegmentFacts | undefined {
  const { words, text } = started;
  if (!sink.mayJudge(place, text)) return undefined;
  const [first, ...args] = words;
  const state = place.state.copy();
  const program = first === undefined ? "" : programName(first, state);
  const facts = new SegmentFacts(text, program, args, place.wrappers, state);
  facts.input = started.input;
  started.also?.(facts);
  const before = sink.count;
  if (first !== undefined) judgeProgram(sink, place, facts, first, args, started.input);
  // A wrapper that does nothing of its own is named by the segment of what it starts.
  if (sink.count === before || !facts.isHarmless) sink.segment(facts, place.isRemote);
  return facts;
}

/** The name that the tables know: without the directory, if it is one of the system. */
function programName(word: ExpandedWord, state: ShellState): string {
  const { value } = word;
  if (word.isUnresolved || word.isGlob) return word.text;
  if (!value.includes("/")) return value;
  const paths = value.startsWith("/")
    ? [normalizePath(value)]
    : (state.directories ?? []).map((one) => resolvePath(one, value));
  const [path] = paths;
  if (path === undefined || !paths.every((one) => SYSTEM_DIRECTORY.test(one))) return value;
  return paths.length === 1 ? baseName(path) : value;
}

function judgeProgram(
  sink: CommandSink,
  place: CommandPlace,
  facts: SegmentFacts,
  word: ExpandedWord,
  args: readonly ExpandedWord[],
  input: ProgramInput | undefined,
): void {
  const { program } = facts;
  if (word.isUnresolved || word.isGlob) {
    facts.isNameKnown = false;
    facts.problem("dynamic-command", `\`${word.text}\` is not known before the command runs`);
    unknownArguments(facts, args);
  } else if (program.includes("/")) programFile(facts, word, args);
  else {
    const spec = programNamed(program);
    if (spec === undefined) unknownProgram(facts, args);
    else applySpec(new StartedCall(sink, place, facts, args, input), spec, program);
  }
  if (facts.runsWorkspaceCode) judgeTool(sink, place, facts, word, args, input);
}

/** The tool that a runner starts has options of its own: `python -m pytest --basetemp=x`. */
function judgeTool(
  sink: CommandSink,
  place: CommandPlace,
  facts: SegmentFacts,
  word: ExpandedWord,
  args: readonly ExpandedWord[],
  input: ProgramInput | undefined,
): void {
  const tool = startedTool([word, ...args].map((one) => one.value));
  const spec = tool === undefined ? undefined : programNamed(tool.name);
  if (tool === undefined || spec === undefined) return;
  const { rule } = facts;
  applySpec(new StartedCall(sink, place, facts, args.slice(tool.index), input), spec, tool.name);
  facts.rule = rule;
}

/** The call of a program that the tables know. */
class StartedCall implements Omit<ProgramCall, "parsed"> {
  constructor(
    readonly sink: CommandSink,
    readonly place: CommandPlace,
    readonly facts: SegmentFacts,
    readonly args: readonly ExpandedWord[],
    readonly input: ProgramInput | undefined,
    readonly state: ShellState = facts.state,
  ) {}

  run = (words: readonly ExpandedWord[], options: { remote?: true; state?: ShellState } = {}): void => {
    const text = words.map((word) => word.text).join(" ");
    judgeWords(this.sink, this.#inner(options), { words, text, input: this.input });
  };

  shell = (text: ExpandedWord, options: { remote?: true; isSameShell?: true; state?: ShellState } = {}): void => {
    if (text.isUnresolved || text.isGlob) {
      this.facts.problem("dynamic-command", `the command in \`${text.text}\` is not known before it runs`);
    } else
      this.sink.script(text.value, this.#inner(options), options.isSameShell === true ? "same-shell" : "own-shell");
  };

  #inner(options: { remote?: true; state?: ShellState }): CommandPlace {
    return {
      state: options.state ?? this.facts.state,
      wrappers: [...this.place.wrappers, this.facts.program],
      depth: this.place.depth + 1,
      isRemote: this.place.isRemote || options.remote === true,
    };
  }
}

/** A program that is named by a path, which no table knows. */
function programFile(facts: SegmentFacts, word: ExpandedWord, args: readonly ExpandedWord[]): void {
  const { directories, roots } = facts.state;
  const paths = (directories ?? ["/"]).map((directory) => resolvePath(directory, word.value));
  const isInside =
    !word.value.startsWith("/") || paths.some((path) => roots.some((root) => relativeInside(root, path) !== undefined));
  facts.file(word, "read");
  if (isInside) {
    facts.runsWorkspaceCode = true;
    facts.raise("medium", "runs a program of the workspace");
  } else facts.raise("medium", "a program outside the directories of the system");
  unknownArguments(facts, args);
}

function unknownProgram(facts: SegmentFacts, args: readonly ExpandedWord[]): void {
  const { program, state } = facts;
  if (state.hasFunction(program)) {
    facts.raise("low", "a function of this command");
    return;
  }
  // What dash makes of `[[ a && -f b ]]`: no program has such a name.
  if (/^-[a-zA-Z]+$/.test(program)) return;
  facts.raise("medium", "a program that is not known to Haft");
  unknownArguments(facts, args);
}

/** Arguments that look like paths or URLs may be anything to a program that is not known. */
function unknownArguments(facts: SegmentFacts, args: readonly ExpandedWord[]): void {
  for (const word of args) {
    const equals = word.prefix.indexOf("=");
    const value = equals === -1 ? word : withoutPrefix(word, equals + 1);
    const attached = /^-[A-Za-z](?=[./~])/.test(word.prefix) ? withoutPrefix(word, 2) : value;
    if (/^[a-z][a-z0-9+.-]*:\/\//i.test(attached.value)) facts.connects(hostOf(attached.value));
    else if (attached.isUnresolved || looksLikeFile(attached)) facts.file(attached, "change", "tree");
  }
}

/** A slash, a leading dot, or a name with an extension. */
function looksLikeFile(word: ExpandedWord): boolean {
  return looksLikePath(word) || (!word.value.startsWith("-") && /\/|^\.|[^.\s]\.[A-Za-z0-9]+$/.test(shownWord(word)));
}
