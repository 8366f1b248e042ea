/** That the user of an MCP client is asked before a call, with the official clients of both protocols over both transports. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client as NewClient, StreamableHTTPClientTransport as NewHttp } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createToolkit, openSqliteState } from "../../toolkit/index.js";
import { servedCalls } from "../cli/commands/serve/served-calls.js";
import { bearer, OWN_TOKEN } from "./http-service.fixture.js";
import { type HttpService, serveMcpHttp } from "./index.js";
import { StdioPlace, textOf } from "./stdio-place.fixture.js";

type AnyClient = OldClient | NewClient;
type Answer = object | (() => Promise<never>);

let place: StdioPlace;
let closing: (() => Promise<unknown>)[];
let messages: string[];
/** What the user does with each form, in this order; then they close it. */
let answers: Answer[];
beforeEach(() => {
  place = new StdioPlace();
  writeFileSync(join(place.workspace, "run.sh"), "touch made; echo ran\n");
  [closing, messages, answers] = [[], [], []];
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  await place.close();
});

const yes = (answer = "once") => ({ action: "accept", content: { answer } });
const made = () => existsSync(join(place.workspace, "made"));
const server = () => place.server(["--workspace", place.workspace, "--autonomy", "supervised"]);
const run = (client: AnyClient, command = "sh run.sh") => textOf(client, "bash", { command });

async function show(request: { readonly params: object }): Promise<never> {
  messages.push((request.params as { readonly message: string }).message);
  const answer = answers.shift() ?? { action: "cancel" };
  return (typeof answer === "function" ? await answer() : answer) as never;
}

async function oldClient(transport: OldStdio | OldHttp, canAsk = true): Promise<OldClient> {
  const client = new OldClient({ name: "desk", version: "1" }, canAsk ? { capabilities: { elicitation: {} } } : {});
  if (canAsk) client.setRequestHandler(ElicitRequestSchema, show);
  await client.connect(transport as OldStdio);
  closing.push(() => client.close());
  return client;
}

async function newClient(mode: "legacy" | "auto", transport: NewStdio | NewHttp, canAsk = true): Promise<NewClient> {
  const client = new NewClient(
    { name: "desk", version: "1" },
    { versionNegotiation: { mode }, ...(canAsk ? { capabilities: { elicitation: { form: {} } } } : {}) },
  );
  if (canAsk) client.setRequestHandler("elicitation/create", show);
  await client.connect(transport);
  closing.push(() => client.close());
  return client;
}

/** Haft over HTTP in this process, on the state directory of the place. */
async function httpServer(): Promise<HttpService> {
  const calls = servedCalls({
    collection: "all",
    needsRoots: false,
    onNote() {},
    pendingHint: (token) => `The user can allow it with \`haft approvals grant ${token}\`.`,
    open: async () => {
      const { workspace } = place;
      return createToolkit({ workspace, stateDir: place.state(), autonomy: "supervised", approver: calls.approver });
    },
  });
  const { registry, close } = await createToolkit({ persist: false });
  closing.push(
    () => close(),
    () => calls.close(),
  );
  const service = await serveMcpHttp({
    version: "0.0.0",
    tools: registry.membersOf("all"),
    token: OWN_TOKEN,
    port: 0,
    clientNamed: async (token) => (token === "token-of-bob" ? "bob" : undefined),
    onProblem() {},
    calls,
  });
  closing.push(() => service.close());
  return service;
}

const http = async (token = OWN_TOKEN, service = httpServer()) =>
  [new URL((await service).url), { requestInit: bearer(token) }] as const;

const CLIENTS: Readonly<Record<string, (canAsk?: boolean) => Promise<AnyClient>>> = {
  "version 1 over stdio": async (canAsk) => oldClient(new OldStdio(server()), canAsk),
  "version 2, older protocol, over stdio": async (canAsk) => newClient("legacy", new NewStdio(server()), canAsk),
  "version 2, newer protocol, over stdio": async (canAsk) => newClient("auto", new NewStdio(server()), canAsk),
  "version 1 over HTTP": async (canAsk) => oldClient(new OldHttp(...(await http())), canAsk),
  "version 2, older protocol, over HTTP": async (canAsk) => newClient("legacy", new NewHttp(...(await http())), canAsk),
  "version 2, newer protocol, over HTTP": async (canAsk) => newClient("auto", new NewHttp(...(await http())), canAsk),
};

