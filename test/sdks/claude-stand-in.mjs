/**
 * Stands in for Claude Code, the program that the Claude Agent SDK starts and that asks the model. That program is a native one
 * for each platform, and needs an account. This one speaks the same protocol, JSON lines on stdin and stdout: control requests in
 * both directions ("initialize", "interrupt" from the SDK, "mcp_message" from the program) and messages ("user", "assistant",
 * "result"), as `sdk.d.ts` of the SDK declares them (`SDKControlRequest`, `SDKMessage`) and `sdk.mjs` reads and writes them.
 * It asks for the model's turns at ANTHROPIC_BASE_URL, in the form of `wires/mcp.mjs`.
 *
 * Only the protocol is that of the program. What the program decides by itself is left out: its permissions, its own answer
 * to a call of an unknown tool, its words for an empty result, its limits of a result. Claude Code 2.1.112 and 2.1.332 themselves
 * differed in nothing else when the loops were played with them.
 */
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";

const about = { session_id: randomUUID(), parent_tool_use_id: null };
/** What becomes of each request to the SDK, by its id. */
const waiting = new Map();
const servers = new Map();
/** Ends the wait for each running call: a server does not answer a request that was cancelled. */
const running = new Set();
let interrupted = false;
let ids = 0;

const send = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

createInterface({ input: process.stdin })
  .on("line", (line) => void received(JSON.parse(line)))
  .on("close", () => process.exit());

async function received({ type, request_id, request, response, message }) {
  if (type === "control_response") waiting.get(response.request_id)?.(response);
  else if (type === "control_request")
    send({
      type: "control_response",
      response: { subtype: "success", request_id, response: await controlled(request) },
    });
  else if (type === "user") send(await resultOf(message));
}

async function controlled(request) {
  if (request.subtype === "initialize") {
    // The SDK may have listed the tools already. Other servers are asked before the first turn.
    for (const name of request.sdkMcpServers ?? [])
      servers.set(name, request.sdkMcpServerManifests?.[name]?.toolsListResult?.tools);
    return { commands: [], agents: [], output_style: "default", available_output_styles: [], models: [], account: {} };
  }
  if (request.subtype === "interrupt") {
    interrupted = true;
    for (const cancel of running) cancel();
    return {};
  }
  // A notification of a server, such as progress.
  return request.subtype === "mcp_message" ? { mcp_response: { jsonrpc: "2.0", result: {}, id: 0 } } : {};
}

/** Sends a message to a server in the program that uses the SDK, and returns what the server answers. */
function mcp(server_name, message) {
  const request_id = randomUUID();
  return new Promise((resolve) => {
    waiting.set(request_id, ({ subtype, response, error }) =>
      resolve(subtype === "success" ? response.mcp_response : { error: { message: error } }),
    );
    const request = { subtype: "mcp_message", server_name, message: { jsonrpc: "2.0", ...message } };
    send({ type: "control_request", request_id, request });
  });
}

async function toolsOf(server) {
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "claude-code", version: "0" } };
  if (servers.get(server) === undefined) {
    await mcp(server, { id: ++ids, method: "initialize", params });
    await mcp(server, { method: "notifications/initialized" });
    const { result } = await mcp(server, { id: ++ids, method: "tools/list", params: {} });
    servers.set(server, result.tools);
  }
  return servers.get(server).map((tool) => ({ ...tool, name: `mcp__${server}__${tool.name}` }));
}

/** Plays the turns of the model until one of them calls no tool. */
async function resultOf(message) {
  const tools = (await Promise.all([...servers.keys()].map(toolsOf))).flat();
  for (let results = []; ; ) {
    const body = JSON.stringify({ message, tools, results });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${process.env.ANTHROPIC_BASE_URL}/turn`, { method: "POST", headers, body });
    const { text = "", calls = [] } = await answer.json();
    const uses = calls.map((call) => ({ type: "tool_use", id: call.id, name: call.name, input: inputOf(call) }));
    const content = [...(text === "" ? [] : [{ type: "text", text }]), ...uses];
    send({ type: "assistant", uuid: randomUUID(), ...about, message: { role: "assistant", content } });
    if (calls.length === 0) return ended({ subtype: "success", is_error: false, result: text });
    results = await Promise.all(uses.map(called));
    if (interrupted) return ended({ subtype: "error_during_execution", is_error: true, errors: ["interrupted"] });
  }
}

/** The scripted model knows the tools by the names that Haft gives them. */
async function called({ id, name, input }) {
  const [server] = servers.keys();
  const requestId = ++ids;
  let cancel;
  const cancelled = new Promise((resolve) => {
    cancel = () => {
      void mcp(server, { method: "notifications/cancelled", params: { requestId, reason: "interrupted" } });
      resolve({ error: { message: "interrupted" } });
    };
  });
  running.add(cancel);
  const params = { name, arguments: input, _meta: { progressToken: requestId, "claudecode/toolUseId": id } };
  const answer = mcp(server, { id: requestId, method: "tools/call", params });
  const { result, error } = await Promise.race([answer, cancelled]);
  running.delete(cancel);
  return { id, result: result ?? { isError: true, content: [{ type: "text", text: error.message }] } };
}

const inputOf = (call) => JSON.parse(call.arguments);
const ended = (how) => ({ type: "result", uuid: randomUUID(), ...about, num_turns: 1, duration_ms: 1, ...how });
