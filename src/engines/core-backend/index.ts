/** `completeBackend`: a whole backend from a few functions for files and commands. */
export { type BackendCore, completeBackend } from "./complete-backend.js";
