/** What `haft call --explain` prints for a user. */
import pc from "picocolors";
import type { Explanation } from "../../../../kernel/index.js";
import { showControls } from "../../../../text/index.js";
import { claimText } from "../../../approval-text.js";

export function explanationText(explanation: Explanation): string {
  const { tool, effect, target, workspace, claims, decision, stopped, repairs } = explanation;
  const rows: [string, string][] = [];
  const add = (name: string, text: string) => rows.push([name, showControls(text)]);
  add("tool", `${tool} (${EFFECT_WORDS[effect]})`);
  add("target", workspace === "" ? target : `${target} in ${workspace}`);
  for (const repair of repairs) add("repaired", repair);
  for (const touched of new Set(claims.map(claimText))) add("touches", touched);
  if (claims.length === 0) add("touches", "nothing outside the session");
  if (decision !== undefined) {
    const effectText = decision.effect === "allow" ? pc.green("allow") : pc.red(decision.effect);
    rows.push(["decision", `${effectText}, risk ${decision.risk}, by the rule "${showControls(decision.rule)}"`]);
    add("reason", decision.reason);
    if (decision.next !== undefined) add("next", decision.next);
  }
  if (effect === "write") add("note", "the read-before-write gate is not evaluated");
  if (stopped !== undefined) add("stopped", stopped.message ?? stopped.code ?? "before it ran");
  return `${rows.map(([name, value]) => `${pc.bold(name.padEnd(9))} ${value}`).join("\n")}\n`;
}

export const EFFECT_WORDS = { none: "neither", read: "reads", write: "writes" } as const;
