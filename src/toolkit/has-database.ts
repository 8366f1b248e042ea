/** Whether there is a database, which memories and schedules need. */
import type { ToolkitOptions } from "./toolkit-options.js";

/** Whether a toolkit with these options has one. Opens nothing. */
export async function hasDatabase({
  store,
}: {
  readonly store?: ToolkitOptions["store"] | undefined;
}): Promise<boolean> {
  return store !== undefined;
}
