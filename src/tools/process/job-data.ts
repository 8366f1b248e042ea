import type { JobInfo } from "../../kernel/index.js";
import type { JobData } from "./contract.js";

/** A job as reported to a model. */
export function jobData(info: JobInfo, nowMs: number): JobData {
  const { id, command, lifetime, status, exit, endedBy, adopted, startedMs, endedMs, outputBytes } = info;
  return {
    id,
    command,
    lifetime,
    status,
    exitCode: exit?.by === "code" ? exit.code : exit?.by === "status" ? exit.status : null,
    signal: exit?.by === "signal" ? exit.signal : null,
    ...(exit?.by === "status" && exit.status > 128 ? { ambiguous: true } : {}),
    ...(endedBy === undefined ? {} : { endedBy }),
    ...(adopted === undefined ? {} : { adopted }),
    ageMs: Math.max(0, Math.round((endedMs ?? nowMs) - startedMs)),
    outputBytes,
  };
}
