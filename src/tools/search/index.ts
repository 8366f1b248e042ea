export { FIND_LIMITS, FIND_TIMEOUT_MS, findTool } from "./find.js";
export { GREP_LIMITS, GREP_TIMEOUT_MS, grepTool } from "./grep.js";
