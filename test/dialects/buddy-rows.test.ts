/** Promises of buddy that a transcript cannot show, each proven by calls that go the whole way. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createMemoryBackend } from "../../src/backends/memory/index.js";
import { buddyDialect } from "../../src/dialects/index.js";
import {
  type ApprovalRequest,
  type Approver,
  BuddyToolError,
  buddyApprover,
  buddyTargetSummary,
  buddyTools,
  createToolkit,
  defineTool,
  text,
} from "../../src/index.js";
import type { Backend, CaptureOptions } from "../../src/kernel/index.js";
import { bareContext, bareHost } from "../../src/testing/fakes/bare-host.fixture.js";
import { fakeClock } from "../../src/testing/fakes/fake-clock.js";
import { withFakeTerminal } from "../../src/testing/fakes/fake-terminal.fixture.js";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { builtinRegistry, type ToolkitOptions } from "../../src/toolkit/index.js";
import { REPOSITORY } from "../architecture/source-tree.js";

const NEEDS_TMUX = "execution failed: an active tmux session is required for";
const memory = () => createMemoryBackend({ cwd: "/project", files: { "a.txt": "one\n" } });

async function buddy(backends: Readonly<Record<string, Backend>>, options: ToolkitOptions = {}) {
  const on = Object.keys(backends);
  const toolkit = await createToolkit({
    dialect: "buddy",
    persist: false,
    autonomy: "full",
    workspace: "/project",
    on,
    backends,
    ...options,
  });
  const box = toolkit.box();
  return {
    box,
    ...buddyTools(box),
    names: box.descriptors().map(({ name }) => name),
    [Symbol.asyncDispose]: async () => void (await toolkit.close()),
  };
}

const failure = (kind: BuddyToolError["kind"], message: unknown) => ({ kind, message });
const ALWAYS = ["run_shell", "read_file", "write_file", "fetch_url", "web_search"];

describe("a tool", () => {
  verifies(["BD-001", "BD-005"], "is a name, an OpenAI function and an execution of JSON text to text", async () => {
    await using host = await buddy({ here: withFakeTerminal(memory()) });
    expect(host.tools.map((tool) => tool.name())).toEqual(host.names);
    for (const tool of host.tools) {
      const { type, function: shown, ...rest } = tool.definition();
      expect([type, Object.keys(shown), rest]).toEqual(["function", ["name", "description", "parameters"], {}]);
      expect(shown.name).toBe(tool.name());
      expect(shown.description).not.toBe("");
      expect(shown.parameters).toMatchObject({ type: "object", properties: expect.any(Object) });
      expect(JSON.parse(JSON.stringify(shown.parameters))).toEqual(shown.parameters);
    }
    expect(host.definitions()).toEqual(host.tools.map((tool) => tool.definition()));
    const [runShell] = host.tools;
    expect(await runShell?.execute('{"command":"echo a"}')).toBe("exit code: 0\nstdout:\na\n\nstderr:\n");
  });

  verifies(["BD-002", "BD-003", "BD-007"], "throws one of two errors", async () => {
    await using host = await buddy({ here: memory() });
    const thrown = (name: string, args: string) =>
      host.execute(name, args).catch((error: unknown) => {
        expect(error).toBeInstanceOf(BuddyToolError);
        const { kind, message } = error as BuddyToolError;
        return [kind, message];
      });
    const invalid = ["InvalidArguments", expect.stringMatching(/^invalid arguments: the arguments .*object/)];
    for (const args of ["{", "[1]", "ls"]) expect(await thrown("run_shell", args)).toEqual(invalid);
    expect(await thrown("nope", "{}")).toEqual(["ExecutionFailed", "execution failed: unknown tool: nope"]);
  });
});

describe("which tools there are", () => {
  verifies("BD-008", "is set by flags; those for panes need a pane, and time is always there", async () => {
    const namesOf = async (toolSettings: ToolkitOptions["toolSettings"], backend: Backend) => {
      await using host = await buddy({ here: backend }, { toolSettings: toolSettings ?? {} });
      return host.names;
    };
    const all = [...ALWAYS, "capture-pane", "send-keys", "time"];
    expect(await namesOf({}, withFakeTerminal(memory()))).toEqual(all);
    const flags = [
      [{ bash: false }, ["run_shell"]],
      [{ read: false, write: false }, ["read_file", "write_file"]],
      [{ webfetch: false }, ["fetch_url"]],
      [{ websearch: false }, ["web_search"]],
    ] as const;
    for (const [settings, missing] of flags)
      expect(await namesOf(settings, withFakeTerminal(memory()))).toEqual(
        all.filter((name) => !(missing as readonly string[]).includes(name)),
      );
    expect(await namesOf({}, memory())).toEqual([...ALWAYS, "time"]);
  });

  verifies(
    ["BD-041", "BD-057", "BD-088"],
    "depends on the target: panes only where it has a terminal, files and waiting everywhere",
    async () => {
      const remote = { terminal: true, open: memory };
      const schemes = { container: remote, ssh: remote };
      const targets: readonly (readonly [target: string, hasPanes: boolean])[] = [
        ["local", false],
        ["local+tmux", true],
        ["local+tmux=current", true],
        ["container:web", false],
        ["container:web+tmux", true],
        ["ssh:build@host", false],
        ["ssh:build@host+tmux=main", true],
      ];
      for (const [on, hasPanes] of targets) {
        await using toolkit = await createToolkit({ dialect: "buddy", persist: false, on, schemes });
        const names = toolkit
          .box()
          .descriptors()
          .map(({ name }) => name);
        expect([on, names]).toEqual([on, [...ALWAYS, ...(hasPanes ? ["capture-pane", "send-keys"] : []), "time"]]);
      }
      await using host = await buddy({ here: withFakeTerminal(memory()) });
      expect(await host.execute("run_shell", '{"command":"echo a"}')).toContain("exit code: 0");
      expect(await host.execute("read_file", '{"path":"a.txt"}')).toBe("one\n");
      expect(await host.execute("write_file", '{"path":"b.txt","content":"b"}')).toBe("Wrote 1 bytes to b.txt");
    },
  );

  verifies(["BD-014", "BD-064", "BD-088"], "and a target without a terminal refuses what needs one", async () => {
    await using host = await buddy({ "container:web": memory(), pane: withFakeTerminal(memory()) });
    for (const [name, args, what] of [
      ["run_shell", { command: "ls", wait: false }, "wait=false"],
      ["capture-pane", {}, "capture-pane"],
      ["send-keys", { enter: true }, "send-keys"],
    ] as const) {
      await expect(host.execute(name, JSON.stringify({ ...args, on: "container:web" }))).rejects.toMatchObject(
        failure("ExecutionFailed", `${NEEDS_TMUX} ${what}`),
      );
    }
    expect(await host.execute("run_shell", '{"command":"ls","wait":false,"on":"pane"}')).toBe(
      "command dispatched to tmux pane %1",
    );
  });
});

describe("capture-pane", () => {
  verifies(
    ["BD-040", "BD-042", "BD-043", "BD-044"],
    "passes each of its arguments on, with the seed's defaults",
    async () => {
      const backend = withFakeTerminal(memory());
      await using host = await buddy({ here: backend });
      const defaults = { join: true, trailing: false, escapes: false, escapeNonPrintable: false, alternate: false };
      const table: readonly (readonly [args: object, options: Partial<CaptureOptions>])[] = [
        [{}, {}],
        [
          { start: "-", end: "-" },
          { from: "-", to: "-" },
        ],
        [
          { start: "-20", end: 5 },
          { from: -20, to: 5 },
        ],
        [{ join_wrapped_lines: false }, { join: false }],
        [{ preserve_trailing_spaces: true }, { trailing: true }],
        [{ include_escape_sequences: true }, { escapes: true }],
        [{ escape_non_printable: true }, { escapeNonPrintable: true }],
        [{ include_alternate_screen: true }, { alternate: true }],
      ];
      for (const [args] of table) await host.execute("capture-pane", JSON.stringify(args));
      expect(backend.fake.captures).toEqual(table.map(([, options]) => ({ ...defaults, ...options })));
      expect(backend.fake.seen).toEqual(table.map(() => "capture %1"));
    },
  );

  verifies("BD-045", "waits before it captures", async () => {
    const tool = builtinRegistry(buddyDialect, { terminal: true }).get("capture-pane");
    const delays: readonly (readonly [args: object, ms: number])[] = [
      [{ delay: "2s" }, 2_000],
      [{ delay: "500MS" }, 500],
      [{ delay: "3" }, 3_000],
      [{ delay: "1m" }, 60_000],
      [{ delay: "1h" }, 3_600_000],
      [{ delay_ms: 250 }, 250],
    ];
    for (const [input, ms] of delays) {
      const backend = withFakeTerminal(memory());
      const clock = fakeClock();
      const running = tool.invoke(
        { id: "c", name: "capture-pane", input },
        bareContext(bareHost({ clock }), { backend }),
      );
      await clock.advance(ms - 1);
      expect([input, backend.fake.seen]).toEqual([input, []]);
      await clock.advance(1);
      expect([input, (await running).isError, backend.fake.seen]).toEqual([input, false, ["capture %1"]]);
    }
  });
});

verifies("W12", "a command that is waited for until it ends is waited for at most a day", async () => {
  const clock = fakeClock();
  const backend = createMemoryBackend({ cwd: "/project", clock });
  const running = builtinRegistry(buddyDialect)
    .get("run_shell")
    .invoke(
      { id: "c", name: "run_shell", input: { command: "echo x > begun; sleep 1000000", wait: true } },
      bareContext(bareHost({ clock }), { backend }),
    );
  await vi.waitFor(async () => expect(await backend.root.fs.exists("/project/begun")).toBe(true));
  await clock.advance(86_400_000 + 10_000);
  expect(
    String((await running).output)
      .replaceAll("\u001b[7m", "")
      .replaceAll("\u001b[27m", ""),
  ).toContain("command timed out after 24h");
});

describe("an approval", () => {
  verifies("BD-023", "comes before anything of the call is reported or run", async () => {
    const order: string[] = [];
    const approver: Approver = buddyApprover(async (question) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(question);
      return "y";
    });
    await using host = await buddy({ here: memory() }, { autonomy: "supervised", approver });
    const onEvent = ({ kind }: { readonly kind: string }) => void order.push(kind);
    const call = { id: "c", name: "run_shell", input: { command: "rm a.txt; echo gone" } };
    expect(await host.box.runner.run(call, { onEvent })).toMatchObject({ isError: false });
    expect(order[0]).toBe("Run: rm a.txt; echo gone [y/N] ");
    expect(order.slice(1)).toContain("output");
  });

  verifies(
    "BD-024",
    "that is not given leaves the command as text, and its question shows no control characters",
    async () => {
      const asked: string[] = [];
      const approver = buddyApprover(async (question) => {
        asked.push(question);
        throw new Error("the terminal was closed");
      });
      await using host = await buddy({ here: memory() }, { autonomy: "supervised", approver });
      const run = (command: string) => host.execute("run_shell", JSON.stringify({ command }));
      await run("rm a.txt # \u001b[2K\u202e").catch(() => undefined);
      expect(asked).toEqual([expect.not.stringMatching(/[\u001b\u202e]/)]);
      expect(await host.execute("read_file", '{"path":"a.txt"}')).toBe("one\n");
    },
  );
});

describe("a question of buddy", () => {
  it("is denied where it cannot be shown whole", async () => {
    const asked: string[] = [];
    const approver = buddyApprover(async (question) => {
      asked.push(question);
      return "y";
    });
    await using host = await buddy({ here: memory() }, { autonomy: "supervised", approver });
    const long = `echo ${"x".repeat(40_000)}; rm a.txt`;
    const outcome = await host.box.runner.run({ id: "c", name: "run_shell", input: { command: long } });
    expect(outcome.status).toBe("denied");
    const keys = { call: { tool: "send_keys" }, arguments: { text: { bytes: 70_019 } }, hasShortenedArguments: true };
    const io = { signal: new AbortController().signal, timeoutMs: 1_000 };
    expect(await approver.ask(keys as unknown as ApprovalRequest, io)).toEqual({ denied: expect.any(String) });
    expect(asked).toEqual([]);
    expect(await host.execute("read_file", '{"path":"a.txt"}')).toBe("one\n");
  });
});

verifies("BD-053", "the time of the harness comes in seven formats, in UTC", async () => {
  const tool = builtinRegistry(buddyDialect).get("time");
  const clock = fakeClock(1_708_900_000_123);
  const at = async (input: object) =>
    (await tool.invoke({ id: "c", name: "time", input }, bareContext(bareHost({ clock }), { backend: memory() })))
      .output;
  expect(await at({})).toBe("1708900000");
  const formats = {
    epoch: "1708900000",
    epoch_ms: "1708900000123",
    epoch_ns: "1708900000123000000",
    iso: "2024-02-25T22:26:40.123Z",
    rfc2822: "Sun, 25 Feb 2024 22:26:40 +0000",
    date: "2024-02-25",
    time: "22:26:40",
  };
  for (const [format, text] of Object.entries(formats)) expect([format, await at({ format })]).toEqual([format, text]);
});

verifies("BD-058", "a target has a summary", () => {
  expect(
    [
      "local",
      "local+tmux=main",
      "container:web",
      "podman:web",
      "docker:web+tmux=ops,shell=pane",
      "ssh:build@host+tmux=main",
    ].map((target) => buddyTargetSummary(target)),
  ).toEqual([
    "local",
    "local (tmux:main)",
    "container:web (via docker)",
    "container:web (via podman)",
    "container:web (via docker, tmux:ops)",
    "ssh:build@host (tmux:main)",
  ]);
  expect(buddyTargetSummary("container:web", "podman")).toBe("container:web (via podman)");
});

verifies("BD-086", "a tool of a host has a recipe, and answers with what it is given", async () => {
  const recipe = readFileSync(join(REPOSITORY, "examples/buddy-tool.mjs"), "utf8");
  expect(recipe).toContain('name: "my_tool"');
  const myTool = defineTool({
    name: "my_tool",
    description: "Does something useful.",
    parameters: { type: "object", properties: { message: { type: "string" } }, required: ["message"] },
    run: ({ message }) => text(`processed: ${message}`),
  });
  await using host = await buddy({ here: memory() }, { tools: [myTool] });
  expect(host.names.at(-1)).toBe("my_tool");
  expect(await host.execute("my_tool", '{"message":"hello"}')).toBe("processed: hello");
  await expect(host.execute("my_tool", "{}")).rejects.toMatchObject({ kind: "InvalidArguments" });
});
