/** Undoing what calls changed in files. Pure, on the ports of a target. */
export { applyUndo } from "./apply-undo.js";
export { planUndo, type UndoneFile, type UndoPlan, type UndoProblem, type UndoStep } from "./plan-undo.js";
export { undoDiff } from "./undo-diff.js";
