/** What a user approves of a command: the places that its paths led to when it was asked about. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Approval, type ApprovalRequest, createToolkit } from "../src/index.js";

let root: string;
let ws: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-places-")));
  ws = join(root, "ws");
  for (const name of ["ws/one", "ws/two", "ws/.git", "out"]) mkdirSync(join(root, name), { recursive: true });
  symlinkSync("one", join(ws, "current"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function relink(target: string) {
  rmSync(join(ws, "current"));
  symlinkSync(target, join(ws, "current"));
}

async function opened(answer: Approval, autonomy: "supervised" | "readonly" = "supervised") {
  const asked: ApprovalRequest[] = [];
  const approver = {
    async ask(request: ApprovalRequest) {
      asked.push(request);
      return answer;
    },
  };
  const toolkit = await createToolkit({ workspace: ws, stateDir: join(root, "state"), autonomy, approver });
  const run = (command: string, resume?: string) => {
    const call = { id: "c1", name: "bash", input: { command } };
    return toolkit
      .session("s")
      .box()
      .runner.run(resume === undefined ? call : { ...call, resume });
  };
  return { toolkit, run, asked };
}

describe("an approval of a command", () => {
  it("names the real place, and ends when a path leads elsewhere", async () => {
    const { toolkit, run, asked } = await opened({ pending: true });
    const token = (await run("truncate -s0 current/a")).inputRequired?.token ?? "";
    expect(asked[0]?.reason).toContain("truncate -s0 current/a");
    await toolkit.approvals.decide(token, { granted: "ada" });
    relink("two");
    const outcome = await run("truncate -s0 current/a", token);
    expect(outcome).toMatchObject({ status: "denied" });
    expect(outcome.output).toContain("other than what was approved");
    relink("one");
    expect(await run("truncate -s0 current/a", token)).toMatchObject({ status: "ok" });
    await toolkit.close();
  });

  it("that is remembered holds for the same places only", async () => {
    const { toolkit, run, asked } = await opened({ by: "ada", scope: "session" });
    expect((await run("truncate -s0 current/a")).status).toBe("ok");
    expect((await run("truncate -s0 current/a")).status).toBe("ok");
    expect(asked).toHaveLength(1);
    relink("two");
    expect((await run("truncate -s0 current/a")).status).toBe("ok");
    expect(asked).toHaveLength(2);
    relink(".git");
    await run("truncate -s0 current/config");
    expect(asked[2]?.reason).toContain(`leads to "${join(ws, ".git/config")}"`);
    await toolkit.close();
  });
});

describe("what cannot be looked at", () => {
  it("is asked about: more paths than are resolved, and more matches than are judged", async () => {
    const { toolkit, run, asked } = await opened({ denied: "no" });
    for (let index = 0; index < 210; index++) writeFileSync(join(ws, "two", `k${index}.pem`), "");
    const many = Array.from({ length: 210 }, (_, index) => `f${index}`).join(" ");
    expect((await run(`wc -l ${many}`)).status).toBe("denied");
    expect((await run("wc -l two/*.pem")).status).toBe("denied");
    expect(asked.map(({ rule }) => rule)).toEqual([
      "command-unresolved",
      expect.stringMatching(/sensitive|unsearched/),
    ]);
    await toolkit.close();
  });

  it("is refused in a readonly session", async () => {
    const { toolkit, run } = await opened({ by: "ada", scope: "once" }, "readonly");
    relink(join(root, "out"));
    expect(await run("ls current/x")).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect((await run("ls one")).status).toBe("ok");
    await toolkit.close();
  });
});
