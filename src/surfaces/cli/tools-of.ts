/** The tools that a command speaks of. */
import type { DefinedTool, ToolRegistry } from "../../kernel/index.js";
import { UsageError } from "./usage.js";

/** The tools of a collection. @throws UsageError that names the collections there are. */
export function toolsOf(registry: ToolRegistry, collection: string): readonly DefinedTool[] {
  const names = registry.collectionNames();
  if (names.includes(collection)) return registry.membersOf(collection);
  throw new UsageError(`There is no collection "${collection}". Take one of ${names.join(", ")}.`);
}
