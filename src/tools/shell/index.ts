export { BASH_LIMITS, bashTool } from "./bash.js";
export { PROCESS_LIMITS, processTool } from "./process.js";
