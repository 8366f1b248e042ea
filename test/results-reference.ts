/** `docs/reference/results.md`: the fields of an outcome's `structured`, from calls of every tool. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMemoryBackend } from "../src/backends/memory/index.js";
import type { ToolOutcome } from "../src/kernel/index.js";
import { sqliteDriver, sqliteState } from "../src/stores/sqlite/index.js";
import { exampleInput } from "../src/testing/example-input.fixture.js";
import { bareContext, bareHost } from "../src/testing/fakes/bare-host.fixture.js";
import { fakeHttp } from "../src/testing/fakes/fake-http.js";
import { withFakeTerminal } from "../src/testing/fakes/fake-terminal.fixture.js";
import { builtinRegistry, createToolkit } from "../src/toolkit/index.js";

type Call = readonly [tool: string, input: Readonly<Record<string, unknown>>];

/**
 * Calls that make a tool report all its fields. `$id` is replaced by the job id of an earlier call. A tool without one is
 * called with its required parameters.
 */
const CALLS: readonly Call[] = [
  ["write", { path: "a.txt", content: "one\ntwo\nthree\n" }],
  ["read", { path: "a.txt", limit: 1 }],
  ["ls", {}],
  ["grep", { pattern: "o", limit: 1 }],
  ["grep", { pattern: "o", mode: "count" }],
  ["find", { query: "*.txt" }],
  ["edit", { path: "a.txt", oldText: "two", newText: "2" }],
  ["copy", { from: "a.txt", to: "c.txt" }],
  ["copy", { from: "a.txt", to: "a.txt", on: "other", fromOn: "memory" }],
  ["move", { from: "a.txt", to: "b.txt" }],
  ["delete", { path: "b.txt" }],
  ["bash", { command: "echo out; echo err >&2" }],
  ["process", { action: "list" }],
  ["process", { action: "start", command: "sleep 60" }],
  ["process", { action: "list" }],
  ["process", { action: "stop", id: "$id" }],
  ["todo_set", { items: [{ id: "1", text: "a", status: "pending" }] }],
  ["todo_read", {}],
  ["time", {}],
];

/** Calls of tools that reach the network, which is one page here. */
const WEB_CALLS: readonly Call[] = [
  ["webfetch", { url: "https://example.com/" }],
  ["webfetch", { url: "https://example.com/" }],
  ["websearch", { query: "a" }],
  ["http_request", { url: "https://example.com/" }],
  ["http_request", { url: "https://example.com/", saveTo: "/workspace/page.html" }],
];

const PANE_CALLS: readonly Call[] = [
  ["bash", { command: "make", background: true }],
  ["capture_pane", {}],
  ["send_keys", { text: "ls", enter: true }],
  ["panes", { action: "list" }],
  ["panes", { action: "close", pane: "%1" }],
];

const MEMORY_CALLS: readonly Call[] = [
  ["memory_store", { key: "a", content: "one" }],
  ["memory_store", { key: "a", content: "two" }],
  ["memory_recall", { query: "two" }],
  ["memory_forget", { key: "a" }],
];

const SCHEDULE_CALLS: readonly Call[] = [
  ["cron_add", { schedule: "0 9 * * *", command: "true", name: "daily" }],
  ["cron_run", { id: "daily" }],
  ["cron_runs", {}],
  ["cron_list", {}],
  ["cron_update", { id: "daily", enabled: false }],
  ["cron_remove", { id: "daily" }],
];

async function callStateTools(reported: (name: string, outcome: ToolOutcome) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "haft-memory-"));
  const state = sqliteState({ driver: sqliteDriver()!, path: join(directory, "state.db") });
  const registry = builtinRegistry(undefined, { memories: true, schedules: true });
  const context = bareContext(bareHost({ state }), { backend: createMemoryBackend() });
  for (const [name, input] of [...MEMORY_CALLS, ...SCHEDULE_CALLS])
    reported(name, await registry.get(name).invoke({ id: "1", name, input }, context));
  await state.close();
  rmSync(directory, { recursive: true });
}

const PAGE = `<title>A</title><a class="result__a" href="https://example.com/">A</a><p class="result__snippet">B</p>${"<p>text</p>".repeat(10_000)}`;
const fakeWeb = fakeHttp(() => ({ headers: [["content-type", "text/html"]], body: PAGE }));

