/** The schedules that a server runs while it is up. */
import { messageOf } from "../../../../kernel/index.js";
import { type ListedSchedule, scheduleAdmin, type Toolkit } from "../../../../toolkit/index.js";
import { printNotice, printUntrustedNotice } from "../../output.js";
import { scheduleLog, schedulesLine } from "../schedule/schedules-line.js";

/** The toolkit, which runs its schedules from now on where its state has any and they are not switched off. */
export async function withSchedules(
  toolkit: Toolkit,
  { schedules = true }: { readonly schedules?: boolean },
): Promise<Toolkit> {
  if (!schedules || toolkit.host.state.schedules === undefined) return toolkit;
  const onProblem = (error: Error) => printUntrustedNotice(`did not look for schedules: ${error.message}`);
  // The calls do not wait for a database that is away.
  toolkit.schedules.start({ ...scheduleLog(toolkit.host, printNotice), onProblem }).catch(onProblem);
  return toolkit;
}

/** What the server says at its start about the schedules that it runs; undefined where it runs none. */
export async function servedSchedules(
  toolkit: Pick<Toolkit["host"], "state">,
  isServed: (schedule: ListedSchedule) => boolean,
): Promise<string | undefined> {
  if (toolkit.state.schedules === undefined) return undefined;
  try {
    return `Runs schedules of this workspace: ${schedulesLine((await scheduleAdmin(toolkit).list()).filter(isServed))}`;
  } catch (error) {
    return `Schedules cannot be read: ${messageOf(error)}`;
  }
}
