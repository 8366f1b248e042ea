/** What the exact text of a command has no place for, told beside it: what still runs, and what of a stream is left out. */
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

/** The part of a stream that is not shown. `what` differs from the stream's bare name, under which the tool tells its own cut. */
export function streamTruncation(what: string, stream: StreamData, keptBytes: number): readonly Truncation[] {
  if (keptBytes >= stream.bytes) return [];
  const { artifact, artifactBytes } = stream;
  const kept = artifactBytes === undefined ? "All of it is stored" : `${artifactBytes} bytes of it are stored`;
  const where = artifact === undefined ? {} : { artifact, next: `${kept} as artifact:${artifact}.` };
  return [{ what, producedBytes: stream.bytes, keptBytes, ...where }];
}

/** Both streams of a command that did not finish, where the text tells only that. */
export function unfinishedTruncations(data: BashData): readonly Truncation[] {
  return [
    ...streamTruncation("stdout of the unfinished command", data.stdout, 0),
    ...streamTruncation("stderr of the unfinished command", data.stderr, 0),
  ];
}
