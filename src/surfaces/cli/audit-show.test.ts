/** `haft audit show` and `haft audit verify`, over the life of calls that a user was asked about. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Approval, Policy } from "../../kernel/index.js";
import { allowAllPolicy } from "../../policy/index.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { createToolkit } from "../../toolkit/index.js";

const place = cliPlace();
const haft = (...args: readonly string[]) => place.inProcess(args);
const allowAll = allowAllPolicy();

/** Denies `time`, and asks about commands. */
const policy: Policy = {
  name: "careful",
  decide(claims, call) {
    if (call.tool === "read") return { effect: "deny", rule: "no-reads", risk: "low", reason: "Not today." };
    const decision = allowAll.decide(claims, call);
    if (decision.effect !== "allow" || call.tool !== "bash") return decision;
    const asked = { effect: "ask", rule: "commands", risk: "medium", reason: "A command." } as const;
    return { ...decision, ...asked, remember: ["bash"], rememberedText: ["every command"] };
  },
};

interface Asked {
  /** Absent: the approver does not answer. */
  readonly answer?: Approval;
  readonly tool?: string;
  readonly hasApprover?: boolean;
  readonly resume?: string;
}

async function run(id: string, { answer, tool = "bash", hasApprover = true, resume }: Asked) {
  const approver = { ask: () => (answer === undefined ? new Promise<never>(() => {}) : Promise.resolve(answer)) };
  const toolkit = await createToolkit({
    workspace: place.workspace,
    stateDir: place.state(),
    policy,
    approvalTimeoutMs: 50,
    ...(hasApprover ? { approver } : {}),
  });
  const input = tool === "bash" ? { command: "echo hi" } : { path: "a.txt" };
  const outcome = await toolkit
    .session("one")
    .box()
    .runner.run({ id, name: tool, input, ...(resume === undefined ? {} : { resume }) });
  const token = outcome.inputRequired?.token;
  if (token !== undefined) await toolkit.approvals.decide(token, { granted: "eve" });
  await toolkit.close();
  return { ...outcome, token };
}

describe("haft audit show", () => {
  verifies("ZC-100", "has an entry for each call that was refused, and for what came of each question", async () => {
    await run("denied-by-rule", { tool: "read" });
    await run("nobody", { hasApprover: false });
    await run("silence", {});
    await run("no", { answer: { denied: "No." } });
    const { token } = await run("later", { answer: { pending: true } });
    await run("resumed", { resume: token! });
    await run("used", { resume: token! });
    await run("yes", { answer: { by: "ada", scope: "session" } });
    await run("again", {});
    const { stdout, status } = await haft("audit");
    expect(status).toBe(0);
    const rows = stdout.trimEnd().split("\n");
    const expected = [
      /denied +read .*\(denied by the rule "no-reads"\)/,
      /denied +bash .*\(it needs an approval, and no user could be asked\)/,
      /denied +bash .*\(approval timed out\)/,
      /denied +bash .*\(approval denied\)/,
      /input-required +bash .*\(approval requested\)/,
      /ok +bash .*\(approval granted by eve\)/,
      /denied +bash .*\(the approval was not for this call\)/,
      /ok +bash .*\(approval granted by ada for the session: every command, on "local"\)/,
      /ok +bash .*\(approval remembered\)/,
    ];
    expect(rows).toEqual(expected.map((pattern) => expect.stringMatching(pattern)));
    const granted = (await haft("audit", "show", "--call", "yes")).stdout;
    const id = rows[7]!.split("  ").at(-1)!;
    expect((await haft("audit", "show", "--call", id)).stdout).toBe(granted);
    expect(granted.replace(/^time .*\n/m, "").replace(/^digest .*\n/m, "")).toBe(
      `call      ${id} (yes)\n` +
        "tool      bash\n" +
        `target    local in ${place.workspace}\n` +
        "session   one\n" +
        "status    ok\n" +
        'decision  ask, risk medium, by the rule "commands"\n' +
        'approval  approval granted by ada for the session: every command, on "local"\n' +
        `touches   the command "echo hi" in ${place.workspace}\n` +
        'input     {"command":"echo hi"}\n',
    );
  });

  it("reports a call that is not in the log, and JSON of one that is", async () => {
    await run("yes", { answer: { by: "ada", scope: "project" } });
    const { calls } = JSON.parse((await haft("audit", "show", "one", "--call", "yes", "--json")).stdout);
    expect(calls).toMatchObject([{ callId: "yes", end: { approval: "granted", risk: "medium", approver: "ada" } }]);
    expect(calls[0].end.remembered).toEqual({ scope: "project", text: [`every command, on "local"`] });
    expect(await haft("audit", "--call", "nope")).toMatchObject({
      status: 1,
      stdout: "",
      stderr: 'haft: no call "nope" in the audit log. `haft audit` lists the calls with their ids.\n',
    });
  });
});

describe("haft audit verify", () => {
  it("says that the log is intact or empty, or names each place where it was changed", async () => {
    const empty = await haft("audit", "verify");
    expect(empty).toMatchObject({ status: 0, stdout: "", stderr: expect.stringMatching(/the audit log is empty\. /) });
    await run("no", { answer: { denied: "No." } });
    expect(await haft("audit", "verify")).toMatchObject({
      status: 0,
      stdout: "The audit log is intact: 1 call.\n",
      stderr: "",
    });
    const [name = ""] = readdirSync(place.state("audit")).filter((one) => one.endsWith(".jsonl"));
    const path = place.state("audit", name);
    writeFileSync(path, readFileSync(path, "utf8").replace('"ask"', '"deny"'));
    const broken = await haft("audit", "verify");
    expect(broken).toMatchObject({
      status: 1,
      stdout: "",
      stderr: `haft: line 3 of ${name}: its content was changed\n`,
    });
    const json = await haft("audit", "verify", "--json");
    expect(json.status).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ isIntact: false, calls: 1, problems: [{ file: name, line: 3 }] });
  });
});
