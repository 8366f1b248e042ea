/** Listens on a free port. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HaftError, messageOf } from "../../kernel/index.js";

/** Number of ports that are tried, beginning with the requested one. */
const MAX_PORTS_TRIED = 20;
const LAST_PORT = 65_535;

/**
 * Listens on the port, or on the next free one if it is in use; 0 takes any free port.
 *
 * @throws `CONFIG_INVALID` if no port is free.
 */
export async function listening(server: Server, port: number, host: string): Promise<AddressInfo> {
  const last = port === 0 ? 0 : Math.min(port + MAX_PORTS_TRIED - 1, LAST_PORT);
  for (let next = port; ; next++) {
    try {
      return await listeningOn(server, next, host);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE" && next < last) continue;
      const isTaken = (cause as NodeJS.ErrnoException).code === "EADDRINUSE";
      const why = isTaken ? `${next === port ? "it" : "each"} is in use` : messageOf(cause);
      const tried = next === port ? `port ${port}` : `any port from ${port} to ${next}`;
      throw new HaftError(
        "CONFIG_INVALID",
        `Could not listen on ${tried}: ${why}. Name another with \`--port\`, or leave it out for a free one.`,
        { cause },
      );
    }
  }
}

function listeningOn(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    const refused = (cause: Error): void => {
      // Otherwise the listeners of the failed attempts would be called for the port that succeeds.
      server.off("listening", heard);
      reject(cause);
    };
    const heard = (): void => {
      server.off("error", refused);
      resolve(server.address() as AddressInfo);
    };
    server.once("error", refused).once("listening", heard).listen(port, host);
  });
}
