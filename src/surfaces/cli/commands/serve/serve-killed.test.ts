import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { built, runHaft } from "../../../../testing/built.fixture.js";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { underLoad } from "../../../../testing/under-load.fixture.js";

const place = cliPlace();
const project = (name: string) => join(place.workspace, name);

/** A server over its standard streams, and one client of it that writes its lines by hand. */
function serve() {
  const env = place.env();
  const child: ChildProcess = spawn(process.execPath, [built("surfaces/cli/main.js"), "serve", "--stdio"], {
    cwd: place.workspace,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  const answers = new Map<number, (text: string) => void>();
  let waiting = "";
  let notes = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    notes += text;
  });
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const lines = (waiting + text).split("\n");
    waiting = lines.pop() ?? "";
    for (const line of lines) answers.get((JSON.parse(line) as { id: number }).id)?.(line);
  });
  let ids = 0;
  const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const ask = (method: string, params: object): Promise<string> => {
    const id = ++ids;
    return new Promise((resolve) => {
      answers.set(id, resolve);
      send({ id, method, params });
    });
  };
  return {
    child,
    notes: () => notes,
    async begin() {
      const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
      await ask("initialize", client);
      send({ method: "notifications/initialized" });
    },
    call: (name: string, input: object) => ask("tools/call", { name, arguments: input }),
  };
}

const pidOf = (name: string) => readFileSync(project(name), "utf8").trim();
/** A zombie does not count. */
const isAlive = (pid: string) =>
  existsSync(`/proc/${pid}/stat`) && !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));

async function until(holds: () => boolean, limitMs: number): Promise<void> {
  for (const end = Date.now() + limitMs; !holds(); ) {
    if (Date.now() > end) throw new Error(`not so within ${limitMs} ms: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

it("a server that is killed takes ten jobs and their children with it; the next one reports each end, and no output is lost", async () => {
  const server = serve();
  await server.begin();
  const numbers = Array.from({ length: 10 }, (_, number) => number);
  for (const number of numbers) {
    const command = `echo $$ > pid-${number}; setsid sh -c 'echo $$ > child-${number}; exec sleep 600' & printf 'words of ${number}\\n'; exec sleep 600`;
    await server.call("process", { action: "start", command, lifetime: number % 2 === 0 ? "session" : "host" });
  }
  const files = numbers.flatMap((number) => [`pid-${number}`, `child-${number}`]);
  await until(() => files.every((name) => existsSync(project(name)) && pidOf(name) !== ""), 10_000);
  const pids = files.map(pidOf);
  expect(pids.every(isAlive)).toBe(true);
  server.child.kill("SIGKILL");
  await until(() => !pids.some(isAlive), underLoad(5_000));

  const next = serve();
  await next.begin();
  await next.call("time", {});
  await until(() => next.notes().includes("jobs ended with an earlier"), 10_000);
  const ids = numbers.map((number) => `job-${number + 1}`);
  expect(next.notes()).toContain(`jobs ended with an earlier haft process: ${ids.join(", ")}.`);
  expect(next.notes().match(/jobs ended with an earlier/g)).toHaveLength(1);
  next.child.stdin?.end();
  await new Promise((resolve) => next.child.once("exit", resolve));

  const { stdout } = await runHaft(["jobs", "list", "--json"], {
    cwd: place.workspace,
    env: place.env(),
  });
  const kept = JSON.parse(stdout) as { readonly id: string; readonly endedBy: string; readonly outputBytes: number }[];
  expect(kept.map(({ id, endedBy, outputBytes }) => [id, endedBy, outputBytes])).toEqual(
    ids.map((id) => [id, "host", 11]),
  );
  const state = join(place.home, ".local", "state", "haft", "jobs");
  for (const number of numbers)
    expect(readFileSync(join(state, `job-${number + 1}`, "stdout.0"), "utf8")).toBe(`words of ${number}\n`);
});
