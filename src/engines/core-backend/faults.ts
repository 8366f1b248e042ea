/** What the operations of a third party reject with, in Haft's codes. Its errors may be anything. */
import { HaftError, messageOf, thrownFault } from "../../kernel/index.js";

/** The error about `path` that stands for what an operation threw; one of ours passes unchanged. */
export function coreFault(thrown: unknown, did: string, path: string): HaftError {
  const message = messageOf(thrown);
  const otherwise = `the backend reported: ${message}. Try again, or use another path`;
  return thrownFault(thrown, did, path, { system: message, otherwise });
}

/** Asks a third party's operation; it may throw before it gives a promise. @throws The error about `path`, see {@link coreFault}. */
export async function askCore<T>(did: string, path: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (thrown) {
    throw coreFault(thrown, did, path);
  }
}

export function unsupported(backend: string, feature: string, next: string): HaftError {
  return new HaftError("BACKEND_UNSUPPORTED", `Did not use the backend "${backend}": it has no ${feature}. ${next}`, {
    details: { backend, feature },
  });
}
