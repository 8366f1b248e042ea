import type { ToolPresenter } from "../../kernel/index.js";
import type { TimeData, TimeInput } from "../../tools/time/contract.js";
import { shownValue } from "../arguments.js";
import { textResult } from "../rendering.js";
import { renderBuddyFailure } from "./failure-text.js";

const NS_PER_MS = 1_000_000n;
const NS_PER_S = 1_000_000_000n;

/** BD-053: of a time in nanoseconds since the epoch, all in UTC. */
const FORMATS: Readonly<Record<string, (ns: bigint) => string>> = {
  epoch: (ns) => String(ns / NS_PER_S),
  epoch_ms: (ns) => String(ns / NS_PER_MS),
  epoch_ns: String,
  iso,
  rfc2822: (ns) => new Date(msOf(ns)).toUTCString().replace(/GMT$/, "+0000"),
  date: (ns) => iso(ns).slice(0, 10),
  time: (ns) => iso(ns).slice(11, 19),
};
const NAMES = Object.keys(FORMATS);

function msOf(ns: bigint): number {
  return Number(ns / NS_PER_MS);
}

function iso(ns: bigint): string {
  return new Date(msOf(ns)).toISOString();
}

export const timePresenter: ToolPresenter<TimeInput, TimeData> = {
  name: "time",
  description: "Current wall-clock time of the harness, in UTC.",
  parameters: {
    type: "object",
    properties: {
      format: { type: "string", default: "epoch", description: `One of ${NAMES.join(", ")}` },
    },
  },
  decode({ format = "epoch" }) {
    if (typeof format === "string" && Object.hasOwn(FORMATS, format)) return { input: {} };
    return { problem: `\`format\` was ${shownValue(format)}; it takes ${NAMES.join(", ")}`, parameter: "format" };
  },
  render(result, about) {
    if (result.isError || result.data === undefined) return renderBuddyFailure(result, ({ message }) => message);
    const { format = "epoch" } = about.arguments;
    const name = typeof format === "string" && Object.hasOwn(FORMATS, format) ? format : "epoch";
    return textResult(FORMATS[name]!(BigInt(result.data.epochNs)), { clamped: true });
  },
};
