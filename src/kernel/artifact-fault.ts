import { HaftError } from "./errors.js";

const GONE = {
  evicted: ["ARTIFACT_EVICTED", "it gave way to newer artifacts. Run the command again"],
  unknown: ["ARTIFACT_UNKNOWN", "this session has no such artifact. Check the id"],
} as const;

/** The error for an artifact that is not there to be exported, in the words of every store. */
export function artifactFault(id: string, found: keyof typeof GONE): HaftError {
  const [code, why] = GONE[found];
  return new HaftError(code, `Did not export "${id}": ${why}.`, { details: { id } });
}
