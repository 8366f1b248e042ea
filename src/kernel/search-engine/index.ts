/** A search engine over any tree of files, for backends that have no ripgrep: same patterns, same hits, same order. */
export { IgnoreRules, type IgnoreVerdict } from "./ignore-rules.js";
export { IGNORE_FILES, IgnoreStack, MAX_IGNORE_FILE_BYTES } from "./ignore-stack.js";
export { type LineWindow, windowOf } from "./line-window.js";
export { type ByteRange, compilePattern, type SearchPattern } from "./search-pattern.js";
export { searchStop } from "./search-stop.js";
export { MAX_NAMED_UNREADABLE, SearchTally, type SkipReason, whyAborted } from "./search-tally.js";
export { ENGINE, pageOf, searchTree, walkTree } from "./search-tree.js";
export type { SearchScope, SearchSource, SourceChild } from "./source.js";
export { unsupportedFeature } from "./unsupported-feature.js";
export { globFilter, MAX_DEPTH } from "./visit-tree.js";
