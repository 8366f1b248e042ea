import { execFile } from "node:child_process";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { built } from "../../testing/built.fixture.js";
import { serveHttp } from "./http.fixture.js";

/** Runs `code` in a process of its own, with a port `http` and the URL of the server. */
async function running(code: string, port: number): Promise<string> {
  const program = `
    import { readFileSync } from "node:fs";
    import { createHttp } from ${JSON.stringify(pathToFileURL(built("host/http/create-http.js")).href)};
    const http = createHttp({ lookup: async () => ["93.184.215.14"], dial: () => "127.0.0.1" });
    const fetch = () => http.fetch("http://site.test:${port}/", { hop: async () => {} });
    ${code}`;
  const options = { timeout: 25_000 };
  return (await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], options)).stdout;
}

describe("a process", () => {
  it("stays small while it reads a body that decodes to 300 MiB", async () => {
    const zeros = Buffer.alloc(300 * 1024 * 1024);
    const bomb = gzipSync(zeros, { level: 1 });
    const port = await serveHttp((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb));
    const code = `
      const { bytes, isComplete } = await (await fetch()).read(5 * 1024 * 1024);
      let counted = 0;
      for await (const chunk of (await fetch()).chunks()) counted += chunk.length;
      const peakKb = /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1];
      console.log(JSON.stringify({ read: bytes.length, isComplete, counted, peakMb: peakKb / 1024 }));`;
    const { peakMb, ...rest } = JSON.parse(await running(code, port));
    expect(rest).toEqual({ read: 5 * 1024 * 1024, isComplete: false, counted: 300 * 1024 * 1024 });
    expect(peakMb).toBeLessThan(250);
  });

  it("stays small while a body arrives in chunks of one byte", async () => {
    const piece = "1\r\nx\r\n".repeat(100_000);
    const port = await serveHttp((_, response) => {
      response.socket!.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
      const more = () => {
        while (response.socket?.write(piece)) {}
      };
      response.socket!.on("drain", more);
      more();
    });
    const code = `
      const { bytes } = await (await fetch()).read(1024 * 1024);
      const peakKb = /VmHWM:\\s+(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1];
      console.log(JSON.stringify([bytes.length, peakKb / 1024]));`;
    const [size, peakMb] = JSON.parse(await running(code, port));
    expect(size).toBe(1024 * 1024);
    expect(peakMb).toBeLessThan(250);
  });

  it("is not kept alive by a connection that waits for the next request", async () => {
    const port = await serveHttp((_, response) => response.end("x"));
    const code = `
      await (await fetch()).read(10);
      await new Promise((resolve) => setTimeout(resolve, 50));
      console.log(process.getActiveResourcesInfo().filter((name) => /TCP|Timeout|Immediate/.test(name)).join());`;
    expect(await running(code, port)).toBe("\n");
  });
});
