export {
  compileGlob,
  escapeGlob,
  type GlobOptions,
  type GlobResult,
  MAX_GLOB_ALTERNATIVES,
  MAX_GLOB_BYTES,
} from "./glob.js";
export {
  countNewlines,
  detectEol,
  type Eol,
  LineCounter,
  type LineSkip,
  skipLines,
  splitLines,
  windowLines,
} from "./lines.js";
export { foldTypography, nearestNames } from "./nearest.js";
export { baseName, isInside, joinPath, normalizePath, parentOf, relativeInside, resolvePath } from "./paths.js";
export { posixQuote } from "./quoting.js";
export {
  cutHead,
  cutTail,
  incompleteTailLength,
  isUtf8,
  type Utf8Cut,
  utf8HeadEnd,
  utf8Length,
  utf8TailStart,
} from "./utf8.js";
