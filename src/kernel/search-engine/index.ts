/** A search engine over any tree of files, for backends that have no ripgrep: same patterns, same hits, same order. */
export { FoldersAbove } from "./folders-above.js";
export { globFilter } from "./glob-filter.js";
export { MAX_IGNORE_RULES } from "./ignore-rules.js";
export { IGNORE_FILES, MAX_IGNORE_FILE_BYTES } from "./ignore-stack.js";
export { windowOf } from "./line-window.js";
export { searchBinding } from "./search-binding.js";
export { searchInCall } from "./search-in-call.js";
export { type ByteRange, compilePattern, loadRegexEngine, type SearchPattern } from "./search-pattern.js";
export { searchStop } from "./search-stop.js";
export { SearchTally, type SkipReason, whyAborted } from "./search-tally.js";
export { pageOf, searchTree, walkTree } from "./search-tree.js";
export type { SearchScope, SearchSource, SourceChild } from "./source.js";
