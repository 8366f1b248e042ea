/** Redirections: the files that the shell itself opens for a command. */
import type { Redirection } from "unbash";
import { judgeAssignment } from "./environment.js";
import { judgeSubscript } from "./evaluated-numbers.js";
import { expandArgument } from "./expanded-word.js";
import type { ProgramInput, SegmentFacts } from "./segment-facts.js";
import type { ShellState } from "./shell-state.js";

const ACCESS = {
  "<": "read",
  "<>": "change",
  ">": "write",
  ">|": "write",
  ">>": "write",
  "&>": "write",
  "&>>": "write",
  ">&": "write",
  "<&": "read",
} as const;

export function judgeRedirects(facts: SegmentFacts, redirects: readonly Redirection[], state: ShellState): void {
  for (const redirect of redirects) {
    const { descriptor } = redirect;
    if (descriptor?.type === "FileDescriptorVariable") {
      judgeAssignment(facts, descriptor.name, undefined);
      judgeSubscript(facts, descriptor.name, state);
    }
    if (redirect.type !== "Redirect" || redirect.target === undefined) continue;
    const { operator, target } = redirect;
    const words = expandArgument(target, state);
    const isCopy = operator === ">&" || operator === "<&";
    for (const word of words) {
      if (isCopy && /^(\d*-?)$/.test(word.value) && !word.isUnresolved) continue;
      facts.file(word, ACCESS[operator]);
    }
  }
}

/** Where stdin comes from, if a redirection says so. */
export function redirectedInput(redirects: readonly Redirection[]): ProgramInput | undefined {
  const redirect = redirects.findLast(isInput);
  if (redirect === undefined) return undefined;
  if (redirect.type === "Redirect") return { kind: "file" };
  if (redirect.type === "HereString") {
    const isKnown = redirect.target !== undefined && redirect.target.parts === undefined;
    return { kind: "text", text: isKnown ? redirect.target.value : undefined };
  }
  const { text, parts } = redirect.body;
  if (redirect.delimiter?.quoted === true || parts === undefined) return { kind: "text", text };
  return { kind: "text", text: undefined };
}

function isInput(redirect: Redirection): boolean {
  const { descriptor } = redirect;
  if (descriptor !== undefined && !(descriptor.type === "FileDescriptor" && descriptor.value === 0)) return false;
  return redirect.type !== "Redirect" || redirect.operator.startsWith("<");
}
