/** A box of tools as an MCP server in the process of another program. */
import type { Server, Transport } from "@modelcontextprotocol/server";
import { type CallEvent, requireBox, requireKnownOptions, type ToolBox } from "../../kernel/index.js";
import { haftVersion } from "../installed-package.js";
import { RunningCalls } from "./running-calls.js";

/** Options of `createMcpServer`. */
export interface BoxServerOptions {
  /** The name by which the server introduces itself. Default "haft". */
  readonly name?: string;
  /** Whether results include structured data in `_meta` without a request for it. Default false: some clients show it to the model. */
  readonly facts?: boolean;
  /** Progress of each call. */
  readonly onEvent?: (event: CallEvent) => void;
}

/** A server that is connected to transports of the caller, in the form in which the Claude Agent SDK takes one. */
export interface BoxServer {
  readonly type: "sdk";
  readonly name: string;
  /**
   * `connect(transport)` serves one more client, `close()` disconnects all. "any" so that it is accepted as the `McpServer` of
   * either major of the MCP SDK.
   */
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly instance: any;
  /** Cancels the running calls and closes the connections. The box stays open. */
  close(): Promise<void>;
}

/**
 * An MCP server over the tools of a box, for a program that starts no other process:
 *
 * ```ts
 * const haft = await createMcpServer(toolkit.box("coding"));
 * for await (const message of query({ prompt, options: { mcpServers: { haft } } })) …   // Claude Agent SDK
 * await haft.instance.connect(transport);                                             // any other MCP client
 * ```
 *
 * It serves any number of queries and clients, also at the same time. Cancelling a request cancels its call, and the end of a
 * connection all calls of that client. What the policy asks about is shown by the client if it can (elicitation); else the
 * approver of the box decides. Text and images are sent as such, a failure as a result with `isError`.
 *
 * @throws `CONFIG_INVALID` for an unknown option.
 */
export async function createMcpServer(
  box: Pick<ToolBox, "descriptors" | "runner" | "tools">,
  options: BoxServerOptions = {},
): Promise<BoxServer> {
  requireBox("createMcpServer", box);
  requireKnownOptions("createMcpServer", options, ["name", "facts", "onEvent"]);
  const { name = "haft", facts = false, onEvent } = options;
  const tools = box.descriptors().map((descriptor, index) => {
    const { effect = "write", annotations = {} } = box.tools[index] ?? {};
    return { descriptor: () => descriptor, effect, annotations };
  });
  const running = new RunningCalls();
  // Loaded by the first server, so that importing this module costs hardly anything.
  const { mcpServers } = await import("./mcp-server.js");
  const serverFor = await mcpServers({ name, version: haftVersion(), tools, facts }, running);
  let count = 0;
  const connected = new Set<Server>();
  const instance = {
    async connect(transport: Transport) {
      // A server has one connection, and a second query of the Agent SDK would have no tools.
      const server = serverFor("legacy", {
        run(call, { onEvent: ofClient, ...run }) {
          const report = (event: CallEvent): void => {
            ofClient?.(event);
            onEvent?.(event);
          };
          return box.runner.run({ ...call, id: `${name}-${++count}` }, { ...run, onEvent: report });
        },
      });
      server.onclose = () => connected.delete(server);
      connected.add(server);
      await server.connect(transport);
    },
    async close() {
      await Promise.all([...connected].map((server) => server.close()));
    },
  };
  return {
    type: "sdk",
    name,
    instance,
    async close() {
      await running.stop();
      await instance.close();
    },
  };
}
