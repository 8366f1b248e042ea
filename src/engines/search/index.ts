/** A search engine over any tree of files, for backends that have no ripgrep: same patterns, same hits, same order. */
export { isRuleAbove, parentDirectories, type RulesAbove, rulesAbove } from "./ignore-stack.js";
export { acrossLineEndings } from "./line-endings.js";
export { windowOf } from "./line-window.js";
export { passingOver } from "./passing-over.js";
export { IGNORE_FILES, RuleFiles } from "./rule-files.js";
export { searchBinding, searchInCall, searchStop } from "./search-in-call.js";
export { type ByteRange, compilePattern, loadRegexEngine, type SearchPattern } from "./search-pattern.js";
export { SearchTally, type SkipReason, whyAborted } from "./search-tally.js";
export { globFilter, pageOf, searchTree, walkTree } from "./search-tree.js";
export { PauseCheck, type SearchScope, type SearchSource, type SourceChild } from "./source.js";
export { visitTree } from "./visit-tree.js";
