import type { ErrorCode } from "../../kernel/index.js";
import { showControls, truncateToHead } from "../../text/index.js";
import type { BashData, BashInput, BashLimits } from "./contract.js";

interface BashFailure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Bytes of the command that a sentence quotes. */
const MAX_QUOTED_BYTES = 80;

type FailureText = (data: BashData, name: string, limits: BashLimits) => BashFailure;

/** Failures of commands that did not exit by themselves. */
const STOPPED: Readonly<Record<Exclude<BashData["ended"], "itself" | "detached">, FailureText>> = {
  cancelled: (data, name) => ({
    code: "SHELL_CANCELLED",
    message: `${stopped(data, name)}: the call was cancelled${endOf(data)}.`,
    details: {},
  }),
  deadline: (data, name, limits) => ({
    code: "SHELL_TIMEOUT",
    message: `${stopped(data, name)} after ${data.timeoutMs} ms${endOf(data)}. ${mayRunOn(data) ? "Check whether it still runs before you repeat it." : `Raise \`timeoutMs\` (at most ${limits.maxTimeoutMs}), or let it do less.`}`,
    details: { timeoutMs: data.timeoutMs },
  }),
  "output-limit": (data, name) => ({
    code: "SHELL_OUTPUT_LIMIT",
    message: `${stopped(data, name)}: its output exceeded the limit${endOf(data)}. Redirect its output to a file.`,
    details: { bytes: data.stdout.bytes + data.stderr.bytes },
  }),
  "spawn-error": (data, name) => ({
    code: "SHELL_SPAWN",
    message: `Did not run ${name}: ${sentence(data.problem ?? "it could not be started")}`,
    details: { system: data.problem ?? null },
  }),
  "channel-lost": (data, name) => ({
    code: "BACKEND_UNAVAILABLE",
    message: `Lost the connection ${data.began === "yes" ? `while ${name} ran` : `before ${name} was seen to run`}${data.problem === undefined ? "" : `: ${data.problem}`}. ${CHANNEL_LOST[data.began]}`,
    details: { began: data.began },
  }),
};

const CHANNEL_LOST: Readonly<Record<BashData["began"], string>> = {
  no: "It had not started; it is safe to retry it.",
  yes: "It had started; check its effects before you retry it.",
  unknown: "It is unknown whether it had started; check its effects before you retry it.",
};

/**
 * Why the call failed, or undefined when it did not. Only the first cause is reported: cancelled, timed out, too much output,
 * not started, a signal, an exit status. With `exit: "result"` a status or a signal is no failure.
 */
export function bashFailure(data: BashData, input: BashInput, limits: BashLimits): BashFailure | undefined {
  const name = `"${showControls(truncateToHead(input.command.trim(), MAX_QUOTED_BYTES).text)}"`;
  if (data.ended === "detached") return undefined;
  if (data.ended !== "itself") return STOPPED[data.ended](data, name, limits);
  const { signal, exitCode } = data;
  if (limits.exit === "result") return undefined;
  if (signal !== null) {
    return { code: "SHELL_SIGNALLED", message: `${name} was killed by signal ${signal}.`, details: { signal } };
  }
  if (exitCode === 0) return undefined;
  const doubt = data.ambiguous === true ? ` An exit status over 128 may also mean a signal here.` : "";
  return { code: "SHELL_EXIT", message: `${name} ended with exit code ${exitCode}.${doubt}`, details: { exitCode } };
}

/** Nothing was seen of its processes, no signal is known to have ended them, and the command itself was not seen to end. */
const mayRunOn = ({ tree, endedBy, problem, signal, exitCode }: BashData) =>
  tree === "unseen" && (problem !== undefined || (endedBy === null && signal === null && exitCode === null));

const stopped = (data: BashData, name: string) => `Stopped ${mayRunOn(data) ? "waiting for " : ""}${name}`;

/** How the process tree ended, as far as it was observed. */
function endOf(data: BashData): string {
  const how = data.endedBy === null ? "" : ` with ${data.endedBy}`;
  if (data.tree === "gone") return `, and all its processes were terminated${how}`;
  if (mayRunOn(data)) {
    const began = data.began === "unknown" ? `. ${CHANNEL_LOST.unknown.slice(0, -1)}` : "";
    return `, and it could not be ended${how === "" ? " from here" : how} and may still run${began}`;
  }
  if (data.tree === "unseen") return `, and it is unknown whether all its processes ended`;
  const left = data.survivors.map(({ pid, name }) => `${pid} (${showControls(name)})`).join(", ");
  return `, but some of its processes still run${left === "" ? "" : `: ${left}`}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
