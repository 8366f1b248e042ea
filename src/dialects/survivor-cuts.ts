/** What a command left running, for the dialects whose exact text has no place for it: told beside the text. */
import type { BashData, Cut } from "../kernel/index.js";
import { showControls } from "../text/index.js";

export function survivorCuts(data: BashData): readonly Cut[] {
  if (data.survivors.length === 0 && data.tree !== "alive") return [];
  const named = data.survivors.map((one) => `${showControls(one.name)} (pid ${one.pid})`).join(", ");
  const job = data.job === undefined ? "" : `, now job ${showControls(data.job)}`;
  const what = `still running after the call: ${named === "" ? "a process that could not be named" : named}${job}`;
  const pids = data.survivors.map((one) => one.pid).join(" ");
  return [{ what, producedBytes: 0, keptBytes: 0, ...(pids === "" ? {} : { next: `To end it: \`kill ${pids}\`.` }) }];
}

/** What a stream produced and an exact text has no room for. */
export function streamCut(name: "stdout" | "stderr", data: BashData, keptBytes: number): readonly Cut[] {
  const stream = data[name];
  if (keptBytes >= stream.bytes) return [];
  const artifact = stream.artifact;
  const where = artifact === undefined ? {} : { artifact, next: `The whole is kept as artifact:${artifact}.` };
  return [{ what: name, producedBytes: stream.bytes, keptBytes, ...where }];
}
