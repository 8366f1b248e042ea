/** What is remembered, for commands that look after it. */
import { HaftError, type Memories, type MemoryContent, memoryNamespace, redactedMemory } from "../kernel/index.js";
import { createToolkit } from "./create-toolkit.js";
import type { StateAdminOptions } from "./state-admin.js";
import type { ToolkitOptions } from "./toolkit-options.js";

/** `env`, `secrets` and `web` say which values are secrets. */
export interface MemoryAdminOptions extends StateAdminOptions, Pick<ToolkitOptions, "env" | "secrets" | "web"> {
  /** The client of `haft serve` whose memories these are. Default: those of sessions without a client. */
  readonly owner?: string;
}

export interface MemoryAdmin {
  readonly memories: Memories;
  /** The content without secrets, as `memory_store` would store it. @throws `STORE_INVALID` if it cannot be stored. */
  storable(content: MemoryContent): Promise<MemoryContent>;
  close(): Promise<void>;
}

/** @throws `BACKEND_UNSUPPORTED` where the state has no memories. */
export async function memoryAdmin({ owner, ...place }: MemoryAdminOptions = {}): Promise<MemoryAdmin> {
  const toolkit = await createToolkit(place);
  const { state, redactor } = toolkit.host;
  const memories = state.memories?.(memoryNamespace(owner));
  if (memories !== undefined)
    return {
      memories,
      async storable(content) {
        const { checkMemory } = await import("../stores/sql/index.js");
        const clean = redactedMemory(redactor, content);
        checkMemory(clean);
        return clean;
      },
      close: async () => void (await toolkit.close()),
    };
  await toolkit.close();
  throw new HaftError(
    "BACKEND_UNSUPPORTED",
    "Did not open the memory: the state of this host has none. Use Node.js 22.13 or later, install the package `libsql`, or name a PostgreSQL database with --store.",
    { details: { backend: "state", feature: "memories" } },
  );
}
