import { describe, expect, it } from "vitest";
import type { CallEvent, RunOptions, ToolCall, ToolOutcome } from "../kernel/index.js";
import type { AdaptedBox } from "./adapted-box.js";
import { type GoogleOptions, toGoogleCallableTool, toGoogleTools } from "./google.js";
import { IMAGE_BASE64, providerBox } from "./provider-box.fixture.js";

const called = async (name: string, args?: unknown, options: GoogleOptions = {}, box: AdaptedBox = providerBox()) =>
  (await toGoogleTools(box, options).answer([{ id: "c1", name, args }]))[0]!.functionResponse;
const output = (name: string, value: string) => ({ id: "c1", name, response: { output: value } });
const failed = (name: string, value: string) => ({ id: "c1", name, response: { error: value } });

describe("the tools for a loop over generateContent", () => {
  it("are the descriptors of the box, in the field of the option", () => {
    const declared = (options?: GoogleOptions) =>
      toGoogleTools(providerBox(), options).tools[0]?.functionDeclarations[0];
    const schema = { type: "object", properties: { text: { type: "string" } }, required: ["text"] };
    expect(declared()).toMatchObject({ name: "echo", description: "Runs echo.", parametersJsonSchema: schema });
    expect(declared()).not.toHaveProperty("parameters");
    const parameters = { type: "OBJECT", properties: { text: { type: "STRING" } }, required: ["text"] };
    expect(declared({ jsonSchema: false })).toMatchObject({ name: "echo", parameters });
    expect(declared({ jsonSchema: false })).not.toHaveProperty("parametersJsonSchema");
  });

  it("answer with text as output, and images beside it", async () => {
    expect(await called("echo", { text: "a" })).toEqual(output("echo", "a"));
    expect(await called("nothing")).toEqual(output("nothing", ""));
    expect(await called("show", { mime: "image/png" })).toEqual({
      ...output("show", "Before\nafter"),
      parts: [{ inlineData: { mimeType: "image/png", data: IMAGE_BASE64 } }],
    });
  });

  it("say in a text which image Gemini does not take", async () => {
    expect(await called("show", { mime: "image/gif" })).toEqual(
      output("show", "Before\n[image/gif, 3 bytes, not shown: Gemini takes PNG, JPEG, WebP, HEIC and HEIF.]\nafter"),
    );
    expect(await called("show", { mime: "image/png" }, { images: false })).toEqual(
      output(
        "show",
        "Before\n[image/png, 3 bytes, not shown: this model takes no images in function responses.]\nafter",
      ),
    );
  });

  it("answer a failed call with an error, whatever it was", async () => {
    expect(await called("boom")).toEqual(failed("boom", "`boom` failed: boom"));
    expect(await called("mute")).toEqual(failed("mute", "The call failed without a message (failed)."));
    expect(await called("faulty")).toMatchObject({ response: { error: "It broke." }, parts: [{}] });
    for (const [name, args] of [
      ["frobnicate", {}],
      ["echo", undefined],
      ["echo", { text: {} }],
    ] as const)
      expect((await called(name, args)).response).toHaveProperty("error");
  });

  it("have an id only where the call has one, and report one all the same", async () => {
    const ids: string[] = [];
    const { answer } = toGoogleTools(providerBox(), { onOutcome: ({ id }) => ids.push(id) });
    expect(await answer([{ name: "echo", args: { text: "a" } }, { name: "nothing" }])).toEqual([
      { functionResponse: { name: "echo", response: { output: "a" } } },
      { functionResponse: { name: "nothing", response: { output: "" } } },
    ]);
    expect(ids.sort()).toEqual(["call-1", "call-2"]);
  });

  it("answer a call without a name", async () => {
    const [part] = await toGoogleTools(providerBox()).answer([{}]);
    expect(part?.functionResponse.response).toHaveProperty("error");
  });

  it("ask the approver of the box, and hand the outcome to the host", async () => {
    const ran: string[] = [];
    const outcomes: ToolOutcome[] = [];
    const onOutcome = (one: ToolOutcome) => outcomes.push(one);
    expect((await called("asked", {}, { onOutcome }, providerBox({ ran }))).response).toHaveProperty("error");
    expect(ran).toEqual([]);
    const approver = { ask: async () => ({ by: "ada", scope: "once" as const }) };
    expect(await called("asked", {}, { onOutcome }, providerBox({ ran, approver }))).toEqual(output("asked", "ran"));
    expect(outcomes).toMatchObject([
      { id: "c1", status: "denied" },
      { id: "c1", status: "ok" },
    ]);
  });

  it("answer all calls of a response, in order, and none", async () => {
    const { answer } = toGoogleTools(providerBox());
    const answers = await answer([{ name: "boom" }, { name: "echo", args: { text: "1" } }]);
    expect(answers.map(({ functionResponse }) => functionResponse.response)).toEqual([
      { error: "`boom` failed: boom" },
      { output: "1" },
    ]);
    expect(await answer(undefined)).toEqual([]);
    await expect(answer([], { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough");
  });

  it("pass on the events of a call", async () => {
    const events: CallEvent[] = [];
    const box = providerBox();
    const progress = { kind: "progress", message: "half", callId: "c1" } as const;
    const reporting: AdaptedBox = {
      ...box,
      runner: {
        run(call: ToolCall, options?: RunOptions | null) {
          options?.onEvent?.(progress);
          return box.runner.run(call, options);
        },
      },
    };
    await called("echo", { text: "a" }, { onEvent: (event) => events.push(event) }, reporting);
    expect(events).toEqual([progress]);
  });

  it("cancel the calls by the signal", async () => {
    const outcomes: ToolOutcome[] = [];
    const { answer } = toGoogleTools(providerBox(), { onOutcome: (one) => outcomes.push(one) });
    const stopped = answer([{ name: "echo", args: { text: "a" } }], { signal: AbortSignal.abort(new Error("enough")) });
    await expect(stopped).rejects.toThrow("enough");
    expect(outcomes).toMatchObject([{ status: "cancelled" }]);
  });

  it("answer only the calls of their own tools where asked to", async () => {
    const { answer } = toGoogleTools(providerBox());
    const parts = await answer([{ name: "other" }, { name: "nothing" }], { ownOnly: true });
    expect(parts.map(({ functionResponse }) => functionResponse.name)).toEqual(["nothing"]);
  });
});

describe("the callable tool for automatic function calling", () => {
  it("declares the tools and answers all calls of a turn, in order", async () => {
    const tool = toGoogleCallableTool(providerBox());
    expect((await tool.tool()).functionDeclarations).toEqual(
      toGoogleTools(providerBox()).tools[0]?.functionDeclarations,
    );
    const answers = await tool.callTool([{ name: "echo", args: { text: "1" } }, { name: "boom" }, { name: "other" }]);
    expect(answers.map(({ functionResponse }) => functionResponse.response)).toMatchObject([
      { output: "1" },
      { error: "`boom` failed: boom" },
      { error: expect.stringContaining("other") },
    ]);
  });

  it("leaves calls of other names to other tools where asked to", async () => {
    const tool = toGoogleCallableTool(providerBox(), { ownOnly: true });
    const answers = await tool.callTool([{ name: "other" }, { name: "echo", args: { text: "1" } }]);
    expect(answers.map(({ functionResponse }) => functionResponse.name)).toEqual(["echo"]);
  });

  it("ends the loop with the reason of the signal, once the calls have ended", async () => {
    const stop = new AbortController();
    const ran: string[] = [];
    const outcomes: ToolOutcome[] = [];
    const options = { signal: stop.signal, onOutcome: (one: ToolOutcome) => outcomes.push(one) };
    const calling = toGoogleCallableTool(providerBox({ ran }), options).callTool([{ name: "wait" }]);
    await expect.poll(() => ran).toEqual(["wait"]);
    stop.abort(new Error("enough"));
    await expect(calling).rejects.toThrow("enough");
    expect(outcomes).toHaveLength(1);
  });
});

it("unknown options are refused", () => {
  expect(() => toGoogleTools(providerBox(), { signal: AbortSignal.abort() } as object)).toThrow(
    "`toGoogleTools` has no option `signal`. Its options: jsonSchema, images, onEvent, onOutcome.",
  );
  expect(() => toGoogleCallableTool(providerBox(), { owOnly: true } as object)).toThrow("Did you mean `ownOnly`?");
});
