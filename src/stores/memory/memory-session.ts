/** A session that ends with its process. */
import type { Artifacts, Session, TodoItem } from "../../kernel/index.js";

export interface MemorySessionOptions {
  readonly id: string;
  readonly artifacts: Artifacts;
}

export function createMemorySession(options: MemorySessionOptions): Session {
  const cwds = new Map<string, string>();
  let items: readonly TodoItem[] = [];
  return {
    id: options.id,
    artifacts: options.artifacts,
    readState: new Map(),
    caches: new Map(),
    links: new Set(),
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
