import { type Approver, type ContentBlock, providerSchema, type ToolBox } from "../../src/index.js";

export function toolsOf(box: ToolBox, confirm: (reason: string) => Promise<boolean>) {
  const approver: Approver = {
    ask: async ({ reason }) =>
      (await confirm(reason)) ? { by: "user", scope: "once" } : { denied: "The user said no." },
  };
  return box.descriptors().map(({ name, description, parameters }) => ({
    ...{ name, description, parameters: providerSchema(parameters, "openai").schema },
    async run(id: string, input: unknown, signal: AbortSignal) {
      const { content, isError } = await box.runner.run({ id, name, input }, { signal, approver });
      return { isError, content: content.map(partOf) };
    },
  }));
}

function partOf(block: ContentBlock) {
  if (block.kind === "image") return { image: block.mime, base64: Buffer.from(block.data).toString("base64") };
  return { text: block.kind === "text" ? block.text : JSON.stringify(block.kind === "json" ? block.value : block) };
}
