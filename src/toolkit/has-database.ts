/** Whether there is a database, which memories and schedules need. */
import type { ToolkitOptions } from "./toolkit-options.js";

/** Whether a toolkit with these options has one: the store that it names, or SQLite in the state directory. Opens nothing. */
export async function hasDatabase({
  store,
}: {
  readonly store?: ToolkitOptions["store"] | undefined;
}): Promise<boolean> {
  if (store !== undefined) return true;
  const { sqliteSupport } = await import("../host/index.js");
  return sqliteSupport() !== undefined;
}
