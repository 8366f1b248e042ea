export { FIND_LIMITS, findTool } from "./find.js";
export { GREP_LIMITS, grepTool } from "./grep.js";
