import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { allowAllPolicy } from "../policy/index.js";
import { createToolkit, type Toolkit, type ToolkitOptions } from "./index.js";

const directories: string[] = [];
const open: Toolkit[] = [];
afterEach(async () => {
  for (const toolkit of open.splice(0)) await toolkit.close();
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

async function boxOn(options: ToolkitOptions) {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-frames-")));
  directories.push(directory);
  const toolkit = await createToolkit({
    autonomy: "full",
    workspace: directory,
    stateDir: join(directory, "state"),
    gate: "off",
    ...options,
  });
  open.push(toolkit);
  const { runner } = toolkit.box();
  let calls = 0;
  return async (name: string, input: object) => {
    const outcome = await runner.run({ id: `call-${++calls}`, name, input });
    const text = outcome.content.map((block) => (block.kind === "text" ? block.text : "")).join("\n");
    return { text, outcome, artifact: /artifact:([\w-]+)/.exec(text)?.[1] };
  };
}

/** `\r[  0/500] building` to 499, without a loop: the shell in memory knows none. */
const FRAMES = Array.from({ length: 500 }, (_, at) => `[${String(at).padStart(3)}/500] building`);
const BAR = FRAMES.join("\\r");
const commandOf = (to = "") => `printf '${BAR}\\nbuilt\\n'${to}`;

describe("frames of a progress bar that a later frame overwrites", () => {
  it.each(["local", "memory", "posix:sh"])("are omitted on %s, counted, and whole in the artifact", async (target) => {
    const run = await boxOn({ on: [target] });
    const { text, artifact, outcome } = await run("bash", { command: commandOf() });
    expect(text.split("\n").slice(0, 3)).toEqual([
      `stdout (499 overwritten frames omitted; \`read\` or \`grep\` the path "artifact:${artifact}" for all of it):`,
      "[499/500] building",
      "built",
    ]);
    expect(outcome.isError).toBe(false);
    const kept = await run("grep", { pattern: "[250/500]", literal: true, path: `artifact:${artifact}` });
    expect(kept.text).toContain("[249/500] building");
  });

  it("are omitted from stderr, of an output that is itself truncated, and of what a job printed", async () => {
    const run = await boxOn({ on: ["local"] });
    const { text } = await run("bash", { command: `${commandOf(" >&2")}; echo fine` });
    expect(text).toContain("stderr (499 overwritten frames omitted;");
    expect(text).toContain("\n[499/500] building\nbuilt");
    expect(text).not.toContain("[250/500]");

    const long = await run("bash", {
      command: `i=0; while [ $i -lt 9000 ]; do printf '\\r[%4d/9000] ÅÄÖ' $i; i=$((i+1)); done; echo; echo built`,
    });
    expect(long.text).toContain("[8999/9000] ÅÄÖ\nbuilt");
    expect(long.text).not.toContain("\uFFFD");
    expect(Buffer.byteLength(long.text)).toBeLessThan(1_500);

    const started = await run("process", { action: "start", command: commandOf() });
    const id = /job-\d+/.exec(started.text)?.[0];
    const waited = await run("process", { action: "wait", id });
    const printed = started.text + waited.text;
    expect(printed).toMatch(
      /stdout \(9506 new bytes; 499 overwritten frames omitted; `read` or `grep` the path "artifact:[\w-]+"/,
    );
    expect(printed).toContain("[499/500] building\nbuilt");
    expect(printed).not.toContain("[250/500]");
  });

  it("reach the model where a dialect passes output on as it is", async () => {
    for (const [dialect, tool] of [
      ["indusagi", "bash"],
      ["zeroclaw", "shell"],
      ["buddy", "run_shell"],
    ] as const) {
      const run = await boxOn({ on: ["local"], dialect, policy: allowAllPolicy() });
      expect((await run(tool, { command: commandOf() })).text).toContain(FRAMES.slice(0, 100).join("\r"));
    }
  });
});
