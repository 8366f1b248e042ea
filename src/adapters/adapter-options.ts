/** What every adapter needs of a box, and the check of its options. */
import type { ToolBox } from "../kernel/index.js";

export { requireKnownOptions } from "../kernel/index.js";

/** A box of tools: of `toolkit.box()`, or any other. */
export type AdaptedBox = Pick<ToolBox, "descriptors" | "runner" | "explain">;
