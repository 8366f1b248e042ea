/** Getting a port. */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { HaftError, messageOf } from "../../kernel/index.js";

/** Ports that are tried, from the one that was asked for on. */
const MAX_PORTS_TRIED = 20;
const LAST_PORT = 65_535;

/**
 * Listens on the port, or on the next one that is free where somebody else has it; 0 takes any free one.
 *
 * @throws `CONFIG_INVALID` when no port can be had.
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
      // Else the listener of every port that was tried would stay and hear of the one that is had.
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
