/** A session that ends with its process. */
import {
  type Artifacts,
  BoundedMap,
  BoundedSet,
  MAX_KNOWN_SYMLINKS,
  MAX_OUTPUTS_SEEN,
  MAX_READ_RECORDS,
  type Session,
  SessionTrust,
  type TodoItem,
} from "../../kernel/index.js";

/** What a session in memory is made of. */
export interface MemorySessionOptions {
  readonly id: string;
  readonly artifacts: Artifacts;
}

/** A session whose list, read-state and directories are gone with the process. */
export function createMemorySession(options: MemorySessionOptions): Session {
  const cwds = new Map<string, string>();
  let items: readonly TodoItem[] = [];
  return {
    id: options.id,
    version: () => undefined,
    artifacts: options.artifacts,
    readState: new BoundedMap(MAX_READ_RECORDS),
    outputsSeen: new BoundedMap(MAX_OUTPUTS_SEEN),
    caches: new Map(),
    symlinks: new BoundedSet(MAX_KNOWN_SYMLINKS),
    trust: new SessionTrust(),
    cwd: (backend) => cwds.get(backend),
    setCwd(backend, path) {
      cwds.set(backend, path);
    },
    todo: {
      read: async () => items,
      async replace(next) {
        items = Object.freeze([...next]);
      },
    },
  };
}
