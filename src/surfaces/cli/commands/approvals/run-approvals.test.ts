/** That a user decides on calls that wait, from another process on the same state directory. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ToolOutcome } from "../../../../kernel/index.js";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { createToolkit, type Toolkit } from "../../../../toolkit/index.js";

const place = cliPlace();
const haft = (...args: readonly string[]) => place.inProcess(["approvals", ...args, "--state", join(place.root, "st")]);
let toolkit: Toolkit;
beforeEach(async () => {
  toolkit = await createToolkit({
    workspace: place.workspace,
    stateDir: join(place.root, "st"),
    autonomy: "supervised",
    approver: { ask: async () => ({ pending: true }) },
  });
});
afterEach(() => toolkit.close());

const session = () => toolkit.session("shop");
const call = (name: string, input: object): Promise<ToolOutcome> =>
  session().box().runner.run({ id: "c", name, input });
const bash = (command = "sh run.sh") => call("bash", { command });
const tokenOf = ({ inputRequired }: ToolOutcome) => inputRequired?.token.replace("approval-", "") ?? "";

describe("haft approvals", () => {
  beforeEach(() => writeFileSync(join(place.workspace, "run.sh"), "echo ran\n"));

  it("says what to do when nothing waits", async () => {
    expect(await haft()).toMatchObject({ status: 0, stdout: "", stderr: expect.stringContaining("haft serve") });
    expect(await haft("list", "--json")).toMatchObject({ status: 0, stdout: "[]\n" });
  });

  it("lists and shows what waits, with hidden characters in sight", async () => {
    const token = tokenOf(await bash("sh run.sh \u202e\u200b"));
    const listed = await place.haft(["approvals", "--state", join(place.root, "st")]);
    expect(listed.stdout).toMatch(/^TOKEN +AGE +SESSION +TOOL +WHAT\n/);
    expect(listed.stdout).toContain(`${token.slice(0, 8)}  now  shop     bash  sh run.sh \\u202e\\u200b\n`);
    const shown = (await haft("show", token.slice(0, 6))).stdout;
    expect(shown).toContain("bash would run this command:\n│ sh run.sh \\u202e\\u200b\n");
    expect(shown).toContain(`haft approvals grant ${token.slice(0, 8)}`);
    expect(JSON.parse((await haft("show", token, "--json")).stdout)).toMatchObject({ call: { session: "shop" } });
  });

  it("names the target in the list and to the model, where a call is not for this machine", async () => {
    const other = await createToolkit({
      on: [{ name: "pod", target: "memory" }],
      stateDir: join(place.root, "st"),
      autonomy: "supervised",
      approver: { ask: async () => ({ pending: true }) },
    });
    await other
      .session("two")
      .box()
      .runner.run({ id: "w", name: "write", input: { path: "a.txt", content: "a" } });
    const asked = await other
      .session("two")
      .box()
      .runner.run({ id: "c", name: "bash", input: { command: "rm a.txt" } });
    await other.close();
    expect(asked.output).toMatch(/^Did not run `bash` on "pod" yet: approval is pending\. /);
    const here = await bash();
    expect(here.output).toMatch(/^Did not run `bash` yet: approval is pending\. /);
    const { stdout } = await haft();
    expect(stdout).toMatch(/^TOKEN +AGE +SESSION +TARGET +TOOL +WHAT\n/);
    expect(stdout).toContain("now  two      pod     bash  rm a.txt\n");
    expect(stdout).toContain("now  shop     local   bash  sh run.sh\n");
  });

  it("allows one call once, and it runs when it is sent again", async () => {
    const waiting = await bash();
    const granted = await place.haft([
      "approvals",
      "grant",
      tokenOf(waiting).slice(0, 9),
      "--state",
      join(place.root, "st"),
    ]);
    expect(granted).toMatchObject({ status: 0, stderr: expect.stringContaining("once") });
    expect((await bash("sh run.sh other")).status).toBe("input-required");
    expect((await bash()).output).toContain("ran");
    expect((await bash()).status).toBe("input-required");
  });

  it("allows it for the project, and not where the policy asks each time", async () => {
    await haft("grant", tokenOf(await bash()), "--project");
    expect((await bash()).output).toContain("ran");
    expect((await bash()).decision.approver).toBe("remembered");
    const token = tokenOf(await call("delete", { path: "run.sh" }));
    expect(await haft("grant", token, "--session")).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("--session has no effect"),
    });
    expect(await haft("grant", token, "--session", "--project")).toMatchObject({ status: 2 });
    expect((await call("delete", { path: "run.sh" })).status).toBe("input-required");
  });

  it("denies it with a reason, and withdraws a grant", async () => {
    const token = tokenOf(await bash());
    await haft("grant", token);
    expect(await haft("deny", token, "--reason", "Use make.")).toMatchObject({ status: 0 });
    expect(await haft("grant", token)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining("denied: Use make."),
    });
    expect((await bash()).output).toBe("Did not run `bash`: Use make.");
  });

  it("finds a token by its unique beginning only", async () => {
    await Promise.all([bash("sh run.sh 1"), bash("sh run.sh 2")]);
    for (const token of ["", "approval-", "zz"])
      expect(await haft("grant", token)).toMatchObject({ status: 1, stderr: expect.stringContaining("did not find") });
    expect((await toolkit.approvals.list({ pending: true })).length).toBe(2);
  });

  it("writes each decision to the audit log, with who made it", async () => {
    const token = tokenOf(await bash());
    await haft("grant", token);
    await bash();
    const { calls, problems } = JSON.parse(
      (await place.inProcess(["audit", "--json", "--state", join(place.root, "st")])).stdout,
    );
    expect(problems).toEqual([]);
    const [asked, decided, ran] = calls;
    expect(asked).toMatchObject({ tool: "bash", status: "input-required", end: { approval: "pending" } });
    expect(decided).toMatchObject({ tool: "approvals", status: "ok", sessionId: "shop" });
    expect(JSON.parse(decided.input)).toMatchObject({ token: `approval-${token}`, tool: "bash" });
    expect(decided.end.approver).toBe(ran.end.approver);
    expect(ran.end).toMatchObject({ approval: "granted", effect: "ask", rule: "workspace-code" });
  });
});
