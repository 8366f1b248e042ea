/** Without the AI SDK: tools as its functions make them. The real ones are played in test/sdks. */
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { type Claim, createToolBox, type DefinedTool } from "../kernel/index.js";
import { bareContext, bareHost, policyOf } from "../testing/fakes/bare-host.fixture.js";
import { type ForeignAiSdkTool, type FromAiSdkOptions, fromAiSdk } from "./from-ai-sdk.js";

const city = z.object({ city: z.string() });
const jsonSchema = (json: unknown, validate?: unknown) => ({
  [Symbol.for("vercel.ai.schema")]: true,
  jsonSchema: json,
  validate,
});
const cityJson = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };

const foreign = (more: Partial<ForeignAiSdkTool> = {}): ForeignAiSdkTool => ({
  description: "Weather.",
  inputSchema: city,
  execute: async (input: unknown) => input,
  ...more,
});
const taken = (more?: Partial<ForeignAiSdkTool>, options?: FromAiSdkOptions) =>
  fromAiSdk("weather", foreign(more), options);

async function called(tool: DefinedTool, input: unknown = { city: "Ulm" }) {
  const claims: Claim[] = [];
  const policy = policyOf((stated) => {
    claims.push(...stated);
    return { effect: "allow" };
  });
  const box = createToolBox([tool], () => bareContext(bareHost({ policy })));
  return { claims, ...(await box.runner.run({ id: "c", name: "weather", input })) };
}

describe("a tool of the AI SDK", () => {
  it("is described as there, and claims that another SDK runs it", async () => {
    const tool = taken({ title: "The weather" });
    expect(tool).toMatchObject({ name: "weather", label: "The weather", description: "Weather.", effect: "write" });
    expect((await called(tool)).claims).toEqual([{ kind: "external", source: "ai-sdk", tool: "weather" }]);
  });

  it.each([
    ["zod", city],
    ["jsonSchema()", jsonSchema(cityJson)],
    ["jsonSchema() with a check of its own", jsonSchema(cityJson, (value: unknown) => checked(value))],
    ["a function that returns one", () => jsonSchema(cityJson)],
  ])("takes its schema from %s", async (_, inputSchema) => {
    const tool = taken({ inputSchema });
    expect(tool.parameters).toMatchObject(cityJson);
    expect(await called(tool)).toMatchObject({ status: "ok", output: { city: "Ulm" } });
    expect(await called(tool, { city: 5.5 })).toMatchObject({ status: "invalid" });
  });

  it("gets what the AI SDK passes", async () => {
    let seen: unknown;
    const execute = (_: unknown, call: unknown) => {
      seen = call;
    };
    await called(taken({ execute }));
    expect(seen).toMatchObject({ toolCallId: "c", messages: [], abortSignal: expect.any(AbortSignal) });
  });

  it("has failed where it never stops to give outputs", async () => {
    const next = async () => ({ done: false, value: 1 });
    const execute = () => ({ [Symbol.asyncIterator]: () => ({ next }) });
    expect(await called(taken({ execute }))).toMatchObject({
      status: "failed",
      output: "`weather` failed: The tool returned more than 10000 intermediate outputs.",
    });
  });

  it("has failed where it throws", async () => {
    const execute = () => {
      throw new Error("no network");
    };
    expect(await called(taken({ execute }))).toMatchObject({
      status: "failed",
      output: "`weather` failed: no network",
    });
  });

  it.each([
    ["a text", "sunny", [{ kind: "text", text: "sunny" }]],
    [
      "an object",
      { sun: true, at: new Date(0) },
      [{ kind: "json", value: { sun: true, at: "1970-01-01T00:00:00.000Z" } }],
    ],
    ["nothing", undefined, [{ kind: "json", value: null }]],
  ])("shows %s", async (_, output, content) => {
    expect((await called(taken({ execute: async () => output }))).content).toMatchObject(content);
  });

  it("has the last of several outputs", async () => {
    const execute = async function* () {
      yield "loading";
      yield "sunny";
    };
    expect(await called(taken({ execute }))).toMatchObject({ output: "sunny" });
  });

  const bytes = new Uint8Array([1, 2, 3]);
  const image = { kind: "image", mime: "image/png" };
  it.each([
    [{ type: "text", value: "a" }, false, [{ kind: "text", text: "a" }]],
    [{ type: "json", value: [1] }, false, [{ kind: "json", value: [1] }]],
    [{ type: "error-text", value: "a" }, true, [{ kind: "text", text: "a" }]],
    [{ type: "error-json", value: { a: 1 } }, true, [{ kind: "json", value: { a: 1 } }]],
    [{ type: "execution-denied", reason: "no" }, true, [{ kind: "text", text: "no" }]],
    [{ type: "content", value: [{ type: "text", text: "a" }] }, false, [{ kind: "text", text: "a" }]],
    [{ type: "content", value: [{ type: "media", mediaType: "image/png", data: "AQID" }] }, false, [image]],
    [{ type: "content", value: [{ type: "image-data", mediaType: "image/png", data: "AQID" }] }, false, [image]],
    [
      { type: "content", value: [{ type: "file", mediaType: "image/png", data: { type: "data", data: bytes } }] },
      false,
      [image],
    ],
    [
      {
        type: "content",
        value: [{ type: "file", mediaType: "image", data: { type: "url", url: new URL("https://a/b") } }],
      },
      false,
      [{ kind: "resource", uri: "https://a/b" }],
    ],
    [
      { type: "content", value: [{ type: "image-url", url: "https://a/b" }] },
      false,
      [{ kind: "resource", uri: "https://a/b" }],
    ],
    [
      { type: "content", value: [{ type: "file", mediaType: "text/plain", data: { type: "text", text: "a" } }] },
      false,
      [{ kind: "text", text: "a" }],
    ],
    [
      { type: "content", value: [{ type: "file-data", mediaType: "application/pdf", data: "AQID" }] },
      false,
      [{ kind: "text", text: "[application/pdf, 3 bytes, not shown]" }],
    ],
    [{ type: "content", value: [{ type: "custom" }] }, false, [{ kind: "json", value: { type: "custom" } }]],
  ])("gives the model %j", async (output, isError, content) => {
    const outcome = await called(taken({ toModelOutput: () => output }));
    expect(outcome).toMatchObject({ isError, content });
    if (content[0]?.kind === "image") expect(outcome.content[0]).toMatchObject({ data: bytes });
  });
});

