/** Started as a process by `few-descriptors.test.ts`: runs commands with few descriptors left, and prints the results. */
import { closeSync, openSync, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../../kernel/index.js";
import { createLocalBackend } from "../local-backend.js";

export interface FewDescriptorsReported {
  /** How each command ended: "itself", the problem of one that did not start, or an unexpected exception. */
  readonly ends: readonly string[];
  /** Pipes of commands that are open once the backend is closed. */
  readonly leaked: number;
  /** What a command printed once descriptors were free again, on a stream that only a pipe can reopen. */
  readonly after: string;
}

const [directory, watched] = process.argv.slice(2) as [string, string];
const MOST_LEFT = 14;

const backend = createLocalBackend({
  cwd: directory,
  stateDir: join(directory, "state"),
  watcher: watched === "watched",
});
const { shell } = backend.root;

const ends: string[] = [];
async function note(run: () => Promise<{ readonly ended: string; readonly problem?: string }>): Promise<void> {
  try {
    const { ended, problem } = await run();
    ends.push(problem ?? ended);
  } catch (thrown) {
    const code = (thrown as { readonly code?: string }).code ?? "";
    ends.push(code === "SHELL_SPAWN" ? messageOf(thrown) : `threw ${code}: ${messageOf(thrown)}`);
  }
}

async function runAll(): Promise<void> {
  const options = { cwd: directory };
  await note(() => shell.exec("true", options));
  await note(() => shell.exec("cat", { ...options, input: new TextEncoder().encode("x") }));
  await note(() => shell.exec(`: ${"x".repeat(200_000)}`, options));
  for (const lifetime of ["session", "keep"] as const) {
    await note(async () => (await shell.spawn("true", { ...options, lifetime })).result);
  }
}

await runAll();
for (let left = 0; left <= MOST_LEFT; left += 1) {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch {
    // All descriptors are used.
  }
  for (const one of taken.splice(0, left)) closeSync(one);
  await runAll();
  for (const one of taken) closeSync(one);
}

/** After a failure no pipes are created for a short time. */
async function printed(): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const { stderr } = await shell.exec("printf again | tee /dev/stderr >/dev/null", { cwd: directory });
    const text = new TextDecoder().decode(stderr.head);
    if (text === "again" || tries === 50) return text;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
const after = await printed();
await backend.close();
const leaked = readdirSync("/proc/self/fd").filter((one) => targetOf(one).includes("haft-pipes-")).length;
process.stdout.write(JSON.stringify({ ends, leaked, after } satisfies FewDescriptorsReported));

function targetOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return "";
  }
}
