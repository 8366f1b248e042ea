/** The target that a call reads from beside its own: its ports allow what was claimed there, and nothing else. */
import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { bareHost, bareSession } from "../testing/fakes/bare-host.fixture.js";
import {
  type Claim,
  type ClaimContext,
  createHostContext,
  defineTool,
  type HostServices,
  type PolicyCall,
  type ToolContext,
  targetOf,
  text,
} from "./index.js";

function reader(claims: (context: ClaimContext) => readonly object[], run: (ctx: ToolContext) => Promise<unknown>) {
  return defineTool({
    name: "reader",
    description: "",
    parameters: { type: "object", properties: {}, additionalProperties: false },
    effect: "read",
    sourceParameter: { name: "fromOn", description: "Where it reads." },
    claims: (_, context) => claims(context) as readonly Claim[],
    async run(_, ctx) {
      return text(String(await run(ctx)));
    },
  });
}

const place = (name: string) =>
  createMemoryBackend({ name, cwd: `/${name}`, files: { a: `a of ${name}`, b: `b of ${name}` } });

async function call(
  tool: ReturnType<typeof reader>,
  input: object,
  host: Partial<HostServices> = {},
): Promise<{ readonly output: unknown; readonly code?: string; readonly status: string }> {
  const [one, two] = [targetOf(place("one")), targetOf(place("two"))];
  const targets = { one, two };
  const context = createHostContext({
    host: { ...bareHost(), ...host },
    session: bareSession(),
    target: one,
    targets,
  });
  return tool.invoke({ id: "c", name: "reader", input }, context);
}

const fileClaim = { kind: "file", path: "a", access: ["read"], scope: "self" } as const;
const ofSource = ({ source }: ClaimContext) => [{ ...fileClaim, target: source?.target }];

describe("the source target of a call", () => {
  it("is read where it was claimed, by its own working directory", async () => {
    const tool = reader(ofSource, async ({ source }) => {
      const path = source?.resolve("a") ?? "";
      return `${path}: ${await source?.fs.readText(path)}, ${source?.workspace}`;
    });
    expect((await call(tool, { fromOn: "two" })).output).toBe("/two/a: a of two, /two");
  });

  it("is undefined where it is the call's own or not chosen", async () => {
    const tool = reader(
      () => [fileClaim],
      async (ctx) => `${ctx.source} ${await ctx.fs.readText(ctx.resolve("a"))}`,
    );
    expect((await call(tool, {})).output).toBe("undefined a of one");
    expect((await call(tool, { fromOn: "one" })).output).toBe("undefined a of one");
    expect((await call(tool, { fromOn: null })).output).toBe("undefined a of one");
    expect((await call(tool, { on: "two" })).output).toBe("undefined a of two");
    expect((await call(tool, { on: "two", fromOn: "two" })).output).toBe("undefined a of two");
  });

  it("refuses what was not claimed there, also what was claimed on the call's own target", async () => {
    const reads = (path: string) => (ctx: ToolContext) => ctx.source!.fs.readText(path);
    const writes = (ctx: ToolContext) => ctx.source!.fs.writeFile("/two/a", "x");
    const own = [{ ...fileClaim, path: "/two/b", access: ["read", "write"] }];
    for (const run of [reads("/two/b"), writes])
      expect(
        await call(
          reader((context) => [...ofSource(context), ...own], run),
          { fromOn: "two" },
        ),
      ).toMatchObject({
        code: "CALL_UNCLAIMED",
      });
    const crossed = reader(ofSource, (ctx) => ctx.fs.readText("/two/a"));
    expect(await call(crossed, { fromOn: "two" })).toMatchObject({ code: "CALL_UNCLAIMED" });
  });

  it("ends with the call", async () => {
    let fs: ToolContext["fs"] | undefined;
    const tool = reader(ofSource, async (ctx) => {
      fs = ctx.source?.fs;
      return "";
    });
    await call(tool, { fromOn: "two" });
    await expect(fs?.readText("/two/a")).rejects.toMatchObject({ code: "CALL_REVOKED" });
  });

  it("is claimed by its name, and only to read", async () => {
    const claims: (readonly [object, string])[] = [
      [{ ...fileClaim, target: "three" }, "`target` must be the source target of the call"],
      [{ ...fileClaim, target: "one" }, "`target` must be the source target of the call"],
      [{ ...fileClaim, target: 2 }, "`target` must be a string"],
      [{ ...fileClaim, access: ["read", "write"], target: "two" }, "`access` to the source target must be read"],
    ];
    for (const [claim, why] of claims) {
      const failed = await call(
        reader(
          () => [claim],
          async () => "",
        ),
        { fromOn: "two" },
      );
      expect(failed).toMatchObject({ code: "CALL_MALFORMED", output: expect.stringContaining(why) });
    }
    const none = await call(
      reader(
        () => [{ ...fileClaim, target: "two" }],
        async () => "",
      ),
      {},
    );
    expect(none).toMatchObject({ code: "CALL_MALFORMED" });
  });

  it("is judged by the policy as a call on it, without the name in the claims", async () => {
    const seen: (readonly [readonly Claim[], PolicyCall])[] = [];
    const { policy } = bareHost();
    const watching: HostServices["policy"] = {
      name: "watching",
      decide(claims, about) {
        seen.push([claims, about]);
        return policy.decide(claims, about);
      },
    };
    const tool = reader(
      (context) => [fileClaim, ...ofSource(context)],
      async () => "done",
    );
    expect(await call(tool, { fromOn: "two" }, { policy: watching })).toMatchObject({ status: "ok" });
    expect(seen.map(([claims, about]) => [claims, about.target, about.cwd, about.workspace])).toEqual([
      [[{ ...fileClaim, path: "/two/a" }], "two", "/two", "/two"],
      [[{ ...fileClaim, path: "/one/a" }], "one", "/one", "/one"],
    ]);
  });

  it("asks where either side asks, and denies where either side is denied", async () => {
    const effects = ["allow", "ask", "deny"] as const;
    const tool = reader(
      (context) => [fileClaim, ...ofSource(context)],
      async () => "done",
    );
    const strictest = { allow: "ok", ask: "denied", deny: "denied" } as const;
    for (const one of effects)
      for (const two of effects) {
        const { policy } = bareHost();
        const scripted: HostServices["policy"] = {
          name: "scripted",
          decide(claims, about) {
            const effect = about.target === "one" ? one : two;
            return { ...policy.decide(claims, about), effect, rule: `${effect} on ${about.target}` } as never;
          },
        };
        const asked: string[] = [];
        const approver: HostServices["approver"] = {
          async ask({ rule, reason }) {
            asked.push(`${rule}: ${reason}`);
            return { denied: "No." };
          },
        };
        const done = await call(tool, { fromOn: "two" }, { policy: scripted, approver });
        const worst = [...effects].reverse().find((effect) => [one, two].includes(effect))!;
        expect([one, two, done.status]).toEqual([one, two, strictest[worst]]);
        expect([one, two, asked.length]).toEqual([one, two, worst === "ask" ? 1 : 0]);
        if (worst === "ask") expect(asked[0]?.includes('On "two": ')).toBe(two === "ask");
      }
  });
});
