export { GREP_LIMITS, GREP_TIMEOUT_MS, grepTool } from "./grep.js";
