/** What one of the host's own tools reads before the user has allowed its call. */
import { CallContext } from "./call-context.js";
import { type CallRun, type Ending, ended } from "./call-run.js";
import { CallSignal } from "./call-signal.js";
import { EMPTY_GRANT, type Grant } from "./claims.js";
import type { ToolContext } from "./context.js";
import { HaftError } from "./errors.js";
import { revoked } from "./guard.js";
import { scheduleBasis } from "./schedules.js";
import { withTimeout } from "./with-timeout.js";

/** Milliseconds that it may take. */
const READ_TIMEOUT_MS = 5_000;

/** Undefined for other tools: the call is not allowed yet. @throws `CALL_TIMEOUT`, and what `read` throws. */
export async function readBeforehand<T>(run: CallRun, read: (ctx: ToolContext) => Promise<T>): Promise<T | undefined> {
  const { tool, context, cancel } = run;
  const { clock, isOwnTool } = context.host;
  if (isOwnTool?.(tool) !== true) return undefined;
  const end = new CallSignal();
  const ctx = new CallContext({ ...run, grant: readsOf(run.grant ?? EMPTY_GRANT) }, end, READ_TIMEOUT_MS);
  try {
    return await withTimeout(
      { clock, ms: READ_TIMEOUT_MS, signal: cancel },
      async () => read(ctx),
      () => {
        const message = `Did not run \`${tool.name}\`: what it depends on was not read within ${READ_TIMEOUT_MS} ms.`;
        throw new HaftError("CALL_TIMEOUT", message, { details: { deadlineMs: READ_TIMEOUT_MS } });
      },
    );
  } finally {
    end.abort(() => revoked(run.call.id));
  }
}

/** Fills in what the call depends on; an ending where the tool refuses to be asked about. */
export async function readBasis(run: CallRun): Promise<Ending | undefined> {
  const { basis } = run.tool.body;
  if (basis === undefined) return undefined;
  const read = await readBeforehand(run, (ctx) => basis(run.input, ctx));
  if (read === undefined) return undefined;
  if ("isError" in read) return ended("failed", read);
  run.askedMs ??= read.nowMs;
  run.basis = read.schedule === undefined ? "" : scheduleBasis(read.schedule);
  return undefined;
}

function readsOf({ id, files, except, exceptNames, symlinkTargets, state }: Grant): Grant {
  const reads = files.flatMap((place) =>
    place.access.includes("read") ? [{ ...place, access: ["read" as const] }] : [],
  );
  const readState = state.map((one) => ({ ...one, access: "read" as const }));
  return { ...EMPTY_GRANT, id, files: reads, except, exceptNames, symlinkTargets, state: readState };
}