describe("`needsApproval` of the tool", () => {
  const claimOf = async (needsApproval: unknown) =>
    (await called(taken({ needsApproval } as Partial<ForeignAiSdkTool>))).claims[0];

  it("demands an approval of each call", async () => {
    expect(await claimOf(true)).toMatchObject({ approval: "each-call" });
    expect(await claimOf(({ city }: { city: string }) => city === "Ulm")).toMatchObject({ approval: "each-call" });
    expect(await claimOf(async () => "yes")).toMatchObject({ approval: "each-call" });
    expect(await claimOf(false)).not.toHaveProperty("approval");
    expect(await claimOf(({ city }: { city: string }) => city === "Bonn")).not.toHaveProperty("approval");
  });

  it("runs nothing where it fails", async () => {
    const needsApproval = () => {
      throw new Error("unknown user");
    };
    expect(await called(taken({ needsApproval }))).toMatchObject({ isError: true, claims: [] });
  });
});

describe("a tool that cannot be taken", () => {
  const later = jsonSchema(Promise.resolve(cityJson));
  const bare = { "~standard": { version: 1, vendor: "old", validate: (value: unknown) => ({ value }) } };

  it.each([
    [{ execute: undefined }, 'Did not take the AI SDK tool "weather": it has no `execute`'],
    [{ description: () => "x" }, "it has no text as `description`. Pass `description` as an option"],
    [{ inputSchema: later }, "its JSON Schema is a promise. Pass it: `fromAiSdk(name, tool, { parameters:"],
    [{ inputSchema: bare }, "its old schema gives no JSON Schema. Pass it:"],
    [
      { inputSchema: undefined, parameters: cityJson },
      'Did not take the AI SDK tool "weather": it has no `inputSchema`. Haft takes tools of AI SDK 6 and 7.',
    ],
    [{ inputSchema: {} }, "its `inputSchema` is not one that the AI SDK 6 or 7 accepts"],
  ])("is refused with what to do: %j", (more, message) => {
    expect(() => taken(more as Partial<ForeignAiSdkTool>)).toThrow(message);
  });

  it("is taken with what is missing", async () => {
    for (const inputSchema of [later, bare])
      expect(await called(taken({ inputSchema }, { parameters: cityJson }))).toMatchObject({ output: { city: "Ulm" } });
    expect(taken({ description: () => "x" }, { description: "Weather." })).toMatchObject({ description: "Weather." });
    expect(() => fromAiSdk("x", undefined as never)).toThrow(
      'Did not take the AI SDK tool "x": it is not what `tool()` of the AI SDK returns.',
    );
    expect(() => (fromAiSdk as (tool: unknown) => unknown)({ inputSchema: city })).toThrow(
      'Did not take the AI SDK tool: `fromAiSdk` needs the name first: `fromAiSdk("weather", weather)`.',
    );
    expect(() => taken({}, { deadline: 1 } as never)).toThrow("Did you mean `deadlineMs`?");
  });
});

function checked(value: unknown) {
  const { success, data, error } = city.safeParse(value);
  return success ? { success, value: data } : { success, error };
}
