/** How ripgrep is asked and what its answers mean, on this machine and on others. */
export {
  exceptedBelow,
  ignoreFlags,
  nameFlags,
  patternFlags,
  type RipgrepRoot,
  ripgrepArguments,
} from "./arguments.js";
export { FileHits, type LineRecord } from "./file-hits.js";
export { LineReader, LONG_LINE_BYTES } from "./line-reader.js";
export { jsonRecords, parseVersion, pathRecords, type RipgrepText, UnreadablePaths } from "./output.js";
export { type OutputPlan, outputPlan } from "./output-plan.js";
export { SearchProgress } from "./search-progress.js";