export async function resultsReference(): Promise<string> {
  const fields = new Map<string, Map<string, string>>();
  const reported = (
    name: string,
    { structured, status, output }: Pick<ToolOutcome, "structured" | "status" | "output">,
  ) => {
    if (status !== "ok") throw new Error(`${name}: ${String(output)} Add a call that succeeds to CALLS.`);
    const known = fields.get(name) ?? new Map<string, string>();
    fields.set(name, known);
    collect(structured, "", known);
  };
  const toolkit = await createToolkit({ autonomy: "full", on: ["memory", "other=memory"], persist: false });
  try {
    const box = toolkit.box();
    let id: unknown;
    const called = new Set([...CALLS, ...WEB_CALLS].map(([name]) => name));
    const others = box.descriptors().filter(({ name }) => !called.has(name));
    const smallest = others.map(({ name, parameters }): Call => [name, exampleInput(parameters, "a.txt")]);
    for (const [name, input] of [...CALLS, ...(smallest.length === 0 ? [] : CALLS.slice(0, 1)), ...smallest]) {
      const given = Object.fromEntries(
        Object.entries(input).map(([key, value]) => [key, value === "$id" ? id : value]),
      );
      const outcome = await box.runner.run({ id: "1", name, input: given });
      reported(name, outcome);
      id = (outcome.structured as { readonly job?: { readonly id?: unknown } } | undefined)?.job?.id ?? id;
    }
  } finally {
    await toolkit.close();
  }
  const context = bareContext(bareHost({ http: fakeWeb }), { backend: createMemoryBackend() });
  for (const [name, input] of WEB_CALLS)
    reported(name, await builtinRegistry().get(name).invoke({ id: "1", name, input }, context));
  const ofTerminal = builtinRegistry(undefined, { terminal: true });
  for (const [name, input] of PANE_CALLS) {
    const paneContext = bareContext(bareHost(), { backend: withFakeTerminal(createMemoryBackend()) });
    reported(name, await ofTerminal.get(name).invoke({ id: "1", name, input }, paneContext));
  }
  await callStateTools(reported);
  const rows = [...fields].map(([tool, known]) => {
    const shown = [...known].map(([path, kind]) => `\`${path}\` (${kind})`);
    return `| \`${tool}\` | ${shown.join(", ") || "none"} |`;
  });
  return `${HEAD}${rows.join("\n")}\n`;
}

const HEAD = `# Result fields

<!-- Written by \`npx vitest run test/results-reference.test.ts -u\` from calls of every tool; do not edit. -->

The fields that \`runner.run(call)\` returns and \`haft call … --json\` prints.

| field | |
| --- | --- |
| \`output\` | what the model reads: one text, one JSON value, or a list of blocks |
| \`isError\`, \`status\`, \`code\` | how it ended: [error codes](errors.md) |
| \`structured\` | facts in fields, listed below by tool |
| \`truncations\` | what was truncated: the original size, the size shown, the artifact with the rest |
| \`artifacts\` | the ids of those artifacts |
| \`repairs\` | what was corrected in the arguments, as sentences |
| \`decision\` | what policy decided, and by which rule |
| \`audit\` | the id of the call in the audit log |

## \`structured\`, by tool

As reported by successful calls in Haft's own dialect. A field that does not apply is absent, or null where that is shown. \`[]\` is
each item of an array.

| tool | fields |
| --- | --- |
`;

function collect(value: unknown, path: string, known: Map<string, string>): void {
  if (Array.isArray(value)) {
    if (value.length === 0 || typeof value[0] !== "object") note(path, "array", known);
    for (const item of value) if (typeof item === "object") collect(item, `${path}[]`, known);
  } else if (typeof value === "object" && value !== null) {
    if (Object.keys(value).length === 0) note(path, "object", known);
    for (const [name, inner] of Object.entries(value)) collect(inner, path === "" ? name : `${path}.${name}`, known);
  } else if (value !== undefined) note(path, value === null ? "null" : typeof value, known);
}

/** A field can have several types. */
function note(path: string, kind: string, known: Map<string, string>): void {
  const before = known.get(path);
  if (before === undefined) known.set(path, kind);
  else if (!before.split(" / ").includes(kind)) known.set(path, `${before} / ${kind}`);
}
