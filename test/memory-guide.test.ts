/** The examples of docs/guide/memory.md, run. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parseEntry } from "../src/surfaces/cli/commands/memory/entry-file.js";
import { cliPlace } from "../src/testing/cli-place.fixture.js";

const guide = readFileSync(new URL("../docs/guide/memory.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);
/** The arguments of each command, without its comment; what is in quotes is one. */
const commands = blocks("sh").flatMap((block) =>
  block
    .trim()
    .split("\n")
    .map((line) =>
      [...line.replace(/ +#.*/, "").matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ""),
    ),
);

const place = cliPlace();

it("the guide of memory shows commands that succeed, one after the other", async () => {
  expect(commands).toHaveLength(8);
  for (const [program, ...args] of commands) {
    expect(program).toBe("haft");
    const { status, stderr, stdout } = await place.inProcess(args);
    // After `forget` there is nothing left to export or import.
    expect([args, status, stderr]).toEqual([args, 0, expect.not.stringContaining("Did not")]);
    if (args[1] === "memory_recall") expect(stdout).toContain("We deploy on Tuesdays before noon");
    if (args.join(" ") === "memory show deploys") expect(stdout).toBe("We deploy on Tuesdays before noon\n");
  }
});

it("the guide of memory shows a file that can be imported", async () => {
  const [file = ""] = blocks("markdown");
  expect(parseEntry(file)).toMatchObject({ key: "deploys", content: "We deploy on Tuesdays before noon." });
  mkdirSync(join(place.workspace, "notes"));
  writeFileSync(join(place.workspace, "notes", "deploys.md"), file);
  expect(await place.inProcess(["memory", "import", "notes"])).toMatchObject({
    status: 0,
    stderr: "haft: imported 1 note.\n",
  });
});
