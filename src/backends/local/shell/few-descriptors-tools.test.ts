import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cannotRunApart, runApart, untraced } from "../../../host/process/apart.fixture.js";
import { built } from "../../../testing/built.fixture.js";
import { bundleForProcess } from "../../../testing/bundle.fixture.js";
import { LONG } from "../../../testing/long.fixture.js";
import { builtinTools } from "../../../tools/index.js";
import type { ToolsReported } from "./few-descriptors-tools.fixture.js";

let directory: string;
let script: string;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "haft-few-tools-"));
  script = await bundleForProcess(
    new URL("./few-descriptors-tools.fixture.ts", import.meta.url),
    join(directory, "built"),
  );
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const AT_ONCE = 50;
/** Not offered by a target without a terminal. */
const OF_TERMINAL = ["capture_pane", "send_keys", "panes"];
const ALL_OK = Object.fromEntries(
  builtinTools.filter(({ name }) => !OF_TERMINAL.includes(name)).map(({ name }) => [name, { ok: 1 }]),
);
/** What the reader of an error has to learn: files, or their number, are short; nothing of our own code. */
const CLEAR = /too many open files|fewer calls at once/;
const UNCLEAR = /rejected|Cannot read properties|undefined|node_modules|\.js:\d|\n\s+at /;

describe("fifty calls of each tool at once", () => {
  for (const limit of LONG ? [40, 96, 256] : [96]) {
    const title = `with ${limit} descriptors: results or clear errors, no stray signal, all is well afterwards${untraced}`;
    if (cannotRunApart !== undefined) it.skip(`${title}: not run, for ${cannotRunApart}`, () => {});
    else
      it(title, () => {
        const place = mkdtempSync(join(directory, `${limit}-`));
        const library = pathToFileURL(built("index.js")).href;
        const argv = [process.execPath, script, library, place, String(AT_ONCE)];
        const ran = runApart(limit, argv, { HOME: place, TMPDIR: place });
        expect([ran.status, ran.stderr]).toEqual([0, ""]);
        if (untraced === "") expect(ran.stray).toEqual([]);
        const { together, without, alone } = JSON.parse(ran.stdout) as ToolsReported;
        for (const [tool, ends] of [...Object.entries(together), ...Object.entries(without)]) {
          for (const end of Object.keys(ends).filter((one) => one !== "ok")) {
            expect(end, tool).toMatch(CLEAR);
            expect(end, tool).not.toMatch(UNCLEAR);
          }
        }
        expect(Object.values(without).some((ends) => ends.ok === undefined)).toBe(true);
        expect(alone).toEqual(ALL_OK);
      }, 60_000);
  }
});
