/** This machine: its files, its shell and its search; and the real clock, ids, digest and fault watch. */
export { createCallFaults } from "./call-faults.js";
export { sha256, systemClock, systemIds } from "./system-services.js";
