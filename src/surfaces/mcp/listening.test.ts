import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, it } from "vitest";
import { listening } from "./listening.js";

const HOST = "127.0.0.1";
const open: Server[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await new Promise((resolve) => one.close(resolve));
});

const server = (): Server => {
  const made = createServer();
  open.push(made);
  return made;
};

/** Takes `length` consecutive ports, and returns the first. */
async function takenRow(length: number): Promise<number> {
  for (;;) {
    const { port } = await listening(server(), 0, HOST);
    const rest = Array.from({ length: length - 1 }, (_, index) => port + 1 + index);
    try {
      for (const next of rest) {
        const one = server().listen(next, HOST);
        await once(one, "listening");
      }
      return port;
    } catch {
      // A stranger has one of them: another row.
    }
  }
}

it("takes the next port that is free, and nothing of the tries stays", async () => {
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on("warning", warned);
  const port = await takenRow(15);
  const late = server();
  const at = await listening(late, port, HOST);
  expect(at.port).toBeGreaterThanOrEqual(port + 15);
  expect((late.address() as AddressInfo).port).toBe(at.port);
  const plain = server();
  for (const event of ["listening", "error"]) expect(late.listenerCount(event)).toBe(plain.listenerCount(event));
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", warned);
  expect(warnings).toEqual([]);
});

it("says which ports it tried where none of twenty is free, and where there is no higher one", async () => {
  const port = await takenRow(20);
  await expect(listening(createServer(), port, HOST)).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: `Could not listen on any port from ${port} to ${port + 19}: each is in use. Name another with \`--port\`, or leave it out for a free one.`,
  });
});

it("tries no other port for an address that is not here", async () => {
  await expect(listening(createServer(), 0, "192.0.2.1")).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: expect.stringContaining("EADDRNOTAVAIL"),
  });
});
