/** `completeBackend`: a whole backend from a few functions for files and commands. */
export type { BackendCore } from "./backend-core.js";
export { completeBackend } from "./complete-backend.js";
