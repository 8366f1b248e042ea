import type { BashData } from "../tools/bash/contract.js";

/** Why a command did not exit by itself, as a clause, for dialects that report only that. A timeout has its own text there. */
export function unfinishedReason({ ended, problem }: BashData): string {
  return ended === "spawn-error" || ended === "channel-lost" ? (problem ?? REASONS[ended]) : REASONS[ended];
}

const REASONS: Readonly<Record<BashData["ended"], string>> = {
  itself: "command ended",
  deadline: "command timed out",
  cancelled: "command was cancelled",
  "output-limit": "command was stopped at the output limit",
  "spawn-error": "the command could not be started",
  "channel-lost": "the connection was lost",
  detached: "command continues in the background",
};
