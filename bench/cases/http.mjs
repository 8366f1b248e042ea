/** A small page, fetched by the HTTP port beside undici alone. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { atMostTimes } from "../goals.mjs";

const CALLS = 2_000;
const ADDRESS = "93.184.215.14";
/** What the port sends too. */
const HEADERS = { accept: "*/*", "accept-encoding": "gzip, deflate, br", "user-agent": "haft" };

/** A server in a process of its own, so that its CPU is not that of a side. */
const SERVER = `
import { createServer } from "node:http";
const page = Buffer.alloc(1024, "x");
const server = createServer((_, response) => {
  response.writeHead(200, { "content-type": "text/plain", "content-length": page.length });
  response.end(page);
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
process.stdin.resume().on("end", () => process.exit());
`;

async function serve() {
  const child = spawn(process.execPath, ["--input-type=module", "-e", SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(child.stdout, "data");
  return { port: Number(port), close: () => child.stdin.end() };
}

const manyTimes = async (call) => {
  for (let turn = 0; turn < CALLS; turn++) {
    if ((await call()).byteLength !== 1024) return { say: "another body", wrong: true };
  }
  return { calls: CALLS };
};

export const cases = [
  {
    id: "http-1k",
    table: "library",
    what: "fetch a page of 1 KB, its address judged each time; raw: undici alone",
    unit: "request",
    goals: [atMostTimes(1.5, { name: "undici" })],
    sides: {
      raw: async () => {
        const { Agent, request } = await import("undici");
        const { port, close } = await serve();
        const dispatcher = new Agent();
        const call = async () =>
          (await request(`http://127.0.0.1:${port}/`, { dispatcher, headers: HEADERS })).body.arrayBuffer();
        return { run: () => manyTimes(call), close };
      },
      ours: async () => {
        const { createHttp } = await import("../../dist/host/http/create-http.js");
        const { port, close } = await serve();
        const http = createHttp({ lookup: async () => [ADDRESS], dial: () => "127.0.0.1" });
        const hop = async () => {};
        const call = async () => {
          const response = await http.fetch(`http://site.test:${port}/`, { hop });
          return (await response.read(1_000_000)).bytes;
        };
        return { run: () => manyTimes(call), close };
      },
    },
  },
];
