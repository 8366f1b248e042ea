/** This machine, with commands confined by bubblewrap. */
export { type Bubblewrap, findBubblewrap } from "./bubblewrap.js";
export { createSandboxBackend, type SandboxOptions } from "./sandbox-backend.js";
