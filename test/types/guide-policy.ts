import { createInterface } from "node:readline/promises";
import { type Approver, createToolkit } from "../../src/index.js";

const approver: Approver = {
  async ask({ call, reason, preview, arguments: input }) {
    const shown = preview?.kind === "diff" ? preview.diff : JSON.stringify(preview ?? input);
    const terminal = createInterface(process.stdin, process.stderr);
    const typed = await terminal.question(`${reason}\n${call.tool}: ${shown}\nAllow it? [y/N] `);
    terminal.close();
    return typed === "y" ? { by: "ada", scope: "once" } : { denied: "The user said no." };
  },
};
export const toolkit = await createToolkit({ approver });
