/** Finds the rule that decides on something that a call would do. */
import type { Access, Place, PolicySearch } from "../../kernel/index.js";
import type { CommandSegment } from "../commands/index.js";
import { type CompiledRule, matchesSegment } from "./compile-rules.js";
import { PathPattern } from "./path-pattern.js";
import type { RuleEffect } from "./policy-rule.js";

const STRICTEST_FIRST: readonly RuleEffect[] = ["deny", "ask", "allow"];

type RuleOf<Kind extends CompiledRule["kind"]> = Extract<CompiledRule, { kind: Kind }>;
type PathRule = RuleOf<"path"> & { readonly pattern: PathPattern };

/** A path of the target that a call would touch. */
export interface TouchedPath extends Place {
  /** The paths that a glob of the shell stands for. */
  readonly glob?: true;
  /** Everything below it is touched: nothing can be left out. */
  readonly isWhole: boolean;
}

/** The rules of one workspace. The strictest that matches decides, whatever its source. */
export class RuleBook {
  readonly #rules: readonly CompiledRule[];
  readonly #paths: readonly PathRule[];

  constructor(
    rules: readonly CompiledRule[],
    { workspace, home }: { readonly workspace: string; readonly home: string },
  ) {
    const order = (rule: CompiledRule) => STRICTEST_FIRST.indexOf(rule.effect);
    this.#rules = [...rules].sort((one, other) => order(one) - order(other));
    this.#paths = this.#rules
      .filter((rule) => rule.kind === "path")
      .map((rule) => ({
        ...rule,
        pattern: new PathPattern(rule.glob, { workspace, home, opens: rule.effect === "allow" }),
      }));
  }

  get hasPaths(): boolean {
    return this.#paths.length > 0;
  }

  forTool(name: string): CompiledRule | undefined {
    return this.#rules.find((rule) => rule.kind === "tool" && rule.matches(name));
  }

  forSegment(segment: CommandSegment): CompiledRule | undefined {
    return this.#rules.find((rule) => rule.kind === "command" && matchesSegment(rule, segment));
  }

  /** The strictest rule about one of the hosts; an allow only if each of them is allowed. "*": a host that is not known. */
  forHosts(hosts: readonly string[]): CompiledRule | undefined {
    const rules = this.#rules.filter((rule): rule is RuleOf<"host"> => rule.kind === "host");
    const narrowing = rules.find((rule) => rule.effect !== "allow" && hosts.some((host) => rule.matches(host)));
    if (narrowing !== undefined) return narrowing;
    const allowed = hosts.map((host) => rules.find((rule) => host !== "*" && rule.matches(host)));
    return allowed.includes(undefined) ? undefined : allowed[0];
  }

  /** The rule that asks about a path or denies it. `isInside`: about something that the path contains, or that its glob matches. */
  forPath(
    touched: TouchedPath,
    exists: (search: PolicySearch) => boolean,
  ): { readonly rule: CompiledRule; readonly isInside: boolean } | undefined {
    const { path, glob } = touched;
    for (const rule of this.#narrowing(touched)) {
      if (glob !== true && rule.pattern.matches(path)) return { rule, isInside: false };
      const { existence } = rule.pattern;
      if (contains(touched, rule.pattern) && (existence === undefined || exists(existence)))
        return { rule, isInside: true };
    }
    return undefined;
  }

  /** Denials of every access: of what they name, it is enough that a word names it. */
  forWords(paths: () => readonly string[]): { readonly rule: CompiledRule; readonly path: string } | undefined {
    const closing = this.#paths.filter(({ effect, access }) => effect === "deny" && access === undefined);
    if (closing.length === 0) return undefined;
    for (const path of paths()) for (const rule of closing) if (rule.pattern.matches(path)) return { rule, path };
    return undefined;
  }

  /** What has to be known to find the rule about something in the path. */
  searchesFor(touched: TouchedPath): readonly PolicySearch[] {
    return this.#narrowing(touched)
      .filter(({ pattern }) => contains(touched, pattern))
      .flatMap(({ pattern }) => pattern.existence ?? []);
  }

  #narrowing({ access }: TouchedPath): readonly PathRule[] {
    return this.#paths.filter(({ effect, access: of }) => effect !== "allow" && access.some((one) => isOf(of, one)));
  }

  /** The directories and files that rules open at this path. */
  openedAt(
    path: string,
  ): readonly { readonly rule: CompiledRule; readonly path: string; readonly access: "read" | "write" }[] {
    return this.#paths
      .filter(({ effect, pattern }) => effect === "allow" && pattern.matches(path))
      .map((rule) => ({ rule, path: rule.pattern.base, access: rule.access ?? "read" }));
  }

  /** What is left out of the trees that a call reads. */
  exceptions(files: readonly Place[]): {
    readonly except: readonly string[];
    readonly exceptNames: readonly string[];
  } {
    const except = new Set<string>();
    const exceptNames = new Set<string>();
    for (const { path, access, scope } of files) {
      if (scope !== "tree") continue;
      for (const rule of this.#paths) {
        const { effect, pattern } = rule;
        const isClosed = effect !== "allow" && access.some((one) => isOf(rule.access, one));
        if (!isClosed || pattern.matches(path) || !pattern.touches(path)) continue;
        const exception = pattern.exception;
        if ("path" in exception) except.add(exception.path);
        else exceptNames.add(exception.name);
      }
    }
    return { except: [...except], exceptNames: [...exceptNames] };
  }
}

function contains({ path, access, scope, glob, isWhole }: TouchedPath, pattern: PathPattern): boolean {
  if (glob === true) return pattern.mayMatchGlob(path, scope === "tree" && isWhole);
  // A tool that reads a tree leaves out what is closed; who changes or deletes it does not.
  const isTouched = isWhole || access.some((one) => one !== "read");
  return scope === "tree" && isTouched && !pattern.matches(path) && pattern.touches(path);
}

/** Whether an ask or deny with this access is about an access of a call. */
function isOf(rule: "read" | "write" | undefined, access: Access): boolean {
  return rule === undefined || (rule === "read") === (access === "read");
}
