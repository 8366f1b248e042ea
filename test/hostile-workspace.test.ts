/** An approval for the files of one workspace does not hold for another one that a symlink has been changed to lead to. */
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { type Approval, allowAllPolicy, createToolkit, type Policy } from "../src/index.js";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-workspace-")));
  for (const name of ["p1", "p2"]) mkdirSync(join(root, name));
  symlinkSync("p1", join(root, "current"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const asking: Policy = {
  name: "asking",
  decide(claims, call) {
    const allowed = allowAllPolicy().decide(claims, call);
    return { ...allowed, effect: "ask", rule: "test", reason: "A user decides.", remember: [call.tool] } as ReturnType<
      Policy["decide"]
    >;
  },
};

async function opened(answer: Approval) {
  let asked = 0;
  const approver = {
    async ask() {
      asked += 1;
      return answer;
    },
  };
  const toolkit = await createToolkit({
    workspace: join(root, "current"),
    stateDir: join(root, "state"),
    policy: asking,
    approver,
  });
  const write = (resume?: string) => {
    const call = { id: "c1", name: "write", input: { path: "new.txt", content: "x" } };
    return toolkit
      .session("s")
      .box()
      .runner.run(resume === undefined ? call : { ...call, resume });
  };
  return { toolkit, write, asked: () => asked };
}

function relink() {
  rmSync(join(root, "current"));
  symlinkSync("p2", join(root, "current"));
}

it("refuses a token that was granted for the other workspace", async () => {
  const before = await opened({ pending: true });
  const token = (await before.write()).inputRequired?.token ?? "";
  await before.toolkit.approvals.decide(token, { granted: "ada" });
  await before.toolkit.close();
  relink();
  const after = await opened({ denied: "no" });
  const outcome = await after.write(token);
  await after.toolkit.close();
  expect(outcome).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
  expect(outcome.output).toMatch(/workspace/);
  expect([readdirSync(join(root, "p1")), readdirSync(join(root, "p2"))]).toEqual([[], []]);
});

it("asks again where the other workspace's project was approved", async () => {
  const before = await opened({ by: "ada", scope: "project" });
  expect((await before.write()).status).toBe("ok");
  expect((await before.write()).status).not.toBe("denied");
  expect(before.asked()).toBe(1);
  await before.toolkit.close();
  relink();
  const after = await opened({ denied: "no" });
  expect(await after.write()).toMatchObject({ status: "denied" });
  expect(after.asked()).toBe(1);
  await after.toolkit.close();
  expect(readdirSync(join(root, "p2"))).toEqual([]);
});
