/** Secrets are replaced in all that is shown or stored, and never in what is written to a file. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ApprovalRequest, type CallEvent, defineTool, type Policy } from "../kernel/index.js";
import { allowAllPolicy } from "../policy/index.js";
import { verifies } from "../testing/verifies.fixture.js";
import { createToolkit, type Toolkit, type ToolkitOptions } from "./index.js";
import { serverSecrets } from "./server-secrets.js";

const TOKEN = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const MARK = "⟦redacted:github-token⟧";
const VALUE = "s3cret value/of+ours";

let root: string;
let workspace: string;
let toolkit: Toolkit;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-secrets-")));
  workspace = join(root, "ws");
  mkdirSync(workspace);
});
afterEach(async () => {
  await toolkit?.close();
  rmSync(root, { recursive: true, force: true });
});

async function open(more: Partial<ToolkitOptions> = {}): Promise<Toolkit> {
  toolkit = await createToolkit({ autonomy: "full", workspace, stateDir: join(root, "state"), ...more });
  return toolkit;
}

const file = (name: string) => join(workspace, name);
const call = async (name: string, input: unknown, onEvent?: (event: CallEvent) => void) =>
  toolkit
    .session("one")
    .box()
    .runner.run({ id: "c", name, input }, onEvent === undefined ? {} : { onEvent });

/** Everything below a directory, as one text. */
function allOf(directory: string): string {
  if (!existsSync(directory)) return "";
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

const allowAll = allowAllPolicy();
/** Its reason holds a secret. */
const askingPolicy: Policy = {
  name: "ask",
  decide(claims, about) {
    const decision = allowAll.decide(claims, about);
    return decision.effect === "deny" ? decision : { ...decision, effect: "ask", reason: `of ${TOKEN}` };
  },
};

describe("a secret", () => {
  it("is replaced in the answer and its data, in errors, and in the audit log", async () => {
    await open({ env: { OUR_TOKEN: VALUE, SHORT_KEY: "abc" } });
    writeFileSync(file("c.env"), `A=${TOKEN}\nB=${VALUE}\n`);
    const read = await call("read", { path: "c.env" });
    expect(read.output).toContain(`A=${MARK}`);
    expect(JSON.stringify(read)).not.toMatch(/ghp_|s3cret/);
    const failed = await call("read", { path: `no/${TOKEN}` });
    expect(failed).toMatchObject({ code: "FS_NOT_FOUND", output: expect.stringContaining(MARK) });
    const printed = await call("bash", {
      command: 'echo "$OUR_TOKEN"; printf %s "$OUR_TOKEN" | base64; echo $SHORT_KEY',
    });
    expect(printed.output).toMatch(/⟦redacted:OUR_TOKEN⟧\n⟦redacted:OUR_TOKEN⟧.*\nabc/);
    await toolkit.close();
    const log = allOf(join(root, "state", "audit"));
    expect(log).toContain(MARK);
    expect(log).not.toMatch(/ghp_|s3cret/);
  });

  it("is replaced in events and in artifacts, across the chunks in which it arrives", async () => {
    await open();
    const events: CallEvent[] = [];
    // Each half is printed by itself.
    writeFileSync(file("halves.sh"), `printf %s '${TOKEN.slice(0, 20)}'; sleep 0.2; echo '${TOKEN.slice(20)}'`);
    const printed = await call("bash", { command: "sh halves.sh; seq 1 30000; sh halves.sh" }, (event) =>
      events.push(event),
    );
    const live = events
      .flatMap((event) => (event.kind === "output" ? [new TextDecoder().decode(event.bytes)] : []))
      .join("");
    expect(live).toContain(`${MARK}\n1\n2\n`);
    expect(live + JSON.stringify(printed)).not.toMatch(/ghp_|abcdefghij|ABCDEFGHIJ/);
    expect(printed.artifacts).toHaveLength(1);
    const stored = allOf(join(root, "state", "sessions"));
    expect(stored).toContain(`30000\n${MARK}\n`);
    expect(stored).not.toMatch(/ghp_|abcdefghij|ABCDEFGHIJ/);
  });

  it("is replaced in the output of a job, also where a poll would see its first half", async () => {
    await open();
    writeFileSync(file("halves.sh"), `printf 'x %s' '${TOKEN.slice(0, 20)}'; read go; echo '${TOKEN.slice(20)} end'`);
    const started = await call("process", { action: "start", command: "sh halves.sh" });
    const id = (started.data as { job: { id: string } }).job.id;
    const first = await call("process", { action: "poll", id });
    const written = await call("process", { action: "write", id, input: "go\n" });
    const rest = await call("process", { action: "wait", id });
    const outputs = [started, first, written, rest].map((one) => JSON.stringify(one.data));
    expect(outputs.join("")).not.toMatch(/ghp_|abcdefghij|ABCDEFGHIJ/);
    expect(outputs.join("")).toContain(`${MARK} end`);
  });

  it("is replaced in what a user is asked", async () => {
    const asked: ApprovalRequest[] = [];
    const approver = {
      async ask(request: ApprovalRequest) {
        asked.push(request);
        return { pending: true as const };
      },
    };
    await open({ policy: askingPolicy, approver });
    await call("bash", { command: `echo ${TOKEN}` });
    expect(asked).toMatchObject([{ arguments: { command: `echo ${MARK}` }, reason: `of ${MARK}` }]);
    expect(allOf(join(root, "state"))).not.toContain("ghp_");
  });

  it("is kept in files: edits beside it do not change it, and a mark is not written in its place", async () => {
    await open();
    const text = `A=${TOKEN}\nB=1\n`;
    writeFileSync(file("c.txt"), text);
    await call("read", { path: "c.txt" });
    expect(await call("write", { path: "c.txt", content: `A=${MARK}\nB=2\n` })).toMatchObject({ status: "invalid" });
    expect(await call("edit", { path: "c.txt", oldText: `A=${MARK}\nB=1`, newText: "B=2" })).toMatchObject({
      status: "invalid",
      output: expect.stringContaining("a secret that is not shown"),
    });
    expect(readFileSync(file("c.txt"), "utf8")).toBe(text);
    const edited = await call("edit", { path: "c.txt", oldText: "B=1", newText: "B=2" });
    expect(edited.output).toContain(` A=${MARK}`);
    expect(readFileSync(file("c.txt"), "utf8")).toBe(`A=${TOKEN}\nB=2\n`);
  });

  it("can be restored from the backup of a deleted file, which is not shown either", async () => {
    await open();
    writeFileSync(file("c.txt"), `A=${TOKEN}\n`);
    const deleted = await call("delete", { path: "c.txt" });
    const artifact = deleted.artifacts[0] ?? "";
    expect(allOf(join(root, "state", "sessions"))).toContain(`A=${TOKEN}\n`);
    expect((await call("read", { path: `artifact:${artifact}` })).output).not.toContain("ghp_");
  });

  it("is replaced in the preview of an explanation", async () => {
    await open({ policy: askingPolicy });
    const input = { path: "new.txt", content: `A=${TOKEN}\n` };
    const explained = await toolkit.session("one").box().explain({ id: "c", name: "write", input });
    expect(explained).toMatchObject({
      needsApproval: true,
      request: { hidden: { lines: 1 }, preview: { kind: "diff", path: file("new.txt") } },
    });
    expect(explained?.request?.preview).toMatchObject({ diff: expect.stringContaining(`+A=${MARK}`) });
    expect(JSON.stringify(explained?.request)).not.toContain("ghp_");
  });

  describe("in arguments that came as JSON text is hidden, however it is escaped", () => {
    const PASSWORD = "päss/wörd\nof ours";
    const escaped = (text: string) =>
      text.replace(/./gs, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const partly = (text: string) => text.replace("ä", "\\u00e4").replace("/", "\\/").replace("\n", "\\n");
    const json = (text: string) => `{"path":"new.txt","content":"${text}"}`;
    const within = (text: string) => JSON.stringify({ path: "a.txt", edits: `[{"oldText":"a","newText":"${text}"}]` });
    const decoded = (text: string): string => {
      const next = text.replace(/\\u([\da-f]{4})|\\(.)/g, (_, code, short) =>
        code === undefined ? (short === "n" ? "\n" : short) : String.fromCharCode(Number.parseInt(code, 16)),
      );
      return next === text ? text : text + decoded(next);
    };
    it.each([
      ["write", json(partly(PASSWORD)), "ok"],
      ["write", json(escaped(PASSWORD)), "ok"],
      ["write", json(escaped(TOKEN)), "ok"],
      ["write", `${json(`\\u0067${TOKEN.slice(1)}`)} and more`, "invalid"],
      ["write", json(escaped(PASSWORD)).slice(0, -1), "invalid"],
      ["write", `\`\`\`json\n${json(escaped(TOKEN))}\n\`\`\``, "ok"],
      ["write", JSON.stringify(json(escaped(PASSWORD))), "invalid"],
      ["write", escaped(TOKEN), "invalid"],
      ["write", { unparsed: json(escaped(TOKEN)) }, "invalid"],
      ["edit", within(escaped(PASSWORD)), "ok"],
      ["edit", within(partly(PASSWORD)), "ok"],
      ["edit", { path: "a.txt", edits: `[{"oldText":"a","newText":"${escaped(TOKEN)}"}]` }, "ok"],
      ["edit", { path: "a.txt", edits: `${escaped(TOKEN)}` }, "invalid"],
      ["unknown", json(escaped(PASSWORD)), "unknown-tool"],
      [escaped("ghp_") + TOKEN.slice(4), {}, "unknown-tool"],
    ])("%s %j", async (name, input, status) => {
      await open({ secrets: [PASSWORD] });
      writeFileSync(file("a.txt"), "a");
      const outcome = await call(name, input);
      expect(outcome.status).toBe(status);
      const log = allOf(join(root, "state", "audit"));
      expect(log).toContain("⟦redacted:");
      expect(decoded(log)).not.toMatch(/ghp_|of ours/);
      if (status !== "ok") expect(decoded(String(outcome.output))).not.toMatch(/ghp_|of ours/);
    });

    it("and the arguments are logged as an object, as those of other callers are", async () => {
      await open();
      await call("write", `{"path":"new.txt","content":"\\u0061"}`);
      await call("write", `{"path":`);
      const inputs = allOf(join(root, "state", "audit"))
        .split("\n")
        .flatMap((line) => (line.startsWith("{") && "input" in JSON.parse(line) ? [JSON.parse(line).input] : []));
      expect(inputs).toEqual(['{"path":"new.txt","content":"a"}', '"{\\"path\\":"']);
    });
  });

  it("is hidden by value with `secrets`, and shown with `redactor: false`", async () => {
    await open({ secrets: [VALUE, { name: "db", value: "another one" }], persist: false });
    expect((await call("bash", { command: `echo "${VALUE}; another one"` })).output).toContain(
      "⟦redacted:secret⟧; ⟦redacted:db⟧",
    );
    await toolkit.close();
    await open({ redactor: false, persist: false });
    expect((await call("bash", { command: `echo ${TOKEN}` })).output).toContain(TOKEN);
  });

  it("is refused as an option where it would hide ordinary text, or where nothing would use it", async () => {
    await expect(createToolkit({ secrets: ["short"] })).rejects.toThrow(/`secrets\[0\]` has 5 characters.*at least 8/);
    for (const secrets of [{ a: 1 }, VALUE, 5])
      await expect(createToolkit({ secrets: secrets as never })).rejects.toMatchObject({
        code: "CONFIG_INVALID",
        message: expect.stringContaining("`secrets` must be an array"),
      });
    await expect(createToolkit({ secrets: [5 as never] })).rejects.toThrow(/must be a string, or/);
    await expect(createToolkit({ secrets: [VALUE], redactor: false })).rejects.toThrow(/Remove `redactor: false`/);
    await expect(createToolkit({ redactor: {} as never })).rejects.toThrow(/has no method `redact`/);
  });

  it("is found line by line with a redactor that knows nothing of parts", async () => {
    const redactor = { redact: (text: string) => text.replaceAll("hush-hush", "[gone]") };
    await open({ redactor, persist: false });
    const shown: string[] = [];
    await call("bash", { command: "printf hush; sleep 0.2; echo -hush" }, (event) => {
      if (event.kind === "output") shown.push(new TextDecoder().decode(event.bytes));
    });
    expect(shown).toEqual(["[gone]\n"]);
  });

  it("does not change the output of a tool that is not text", async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 7919) % 256);
    const store = defineTool({
      name: "store",
      description: "Stores bytes",
      input: { type: "object", properties: {} },
      effect: "none",
      async run(_input, ctx) {
        const writer = await ctx.artifacts.create({ what: "bytes" });
        for (let at = 0; at < bytes.length; at += 999) await writer.write(bytes.subarray(at, at + 999));
        const { keptBytes } = await writer.end();
        const part = await ctx.artifacts.read(writer.id, 0, keptBytes);
        const same = typeof part !== "string" && Buffer.compare(part.bytes, bytes) === 0;
        return { isError: false, content: [{ kind: "text", text: String(same) }] };
      },
    });
    await open({ tools: [store], persist: false });
    expect((await call("store", {})).output).toBe("true");
  });
});

