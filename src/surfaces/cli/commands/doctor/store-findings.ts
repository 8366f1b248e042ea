/** Checks the database that hosts share. */
import { HaftError, messageOf } from "../../../../kernel/index.js";
import { inspectStore, type SettledConfig } from "../../../../toolkit/index.js";
import { storeOf } from "../../configuration.js";
import { UsageError } from "../../usage.js";
import type { DoctorFinding } from "./finding.js";

/** Nothing where there is none. */
export async function storeFindings(
  option: string | undefined,
  settled: Pick<SettledConfig, "store">,
): Promise<readonly DoctorFinding[]> {
  try {
    const url = storeOf(option, settled);
    if (url === undefined) return [];
    const { shown, version, latencyMs } = await inspectStore(url);
    const found = `${shown}: PostgreSQL ${version}, ${latencyMs.toFixed(1)} ms for an answer`;
    return [{ id: "store", status: "ok", found }];
  } catch (error) {
    if (error instanceof UsageError) throw error;
    const cost = "Sessions with a name, approvals, memory and schedules cannot be used; other calls can.";
    const hint = HaftError.is(error) && error.hint !== undefined ? { next: error.hint } : {};
    return [{ id: "store", status: "stops", found: messageOf(error), cost, ...hint }];
  }
}
