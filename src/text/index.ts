export { expandBraces } from "./brace-expansion.js";
export { byteSize } from "./byte-size.js";
export { concatBytes } from "./concat-bytes.js";
export { type ContentType, parseContentType } from "./content-type.js";
export {
  escapeControls,
  type StrippedText,
  shortenRuns,
  showControls,
  showDeceptive,
  stripControls,
  stripInvisible,
} from "./control-characters.js";
export {
  type DecodedText,
  type DetectEncodingOptions,
  type DetectedEncoding,
  decodeText,
  detectEncoding,
  detectLegacyEncoding,
  findEncoding,
  hasUtf8Bom,
  hasUtf16Bom,
  loadEncodingTables,
  looksBinary,
  TEXT_ENCODINGS,
  type TextEncodingName,
  UTF8_BOM_BYTES,
} from "./encoding.js";
export { pathOfFileUrl } from "./file-url.js";
export {
  compileGlob,
  escapeGlob,
  type GlobOptions,
  type GlobResult,
  MAX_GLOB_ALTERNATIVES,
} from "./glob.js";
export { matchGlobSegment, parseGlobSegment } from "./glob-segment.js";
export { HeadTailBuffer, type HeadTailTruncation } from "./head-tail-buffer.js";
export { type JsonFault, jsonFault } from "./json-fault.js";
export { createLegacyEncoder, isDoubleByte, type LegacyEncoder, legacyWidth } from "./legacy-encoder.js";
export { countChangedLines, type DiffOp, diffLines, type LineDiff } from "./line-diff.js";
export type { DiffStrategy } from "./line-script.js";
export { detectEol, type Eol, type LineSkip, skipLines, splitLines, windowLines } from "./lines.js";
export {
  asciiJson,
  codePointAt,
  type FirstDifference,
  firstDifference,
  foldLookAlikes,
  hasLookAlikes,
} from "./look-alike.js";
export { foldTypography, nearestNames } from "./nearest.js";
export { countNewlines } from "./newline-count.js";
export { omitOverwritten, type RedrawnText } from "./overwritten-frames.js";
export {
  asRelative,
  baseName,
  childPath,
  expandHome,
  normalizePath,
  parentOf,
  relativeInside,
  resolvePath,
  trailingSlash,
  walkMissing,
  withoutTrailingSlash,
} from "./paths.js";
export { posixQuote, shellPath, shellWord } from "./quoting.js";
export { REDACTION_MARK } from "./redaction-mark.js";
export { parseSshDestination, type SshDestination } from "./ssh-destination.js";
export { detectTextForm, isBinary, namedTextForm, type TextForm } from "./text-form.js";
export { knownZone, localZone, type WallTime, wallTime, zoneProblem } from "./time-zone.js";
export { DEFAULT_DIFF_CONTEXT, renderUnifiedDiff, type UnifiedDiffOptions } from "./unified-diff.js";
export {
  compareUtf8,
  hasLoneSurrogate,
  incompleteTailLength,
  isUtf8,
  truncateToHead,
  truncateToTail,
  type Utf8Truncation,
  utf8HeadEnd,
  utf8Length,
  utf8TailStart,
} from "./utf8.js";
export { wholeNumber } from "./whole-number.js";
