/** What is remembered, for commands that look after it. */
import { HaftError, type Memories, memoryNamespace } from "../kernel/index.js";
import { createToolkit } from "./create-toolkit.js";
import type { StateAdminOptions } from "./state-admin.js";

export interface MemoryAdminOptions extends StateAdminOptions {
  /** The client of `haft serve` whose memories these are. Default: those of sessions without a client. */
  readonly owner?: string;
}

export interface MemoryAdmin {
  readonly memories: Memories;
  close(): Promise<void>;
}

/** @throws `BACKEND_UNSUPPORTED` where the state has no memories. */
export async function memoryAdmin({ owner, ...place }: MemoryAdminOptions = {}): Promise<MemoryAdmin> {
  const toolkit = await createToolkit(place);
  const memories = toolkit.host.state.memories?.(memoryNamespace(owner));
  if (memories !== undefined) return { memories, close: async () => void (await toolkit.close()) };
  await toolkit.close();
  throw new HaftError(
    "BACKEND_UNSUPPORTED",
    "Did not open the memory: the state of this host has none. Use Node.js 22.13 or later, install the package `libsql`, or name a PostgreSQL database with --store.",
    { details: { backend: "state", feature: "memories" } },
  );
}
