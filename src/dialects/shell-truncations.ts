/** Truncations beside an exact command text: processes that still run, and omitted output. */
import type { Truncation } from "../kernel/index.js";
import { showControls } from "../text/index.js";
import type { BashData, StreamData } from "../tools/bash/contract.js";

export function survivorTruncations(data: BashData): readonly Truncation[] {
  if (data.survivors.length === 0 && data.tree !== "alive") return [];
  const named = data.survivors.map((one) => `${showControls(one.name)} (pid ${one.pid})`).join(", ");
  const job = data.job === undefined ? "" : `, now job ${showControls(data.job)}`;
  const what = `still running after the call: ${named === "" ? "an unidentified process" : named}${job}`;
  const pids = data.survivors.map((one) => one.pid).join(" ");
  return [{ what, producedBytes: 0, keptBytes: 0, ...(pids === "" ? {} : { next: `To end it: \`kill ${pids}\`.` }) }];
}

/** The part of a stream that is not shown. `what` differs from the name of the stream, which the tool uses for its own truncation. */
export function streamTruncation(what: string, stream: StreamData, keptBytes: number): readonly Truncation[] {
  if (keptBytes >= stream.bytes) return [];
  const { artifact, artifactBytes } = stream;
  const kept = artifactBytes === undefined ? "All of it is stored" : `${artifactBytes} bytes of it are stored`;
  const where = artifact === undefined ? {} : { artifact, next: `${kept} as artifact:${artifact}.` };
  return [{ what, producedBytes: stream.bytes, keptBytes, ...where }];
}

/** Both streams of an unfinished command, whose text has no output. */
export function unfinishedTruncations(data: BashData): readonly Truncation[] {
  return [
    ...streamTruncation("stdout of the unfinished command", data.stdout, 0),
    ...streamTruncation("stderr of the unfinished command", data.stderr, 0),
  ];
}
