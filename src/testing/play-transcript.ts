/** Replays recorded calls and compares their outcomes exactly. */
import type { ToolBox, ToolCall, ToolOutcome } from "../kernel/index.js";
import { expectEqual } from "./expect.js";

/** One call and its expected outcome. Only the members listed here are compared, each completely. */
export interface Exchange {
  readonly call: ToolCall;
  readonly outcome: Partial<Pick<ToolOutcome, "output" | "isError" | "status" | "code" | "structured" | "content">>;
}

/** Runs the calls one after the other. @throws Error with the first call and member that differ, and both values. */
export async function playTranscript(transcript: readonly Exchange[], box: Pick<ToolBox, "runner">): Promise<void> {
  for (const [index, { call, outcome }] of transcript.entries()) {
    const seen = await box.runner.run(call);
    for (const [member, expected] of Object.entries(outcome)) {
      expectEqual(seen[member as keyof ToolOutcome], expected, `Call ${index + 1} (${call.name}), ${member}`);
    }
  }
}