describe.each(Object.entries(CLIENTS))("the user of a client of %s", (_name, connect) => {
  it("is shown the command, and it runs after their yes only", async () => {
    const client = await connect();
    answers = [
      { action: "decline" },
      { action: "accept", content: { answer: "always" } },
      { action: "accept", content: { answer: "no" } },
      async () => {
        throw new Error("The window was closed.");
      },
    ];
    expect(await run(client)).toContain("The user declined it.");
    expect(await run(client)).toContain("no valid answer");
    expect(await run(client)).toContain("The user did not allow it.");
    await run(client).catch(() => undefined);
    expect(await textOf(client, "bash", { command: "sh run.sh", approved: true }).catch(String)).not.toContain("ran");
    expect(made()).toBe(false);
    answers = [yes("session")];
    expect(await run(client)).toContain("ran");
    expect(messages.at(-1)).toContain("bash would run this command:\n\n    sh run.sh\n\ndirectory: ");
    const { length } = messages;
    expect(await run(client)).toContain("ran");
    expect(messages.length).toBe(length);
  }, 60_000);

  it("decides with `haft approvals` where the client cannot ask, and the same call then runs", async () => {
    const client = await connect(false);
    const [waiting, again] = [await run(client), await run(client)];
    const [, token = ""] = /`haft approvals grant (\S+)`\. Then send the same call again\./.exec(waiting) ?? [];
    expect(again).toBe(waiting);
    expect((await place.haft(["approvals", "grant", token])).status).toBe(0);
    expect(await run(client, "sh run.sh ")).toContain("approval is pending");
    expect(made()).toBe(false);
    expect(await run(client)).toContain("ran");
  }, 60_000);
});

describe("silence and changes", () => {
  it("a client that disconnects has not allowed the call", async () => {
    let isAsked = (): void => {};
    const asked = new Promise<void>((resolve) => {
      isAsked = resolve;
    });
    const silent = (): Promise<never> => {
      isAsked();
      return new Promise(() => {});
    };
    answers = [silent];
    const client = await oldClient(new OldStdio(server()));
    const done = run(client).catch(String);
    await asked;
    await client.close();
    await done;
    expect(made()).toBe(false);
    // The server ends by itself, and what it asked is not waiting for anybody.
    await expect
      .poll(async () => (await place.haft(["audit", "--json"])).stdout, { timeout: 20_000, interval: 500 })
      .toContain('"approval":"cancelled"');
    expect((await place.haft(["approvals", "list", "--json"])).stdout).toBe("[]\n");
  }, 60_000);

  it("a returned state allows nothing but the call that was asked about, once, to the client that was asked", async () => {
    const service = httpServer();
    const [client, bob] = [
      await newClient("auto", new NewHttp(...(await http(OWN_TOKEN, service)))),
      await newClient("auto", new NewHttp(...(await http("token-of-bob", service)))),
    ];
    const send = (from: NewClient, command: string, more: object = {}) =>
      from.callTool({ name: "bash", arguments: { command }, ...more }, { allowInputRequired: true });
    const stateOf = (result: object) => (result as { readonly requestState?: string }).requestState;
    const answered = (requestState: string | undefined, answer = "once") => ({
      requestState,
      inputResponses: { approval: yes(answer) },
    });
    const state = stateOf(await send(client, "sh run.sh"));
    expect(state).toMatch(/^[0-9a-f-]{36}$/);
    // Neither a token from the queue, nor an answer without a state, nor somebody else's state.
    const stored = await openSqliteState(place.state("state.db"));
    const [{ request } = { request: undefined }] = await stored.approvals.list();
    await stored.close();
    expect(request).toBeDefined();
    for (const forged of [request?.token, "00000000-0000-4000-8000-000000000000", undefined])
      expect(await send(client, "sh run.sh", answered(forged))).toMatchObject({ resultType: "input_required" });
    expect(await send(bob, "sh run.sh", answered(state))).toMatchObject({ resultType: "input_required" });
    // Another command with the answer for this one.
    const changed = await send(client, "sh run.sh; rm -rf other", answered(state));
    expect(JSON.stringify(changed)).toContain("The approval is for another call");
    expect(made()).toBe(false);
    // What the user allowed runs, once.
    expect(JSON.stringify(await send(client, "sh run.sh"))).toContain("ran");
    expect(await send(client, "sh run.sh", answered(state))).toMatchObject({ resultType: "input_required" });
  }, 60_000);
});
