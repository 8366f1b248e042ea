/** What became of a command whose channel was lost: asked, and waited for, over whatever channel can be opened. */
import { setTimeout as pause } from "node:timers/promises";
import { isFinal } from "../channel/channel.js";
import type { Frame } from "../channel/frames.js";
import type { RemoteAgent } from "../channel/remote-agent.js";
import { type CommandReport, goneSince, isCopying, isLost, type KeepBytes, readReport } from "./capture.js";

/** How often a remote side that cannot be reached is tried again. */
const RETRY_MS = 500;
/** Poll interval; it grows from the first to the second value. */
const MIN_POLL_MS = 100;
const MAX_POLL_MS = 1_000;

export type Recovered =
  | { readonly is: "not-begun" }
  | { readonly is: "ended"; readonly report: CommandReport }
  /** It runs on, or ended without an exit status. */
  | { readonly is: "lost"; readonly report: CommandReport }
  /** The remote side cannot be reached, or has no records of it any more. */
  | { readonly is: "unknown"; readonly began: "yes" | "unknown" };

interface LostCommand {
  readonly id: number;
  /** The words of the requests about it. */
  readonly words: readonly string[];
  readonly keep: KeepBytes;
  /** The spool directory with its records. */
  readonly spool: string | undefined;
  /** Whether to wait for its end. */
  readonly waits: boolean;
  isStopped(): boolean;
}

export async function recoverCommand(remote: RemoteAgent, lost: LostCommand): Promise<Recovered> {
  const answer = await askAgain(remote, lost, "began", [String(lost.id)]);
  // The records of the old spool directory are not available in another one.
  if (answer === undefined || lost.spool !== remote.spoolName) return { is: "unknown", began: "unknown" };
  if (answer.words[2] === "no") return { is: "not-begun" };
  if (answer.words[2] !== "yes") return { is: "unknown", began: "unknown" };
  let exitedAt: number | undefined;
  let goneAt: number | undefined;
  for (let pauseMs = MIN_POLL_MS; ; pauseMs = Math.min(MAX_POLL_MS, pauseMs * 2)) {
    const collected = await askAgain(remote, lost, "collect", lost.words);
    if (collected?.words[1] === "done") return { is: "ended", report: readReport(collected, lost.keep) };
    const frame = await askAgain(remote, lost, "look", lost.words);
    if (frame === undefined || lost.spool !== remote.spoolName) return { is: "unknown", began: "yes" };
    const report = readReport(frame, lost.keep);
    if (report.exit.by !== "none") {
      exitedAt ??= performance.now();
      if (!isCopying(report, exitedAt)) return { is: "ended", report };
    } else {
      goneAt = goneSince(report, goneAt);
      if (!lost.waits || isLost(goneAt)) return { is: "lost", report };
    }
    if (lost.isStopped()) return { is: "lost", report };
    await pause(pauseMs);
  }
}

/** Asks as long as the command may still run without a channel. */
async function askAgain(
  remote: RemoteAgent,
  lost: LostCommand,
  operation: string,
  words: readonly string[],
): Promise<Frame | undefined> {
  for (const end = performance.now() + remote.orphanMs; ; await pause(RETRY_MS)) {
    try {
      return await remote.ask(operation, words);
    } catch (thrown) {
      if (isFinal(thrown) || lost.isStopped() || remote.state === "closed" || performance.now() > end) return undefined;
    }
  }
}