describe("the variables of a command", () => {
  const ALLOWED =
    /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|XDG_\w+|TERM|PWD|OLDPWD|SHLVL|_|PAGER|GIT_\w+|EDITOR|NO_COLOR|HAFT_\w+|GIVEN)$/;
  for (const on of ["local", "posix:sh"])
    verifies("ZC-017", `on ${on} are a few of the host's, those of \`env\`, and no others`, async () => {
      process.env.HAFT_SECRETS_PROBE = "not for commands";
      process.env.SECRET_KEY = "not for commands";
      try {
        await open({ on, env: { GIVEN: "for commands" } });
        const { output } = await call("bash", { command: "env" });
        const names = [...String(output).matchAll(/^(\w+)=/gm)].map(([, name = ""]) => name);
        expect(names).toEqual(expect.arrayContaining(["PATH", "HOME", "GIVEN"]));
        expect(names.filter((name) => !ALLOWED.test(name))).toEqual([]);
        expect(output).not.toContain("not for commands");
      } finally {
        delete process.env.HAFT_SECRETS_PROBE;
        delete process.env.SECRET_KEY;
      }
    });
});

it("what a configuration passes to other servers is secret by the names of variables and headers", () => {
  const variables: Record<string, string> = {
    HUB_TOKEN: "hub-0123456789",
    PLACE: "not-a-secret",
    PIN_CODE: "12345678",
  };
  const { secrets, ignored } = serverSecrets(
    {
      one: {
        command: "x",
        args: ["--token=$" + "{HUB_TOKEN}", "$" + "{PLACE}"],
        env: { API_KEY: "key-0123456789", WEAK_TOKEN: "dev" },
      },
      two: { url: "https://h", headers: { Authorization: "Bearer header-0123", "X-Trace": "trace-01234567" } },
    },
    (name) => variables[name],
  );
  expect(secrets).toEqual([
    { name: "HUB_TOKEN", value: "hub-0123456789" },
    { name: "API_KEY", value: "key-0123456789" },
    { name: "Authorization", value: "header-0123" },
  ]);
  expect(ignored).toEqual(["The value of WEAK_TOKEN is not redacted: it has 3 characters, and at least 8 are needed."]);
});
