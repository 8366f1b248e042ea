/** Plays recorded calls through a box and compares what each comes to, exactly. */
import type { ToolBox, ToolCall, ToolOutcome } from "../kernel/index.js";
import { expectEqual } from "./expect.js";

/** One call and what it must come to; of the outcome the members that stand here are compared, each whole. */
export interface Exchange {
  readonly call: ToolCall;
  readonly outcome: Partial<Pick<ToolOutcome, "output" | "isError" | "status" | "code" | "structured" | "content">>;
}

/** Sends the calls one after the other. @throws Error naming the first call and member that differ, with both values. */
export async function playTranscript(transcript: readonly Exchange[], box: Pick<ToolBox, "runner">): Promise<void> {
  for (const [index, { call, outcome }] of transcript.entries()) {
    const seen = await box.runner.run(call);
    for (const [member, expected] of Object.entries(outcome)) {
      expectEqual(seen[member as keyof ToolOutcome], expected, `Call ${index + 1} (${call.name}), ${member}`);
    }
  }
}
