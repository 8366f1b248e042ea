/** The client's side of MCP over stdio, as little as measuring needs. */
import { spawn } from "node:child_process";

/** A server that does not end when its input does is killed after so long. */
const END_MS = 200;

/** Starts `[program, ...args]`; `env` is all that it gets. */
export function startServer([program, ...args], { cwd, env }) {
  const child = spawn(program, args, { cwd, env, stdio: ["pipe", "pipe", "pipe"] });
  const { ask, send, lastBytes } = wireOf(child);
  return {
    pid: child.pid,
    ask,
    lastBytes,
    /** To the answer of `tools/list`, which it gives. */
    async open() {
      const clientInfo = { name: "bench", version: "1" };
      await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
      send({ method: "notifications/initialized" });
      return ask("tools/list", {});
    },
    /** The text of a tool's answer; throws it where it is an error. */
    async call(name, input) {
      const { content, isError } = await ask("tools/call", { name, arguments: input });
      const said = content.map((block) => block.text ?? "").join("\n");
      if (isError) throw new Error(said);
      return said;
    },
    async end() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.stdin.end();
      const late = setTimeout(() => child.kill("SIGKILL"), END_MS);
      await ended;
      clearTimeout(late);
    },
  };
}

/** Messages as lines, and which answer belongs to which question. The end of the server fails what still waits. */
function wireOf(child) {
  const waiting = new Map();
  let id = 0;
  let bytes = 0;
  const send = (message) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  child.stdin.on("error", () => {});
  onLines(child.stdout, (line) => {
    const message = line.startsWith("{") ? JSON.parse(line) : {};
    bytes = line.length;
    if (message.method === undefined) {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    } else if (message.id !== undefined) send({ id: message.id, error: { code: -32601, message: "not offered" } });
  });
  let lastWords = "";
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    lastWords = (lastWords + chunk).slice(-500);
  });
  child.once("exit", (code, signal) => {
    const error = { message: `the server ended with ${signal ?? code}: ${lastWords.trim()}` };
    for (const settle of waiting.values()) settle({ error });
  });
  return {
    send,
    ask: (method, params) =>
      new Promise((resolve, reject) => {
        waiting.set(++id, (answer) =>
          answer.error ? reject(new Error(answer.error.message)) : resolve(answer.result),
        );
        send({ id, method, params });
      }),
    /** The length of the last answer, as it came over the wire. */
    lastBytes: () => bytes,
  };
}

function onLines(stream, take) {
  let text = "";
  stream.setEncoding("utf8").on("data", (chunk) => {
    text += chunk;
    const lines = text.split("\n");
    text = lines.pop();
    for (const line of lines) take(line);
  });
}
