/** This machine, with commands confined by bubblewrap. */
export { createSandboxBackend, type SandboxOptions } from "./sandbox-backend.js";
