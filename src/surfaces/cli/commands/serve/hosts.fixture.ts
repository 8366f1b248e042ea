/** Several `haft serve` with one store, each with a state directory of its own, behind a proxy that takes them in turn. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { built } from "../../../../testing/built.fixture.js";
import type { CliPlace } from "../../../../testing/cli-place.fixture.js";

export interface ServedHost {
  readonly child: ChildProcess;
  readonly port: number;
  /** The printed one. */
  readonly token: string;
  /** What it has printed on stderr. */
  notes(): string;
}

/** A server that runs as a process; `env` is what differs between hosts. */
export async function startHost(
  place: CliPlace,
  env: Readonly<Record<string, string>>,
  args: readonly string[] = [],
): Promise<ServedHost> {
  const child = spawn(process.execPath, [built("surfaces/cli/main.js"), "serve", ...args], {
    cwd: place.workspace,
    env: place.env(env),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, notes] = ["", ""];
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    notes += text;
  });
  const [port, token] = await new Promise<readonly [number, string]>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      const found = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(out);
      const [, shown] = /Bearer ([\w-]+)/.exec(out) ?? [];
      if (found !== null && shown !== undefined) resolve([Number(found[1]), shown]);
    });
    child.once("exit", (code) => reject(new Error(`haft serve ended with ${code}: ${notes}`)));
  });
  return { child, port, token, notes: () => notes };
}

/** Ends it without a goodbye. */
export async function killHost({ child }: ServedHost): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await once(child, "exit");
}

export interface Balancer {
  readonly url: URL;
  /** The port that each request was passed on to. */
  readonly passed: number[];
  close(): Promise<void>;
}

/** Passes each request on to the next port; where nothing listens, to the one after it. */
export async function roundRobin(ports: readonly number[]): Promise<Balancer> {
  const passed: number[] = [];
  let turn = 0;
  const server = createServer((incoming, answer) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => pass(ports.length));
    const pass = (left: number): void => {
      const port = ports[turn++ % ports.length] ?? 0;
      const headers = { ...incoming.headers, host: `127.0.0.1:${port}` };
      const { method, url: path } = incoming;
      const outgoing = request({ host: "127.0.0.1", port, method, path, headers, agent: false }, (from) => {
        passed.push(port);
        answer.writeHead(from.statusCode ?? 502, from.headers);
        from.pipe(answer);
        from.once("error", () => answer.destroy());
        answer.once("close", () => from.destroy());
      });
      outgoing.once("error", (error: NodeJS.ErrnoException) => {
        if (error.code === "ECONNREFUSED" && left > 1) pass(left - 1);
        else answer.destroy();
      });
      answer.once("close", () => outgoing.destroy());
      outgoing.end(Buffer.concat(chunks));
    };
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: new URL(`http://127.0.0.1:${port}/mcp`),
    passed,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
