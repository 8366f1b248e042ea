/** The examples of docs/guide/schedules.md, run. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parseTiming } from "../src/engines/schedule/index.js";
import { nextRuns } from "../src/index.js";
import { cliPlace } from "../src/testing/cli-place.fixture.js";
import { scheduleBench } from "../src/toolkit/schedules/schedules.fixture.js";

const guide = readFileSync(new URL("../docs/guide/schedules.md", import.meta.url), "utf8");
const place = cliPlace();
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);

describe("the guide of schedules", () => {
  it("has timings that are read as the table says", () => {
    const rows = [...guide.matchAll(/^\| `(schedule|at|after|every)`[^|]*\| `([^`]+)`/gm)];
    expect(rows.map(([, name]) => name)).toEqual(["schedule", "at", "after", "every"]);
    for (const [, name = "", example] of rows)
      expect(parseTiming({ [name]: example }, { nowMs: 0, localZone: "UTC" })).toHaveProperty("timing");
  });

  it("has commands that succeed, one after the other", async () => {
    const lines = blocks("sh").flatMap((block) => block.trim().split("\n"));
    const commands = lines.map((line) =>
      [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ""),
    );
    expect(commands).toHaveLength(6);
    for (const [program, ...args] of commands) {
      expect(program).toBe("haft");
      const { status, stdout, stderr } = await place.inProcess(args);
      expect([args, status, stderr]).toEqual([args, 0, expect.not.stringContaining("Did not")]);
      if (args[1] === "list") expect(stdout).toContain("\treport\tevery Monday to Friday at 09:00, Europe/Berlin\t");
    }
  });

  it.each(["@daily", "0 0 * * * * 2030"])("says that %s is refused", (schedule) => {
    expect(parseTiming({ schedule }, { nowMs: 0, localZone: "UTC" })).toHaveProperty("problem");
    expect(guide).toMatch(schedule.startsWith("@") ? /`@daily`/ : /seven fields/);
  });

  it("shows what `nextRuns` returns", async () => {
    const [, shown = ""] = blocks("ts");
    const [, schedule, tz] = /schedule: "([^"]+)", tz: "([^"]+)"/.exec(shown)!;
    const [first] = await nextRuns({ schedule: schedule!, tz: tz! }, { fromMs: Date.UTC(2027, 2, 13, 17) });
    expect(shown).toContain(`// ${new Date(first!).toISOString()}`);
  });

  it("runs schedules in a program as it shows", async () => {
    const bench = scheduleBench();
    await bench.call("cron_add", { after: "1s", command: "true" });
    const seen: string[] = [];
    const toolkit = await bench.toolkit();
    await toolkit.schedules.start({
      onRun: (_run, schedule, end) => seen.push(`${schedule.command} ${end?.state ?? "begins"}`),
    });
    await bench.runs(() => seen.length === 2);
    expect(seen).toEqual(["true begins", "true succeeded"]);
  });
});
