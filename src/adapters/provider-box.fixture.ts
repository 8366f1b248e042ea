/** A box whose tools return what adapters have to translate. */
import { type Approver, createToolBox, defineTool, text } from "../kernel/index.js";
import { bareContext, bareHost, policyOf } from "../testing/fakes/bare-host.fixture.js";

export const IMAGE_BASE64 = "AQID";

/** What ran, in order. */
export type Ran = string[];

/** Tools: echo, show (an image of a type), faulty (an error with an image), mute, nothing, blank, boom, wait, asked. */
export function providerBox({ approver, ran = [] }: { readonly approver?: Approver; readonly ran?: Ran } = {}) {
  const image = (mime: string) => ({ kind: "image" as const, mime, data: new Uint8Array([1, 2, 3]) });
  const string = { type: "string" } as const;
  const object = (properties: Record<string, typeof string>) => ({
    type: "object" as const,
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
  });
  const tool = (name: string, run: Parameters<typeof defineTool>[0]["run"], properties = {}) =>
    defineTool({ name, description: `Runs ${name}.`, parameters: object(properties), run });
  const tools = [
    tool("echo", (input) => text((input as { text: string }).text), { text: string }),
    tool(
      "show",
      (input) => ({
        content: [
          { kind: "text", text: "Before" },
          image((input as { mime: string }).mime),
          { kind: "text", text: "after" },
        ],
        isError: false,
      }),
      { mime: string },
    ),
    tool("faulty", () => ({ content: [{ kind: "text", text: "It broke." }, image("image/png")], isError: true })),
    tool("mute", () => ({ content: [{ kind: "text", text: "" }], isError: true })),
    tool("nothing", () => text("")),
    tool("blank", () => text(" \n")),
    tool("boom", () => {
      throw new Error("boom");
    }),
    tool("wait", (_, ctx) => {
      ran.push("wait");
      return new Promise((resolve) => ctx.signal.addEventListener("abort", () => resolve(text("late"))));
    }),
    defineTool({
      name: "asked",
      description: "",
      parameters: object({}),
      effect: "write",
      claims: () => [{ kind: "external", source: "test", tool: "asked" }],
      run: () => {
        ran.push("asked");
        return text("ran");
      },
    }),
  ];
  const policy = policyOf((claims) => ({ effect: claims.length > 0 ? "ask" : "allow" }));
  const context = bareContext(bareHost({ policy, ...(approver === undefined ? {} : { approver }) }));
  return createToolBox(tools, () => context);
}
