/** That what was shown is what runs, where a symlink is changed while the user is asked. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ApprovalRequest } from "../kernel/index.js";
import { createToolkit } from "./index.js";

let root: string;
let workspace: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "haft-approved-place-"));
  workspace = join(root, "project");
  for (const directory of ["project/build", "project/src", "elsewhere"])
    mkdirSync(join(root, directory), { recursive: true });
  for (const file of ["project/build/a", "project/src/a", "elsewhere/a"]) writeFileSync(join(root, file), "x");
  symlinkSync("build", join(workspace, "link"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function asked(name: string, input: object, whileAsked: () => void) {
  const requests: ApprovalRequest[] = [];
  const toolkit = await createToolkit({
    workspace,
    stateDir: join(root, "state"),
    approver: {
      async ask(request) {
        requests.push(request);
        whileAsked();
        return { by: "ada", scope: "once" };
      },
    },
  });
  const box = toolkit.box();
  const outcome = await box.runner.run({ id: "c", name, input });
  await toolkit.close();
  return { outcome, requests };
}

const pointAt = (target: string) => () => {
  unlinkSync(join(workspace, "link"));
  symlinkSync(target, join(workspace, "link"));
};
const EACH: readonly [string, object][] = [
  ["bash", { command: "rm -rf link/" }],
  ["bash", { command: "cd link && rm -rf a" }],
  ["delete", { path: "link/a" }],
];

it.each(EACH)("%s %o runs where nothing has changed", async (name, input) => {
  const { outcome } = await asked(name, input, () => {});
  expect(outcome.status).toBe("ok");
  expect(existsSync(join(workspace, "build/a"))).toBe(false);
});

it.each(EACH)("%s %o does not run on another place of the workspace", async (name, input) => {
  const { outcome } = await asked(name, input, pointAt("src"));
  expect(outcome).toMatchObject({ status: "denied", output: expect.stringContaining("other than what was approved") });
  expect(existsSync(join(workspace, "src/a"))).toBe(true);
});

it.each(EACH)("%s %o does not run outside of the workspace", async (name, input) => {
  const { outcome } = await asked(name, input, pointAt(join(root, "elsewhere")));
  expect(outcome).toMatchObject({ status: "denied", output: expect.stringContaining("outside the workspace") });
  expect(existsSync(join(root, "elsewhere/a"))).toBe(true);
});

it("has one digest in each request for what touches the same", async () => {
  const digests = new Set<string | undefined>();
  for (const change of [() => {}, () => {}, pointAt("src")]) {
    change();
    digests.add((await asked("bash", { command: "ls && node link/a" }, () => {})).requests[0]?.touches);
  }
  expect([digests.size, digests.has(undefined)]).toEqual([2, false]);
});
