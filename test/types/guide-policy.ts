import { createInterface } from "node:readline/promises";
import { type Approver, createToolkit, oneAtATime } from "../../src/index.js";

const approver: Approver = oneAtATime({
  async ask({ call, reason, preview, arguments: input }, { signal }) {
    const shown = preview?.kind === "diff" ? preview.diff : JSON.stringify(preview ?? input);
    const question = `${reason}\n${call.tool}: ${shown}\nAllow it? [y/N] `;
    const terminal = createInterface(process.stdin, process.stderr);
    const typed = await terminal.question(question, { signal }).finally(() => terminal.close());
    return typed === "y" ? { by: "ada", scope: "once" } : { denied: "The user said no." };
  },
});
export const toolkit = await createToolkit({ approver });
