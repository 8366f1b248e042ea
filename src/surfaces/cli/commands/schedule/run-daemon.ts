/** Runs schedules, without serving anything. */
import { messageOf } from "../../../../kernel/index.js";
import { showControls } from "../../../../text/index.js";
import { createToolkit, scheduleAdmin } from "../../../../toolkit/index.js";
import { type CommonOptions, settingsOf, settledWorkspace } from "../../common-options.js";
import { printNotice, printUntrustedNotice } from "../../output.js";
import { placeOf, workspaceFor } from "../../target-places.js";
import { EXIT } from "../../usage.js";
import { scheduleLog, schedulesLine, servesSchedule } from "./schedules-line.js";

export type DaemonOptions = CommonOptions;

/** Returns the exit status once a signal has ended it, and what ran has been ended. */
export async function scheduleDaemon(options: DaemonOptions): Promise<number> {
  const settings = await settingsOf(options);
  const workspace = settledWorkspace(options.workspace, settings.config);
  const toolkit = await createToolkit({ ...settings.toolkit, ...workspaceFor(settings.targets, workspace) });
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => resolve());
  });
  try {
    const admin = scheduleAdmin(toolkit.host);
    await toolkit.schedules
      .start({
        ...scheduleLog(toolkit.host, (line) => process.stdout.write(`${line}\n`)),
        onProblem: (error) => printUntrustedNotice(`did not look for schedules: ${error.message}`),
      })
      .catch((error: unknown) => printUntrustedNotice(messageOf(error)));
    const served = (await admin.list()).filter(servesSchedule(settings.targets, workspace));
    printNotice(
      `runs schedules ${showControls(placeOf(settings.targets, workspace))}; ${schedulesLine(served)} Ctrl+C stops it.`,
    );
    await stopped;
    printNotice("stopping; commands that run are ended.");
    return EXIT.ok;
  } finally {
    await toolkit.close();
  }
}
