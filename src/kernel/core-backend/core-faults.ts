/** What the operations of a third party reject with, in Haft's codes. Its errors may be anything. */
import { HaftError, messageOf } from "../errors.js";
import { systemRefusal } from "../fs-faults.js";

/** The error about `path` that stands for what an operation threw; one of ours passes unchanged. */
export function coreFault(thrown: unknown, did: string, path: string): HaftError {
  if (HaftError.is(thrown)) return thrown;
  const said = messageOf(thrown);
  const [code, , why] = systemRefusal(codeOf(thrown)) ?? [
    "FS_IO",
    said,
    `the backend says: ${said}. Try again, or use another path`,
  ];
  return new HaftError(code, `Did not ${did} "${path}": ${why}.`, {
    details: { path, ...(code === "FS_NOT_A_FILE" ? { kind: "directory" } : {}), system: said },
    cause: thrown,
  });
}

/** Asks a third party's operation; it may throw before it gives a promise. @throws The error about `path`, see {@link coreFault}. */
export async function askCore<T>(did: string, path: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    throw coreFault(thrown, did, path);
  }
}

function codeOf(thrown: unknown): string {
  const code = (thrown as { readonly code?: unknown } | null | undefined)?.code;
  return typeof code === "string" ? code : "";
}

export function unsupported(backend: string, feature: string, next: string): HaftError {
  return new HaftError("BACKEND_UNSUPPORTED", `Did nothing: the backend "${backend}" has no ${feature}. ${next}`, {
    details: { backend, feature },
  });
}
