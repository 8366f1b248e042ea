/** For how long, and where, an approval is remembered. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Approval, Policy } from "../kernel/index.js";
import { autonomyPolicy } from "../policy/autonomy-policy.js";
import { approvalsBench, asksBeforeChanges, filesIn, run, write } from "./approvals.fixture.js";

const bench = approvalsBench();

describe("an approval for more than once", () => {
  it("for the project holds in its other sessions and processes, and in no other project", async () => {
    const first = await bench.open({ by: "ada", scope: "project" });
    await run(first.session("s1"), "write", write);
    const again = await bench.open({ denied: "Asked." });
    const outcome = await run(again.session("s2"), "write", { path: "b.txt", content: "" });
    expect(outcome).toMatchObject({ status: "ok", decision: { approver: "remembered" } });
    expect((await run(again.session("s2"), "bash", { command: "true" })).status).toBe("denied");
    const elsewhere = await bench.open({ denied: "Asked." }, { workspace: join(bench.root, "other") });
    expect((await run(elsewhere.session("s1"), "write", write)).status).toBe("denied");
    expect(bench.shown.length).toBe(3);
  });

  it("for a project on a named target does not hold where that name stands for another target", async () => {
    const workspace = join(bench.root, "ws");
    const on = (target: string) => [{ name: "api", target, workspace }];
    const first = await bench.open({ by: "ada", scope: "project" }, { on: on("local") });
    await run(first.session("s1"), "write", write);
    const same = await bench.open({ denied: "Asked." }, { on: on("local") });
    expect((await run(same.session("s2"), "write", write)).decision.approver).toBe("remembered");
    const other = await bench.open({ denied: "Asked." }, { on: on("posix:sh") });
    expect((await run(other.session("s3"), "write", write)).status).toBe("denied");
    expect(bench.shown[1]?.call).toMatchObject({ target: "api", spec: "posix:sh" });
  });

  it.each(["session", "project"] as const)(
    "for the %s holds on the target that it was given for alone",
    async (scope) => {
      const workspace = join(bench.root, "ws");
      const on = [
        { name: "staging", target: "local", workspace },
        { name: "prod", target: "local", workspace },
        { name: "other", target: "posix:sh", workspace },
      ];
      const toolkit = await bench.open({ by: "ada", scope }, { on, policy: autonomyPolicy() });
      const deploy = (on: string) => run(toolkit.session("s"), "bash", { command: "node a.js; true", on });
      for (const target of ["staging", "staging", "prod", "other", "staging"]) await deploy(target);
      expect(bench.shown.map(({ call }) => call.target)).toEqual(["staging", "prod", "other"]);
      expect(
        bench.shown.map(({ rememberedText }) => rememberedText?.map((text) => text.replace(/.*, on /, ""))),
      ).toEqual([['"staging"'], ['"prod"'], ['"other"']]);
    },
  );

  it("is stored without the text of its keys", async () => {
    // UTF-8 has the same bytes for both.
    const KEYS: Readonly<Record<string, string>> = { "echo 1": "\ud800", "echo 2": "\ud801" };
    const remembersCommands: Policy = {
      name: "commands",
      decide: (claims, call) => ({
        ...asksBeforeChanges.decide(claims, call),
        remember: claims.flatMap((claim) => (claim.kind === "command" ? [KEYS[claim.command] ?? claim.command] : [])),
      }),
    };
    const toolkit = await bench.open({ by: "ada", scope: "project" }, { policy: remembersCommands });
    for (const _ of [1, 2]) await run(toolkit, "bash", { command: "echo s3cret" });
    expect(bench.shown.length).toBe(1);
    expect(filesIn(join(bench.root, "state"))).toContain("sinceMs");
    expect(filesIn(join(bench.root, "state"))).not.toContain("s3cret");
    for (const command of ["echo 1", "echo 2"]) await run(toolkit, "bash", { command });
    expect(bench.shown.length).toBe(3);
  });

  it("for the session holds where it continues, in no other session, and not after its end", async () => {
    const first = await bench.open({ by: "ada", scope: "session" });
    await run(first.session("s1"), "write", write);
    await first.close();
    const again = await bench.open({ denied: "Asked." });
    const into = (id: string) => run(again.session(id), "write", { path: "b.txt", content: "" });
    expect((await into("s1")).decision.approver).toBe("remembered");
    expect((await into("s2")).status).toBe("denied");
    await again.session("s1").end();
    expect((await into("s1")).status).toBe("denied");
  });

  it.each(["ended", "ended and begun again"])(
    "for a session that was %s meanwhile is not remembered, and that is reported",
    async (how) => {
      let ask = async (): Promise<Approval> => ({ denied: "Asked." });
      const approver = { ask: () => ask() };
      const [first, second] = [
        await bench.open({ pending: true }, { approver }),
        await bench.open({ pending: true }, { approver }),
      ];
      const session = first.session("s");
      await session.session.todo.replace([]);
      const notices: string[] = [];
      ask = async () => {
        await second.host.state.sessions.end("s");
        if (how !== "ended") await second.session("s").session.todo.replace([]);
        return { by: "ada", scope: "session" };
      };
      const onEvent = (event: { readonly kind: string; readonly message?: string }) =>
        notices.push(event.message ?? event.kind);
      await session.box().runner.run({ id: "c", name: "bash", input: { command: "true" } }, { onEvent });
      expect(notices).toContainEqual(expect.stringContaining("was not remembered for the session"));
      ask = async () => ({ denied: "Asked." });
      for (const one of [second.session("s"), session])
        expect((await run(one, "bash", { command: "true" })).status).toBe("denied");
    },
  );

  it("is not remembered by a session in memory that is closed meanwhile", async () => {
    let isFirst = true;
    const approver = {
      async ask(): Promise<Approval> {
        if (!isFirst) return { denied: "Asked." };
        isFirst = false;
        await toolkit.session("s").end();
        return { by: "ada", scope: "session" };
      },
    };
    const toolkit = await bench.open({ pending: true }, { approver, persist: false, on: "memory", workspace: "/ws" });
    await run(toolkit.session("s"), "write", write);
    expect((await run(toolkit.session("s"), "write", { ...write, path: "b.txt" })).status).toBe("denied");
  });

  it("holds in memory, too, until the session ends", async () => {
    const toolkit = await bench.open(
      { by: "ada", scope: "session" },
      { persist: false, on: "memory", workspace: "/ws" },
    );
    for (const name of ["a.txt", "b.txt"]) await run(toolkit.session("s1"), "write", { ...write, path: name });
    await toolkit.session("s1").close();
    await run(toolkit.session("s1"), "write", write);
    expect(bench.shown.length).toBe(1);
    await toolkit.session("s1").end();
    await run(toolkit.session("s1"), "write", { ...write, path: "c.txt" });
    expect(bench.shown.length).toBe(2);
  });
});
