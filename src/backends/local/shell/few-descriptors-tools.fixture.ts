/** Started as a process by `few-descriptors-tools.test.ts`: many calls of each tool at once, then one of each by itself. */
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exampleInput } from "../../../testing/example-input.fixture.js";
import { fakeHttp } from "../../../testing/fakes/fake-http.js";
import type { createToolkit as Create } from "../../../toolkit/index.js";

/** Tool → how many calls ended so: "ok", or the text of the error. */
type Ends = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface ToolsReported {
  readonly together: Ends;
  /** While this process had no descriptor left at all. */
  readonly without: Ends;
  readonly alone: Ends;
}

const [library, directory, count] = process.argv.slice(2) as [string, string, string];
const { createToolkit } = (await import(library)) as { readonly createToolkit: typeof Create };
const workspace = join(directory, "workspace");
mkdirSync(workspace);
const file = (name: string, text: string | Buffer) => writeFileSync(join(workspace, name), text);

const http = fakeHttp(() => ({ headers: [["content-type", "text/plain"]], body: "one" }));
const search = async () => ({ kind: "results", results: [] }) as const;
const toolkit = await createToolkit({
  on: ["local", "memory"],
  autonomy: "full",
  workspace,
  stateDir: join(directory, "state"),
  web: { http, search: { providers: [{ name: "own", search }] } },
});
const { runner, descriptors } = toolkit.session("few").box();

/** A tool without an entry gets its required parameters. */
const INPUTS: Readonly<Record<string, (n: string) => Record<string, unknown>>> = {
  read: () => ({ path: "latin.txt" }),
  write: (n) => ({ path: `${n}.new`, content: "x" }),
  edit: (n) => ({ path: `${n}.edit`, oldText: "one", newText: "two" }),
  ls: () => ({ path: "." }),
  find: () => ({ query: "latin" }),
  grep: () => ({ pattern: "o[n]e" }),
  bash: () => ({ command: "echo hi" }),
  process: () => ({ action: "start", command: "echo hi" }),
  copy: (n) => ({ from: "latin.txt", to: `${n}.copy` }),
  move: (n) => ({ from: `${n}.move`, to: `${n}.moved` }),
  delete: (n) => ({ path: `${n}.delete` }),
  webfetch: () => ({ url: "https://example.com/" }),
  websearch: () => ({ query: "one" }),
  http_request: () => ({ url: "https://example.com/" }),
  cron_add: (n) => ({ schedule: "0 9 * * *", command: "true", name: `${n}.new` }),
  cron_remove: (n) => ({ id: `${n}.remove` }),
  cron_update: () => ({ id: "kept", enabled: true }),
  // At most 50 runs of a schedule may wait.
  cron_run: (n) => ({ id: n.startsWith("together") ? "kept" : "spare" }),
  todo_set: () => ({ items: [{ id: "1", text: "x", status: "pending" }] }),
};

async function schedule(name: string): Promise<void> {
  const input = { schedule: "0 9 * * *", command: "true", name };
  const { isError, output } = await runner.run({ id: name, name: "cron_add", input });
  if (isError) throw new Error(String(output));
}

async function endsOf(times: number, name: string): Promise<Ends> {
  for (let n = 0; n < times; n++) await schedule(`${name}${n}.remove`);
  const ends: Record<string, Record<string, number>> = {};
  for (let n = 0; n < times; n++) for (const kind of ["edit", "move", "delete"]) file(`${name}${n}.${kind}`, "one\n");
  return endsNow(times, name, ends);
}

async function endsNow(times: number, name: string, ends: Record<string, Record<string, number>> = {}): Promise<Ends> {
  for (const { name: tool, parameters } of descriptors()) {
    const inputOf = INPUTS[tool] ?? (() => exampleInput(parameters, "latin.txt"));
    const calls = Array.from({ length: times }, (_, n) =>
      runner.run({ id: `${tool}-${n}`, name: tool, input: inputOf(`${name}${n}`) }).then(
        ({ isError, output }) => (isError ? String(output) : "ok"),
        (thrown: unknown) => `rejected: ${String(thrown)}`,
      ),
    );
    const counts: Record<string, number> = {};
    for (const end of await Promise.all(calls)) counts[end] = (counts[end] ?? 0) + 1;
    ends[tool] = counts;
  }
  return ends;
}

file("latin.txt", Buffer.from("one caf\xe9\n", "latin1"));
for (const kind of ["edit", "move", "delete"]) file(`without0.${kind}`, "one\n");
// Node.js remembers that an import failed: what is loaded by the first page is loaded before descriptors are short.
await runner.run({ id: "page", name: "webfetch", input: { url: "https://example.com/" } });
for (const name of ["kept", "spare", "without0.remove"]) await schedule(name);
const taken: number[] = [];
try {
  for (;;) taken.push(openSync("/dev/null", "r"));
} catch {
  // All descriptors are used.
}
const without = await endsNow(1, "without");
for (const one of taken) closeSync(one);
const together = await endsOf(Number(count), "together");
const alone = await endsOf(1, "alone");
await toolkit.close();
process.stdout.write(JSON.stringify({ together, without, alone } satisfies ToolsReported));
