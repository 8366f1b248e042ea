/**
 * The engine of the edit tool. Read it in this order: `units` (a file as an array that is searched), `stages` and `match`
 * (where `oldText` is), `apply` (the new bytes), `nearest` and `explain-mismatch` (why it was not found), `diff` (what changed).
 */
export { type EditPair, type EditPlan, type EditRange, planEdits } from "./apply.js";
export { CR_SYMBOL, diffOfEdit, type EditDiff } from "./diff.js";
export { placeAt } from "./explain-mismatch.js";
export { MAX_REPLACED_PLACES } from "./match.js";
export { EDIT_STAGES, type EditStage, type WhitespaceFolding } from "./stages.js";
export { UnitText } from "./units.js";
