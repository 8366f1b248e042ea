/** A machine in memory: for tests, for trying things out, and for agents that need no more. */
export {
  createMemoryBackend,
  type MemoryBackend,
  type MemoryBackendOptions,
  type MemoryPlant,
} from "./memory-backend.js";
export type { MemoryCommand, MemoryCommandContext } from "./memory-command.js";
