/** A state with memories and jobs whose clock a transcript moves, and whose ids are numbered. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { Toolkit } from "../../../src/index.js";
import type { State } from "../../../src/kernel/index.js";
import { sqliteDriver, sqliteState } from "../../../src/stores/sqlite/index.js";

export interface TranscriptState {
  readonly state: State;
  /** Moves the clock, and runs what is due then. */
  later(ms: number, toolkit: Pick<Toolkit, "schedules">): Promise<void>;
  /** A copy with the ids of jobs for their numbers. */
  withIds(value: unknown): unknown;
  /** A copy with the numbers of jobs for their ids. */
  withoutIds(value: unknown): Promise<unknown>;
}

export function transcriptState(beginMs: number): TranscriptState {
  const directory = mkdtempSync(join(tmpdir(), "haft-transcript-"));
  let nowMs = beginMs;
  const state = sqliteState({ driver: sqliteDriver()!, path: join(directory, "state.db"), now: () => nowMs });
  const schedules = state.schedules!;
  const ids: string[] = [];
  const { TZ } = process.env;
  // Times are shown in the zone of the machine too.
  process.env.TZ = "UTC";
  onTestFinished(async () => {
    if (TZ === undefined) delete process.env.TZ;
    else process.env.TZ = TZ;
    await state.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return {
    state,
    async later(ms, toolkit) {
      nowMs += ms;
      await toolkit.schedules.start();
      while ((await schedules.runs({ limit: 1_000 })).some(({ endedMs }) => endedMs === undefined)) await pause(10);
      await toolkit.schedules.stop();
    },
    withIds: (value) =>
      JSON.parse(
        JSON.stringify(value).replace(/<job (\d)>/g, (mark, number: string) => ids[Number(number) - 1] ?? mark),
      ),
    async withoutIds(value) {
      for (const { id } of await schedules.list()) if (!ids.includes(id)) ids.push(id);
      return JSON.parse(ids.reduce((text, id, at) => text.replaceAll(id, `<job ${at + 1}>`), JSON.stringify(value)));
    },
  };
}
