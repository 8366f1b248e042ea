export { BASH_LIMITS, bashTool } from "./bash.js";
