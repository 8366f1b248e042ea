import { fail, type ToolResult } from "../../kernel/index.js";
import { hasLoneSurrogate } from "../../text/index.js";
import { quoted } from "../shared/path-input.js";
import type { ProcessAction, ProcessInput } from "./contract.js";

const NEEDS: Readonly<Record<ProcessAction, "command" | "id" | undefined>> = {
  start: "command",
  list: undefined,
  poll: "id",
  wait: "id",
  write: "id",
  signal: "id",
  stop: "id",
};

/** Refuses invalid input, in one sentence. */
export function refuseProcess(input: ProcessInput): ToolResult<never> | undefined {
  const { action, command, id, cwd, timeoutMs } = input;
  const half = "contains a lone surrogate (half a character); send whole characters";
  const needed = NEEDS[action];
  const problem = (
    [
      [
        "command",
        needed === "command" && (command ?? "").trim() === "",
        `is missing; \`${action}\` takes a shell command`,
      ],
      [
        "id",
        needed === "id" && (id ?? "") === "",
        `is missing; \`${action}\` takes the id of a job, which \`list\` shows`,
      ],
      ["command", command?.includes("\0") === true, "contains a NUL byte, which no shell accepts"],
      ["command", hasLoneSurrogate(command ?? ""), half],
      ["input", hasLoneSurrogate(input.input ?? ""), half],
      ["cwd", hasLoneSurrogate(cwd ?? ""), half],
      ["cwd", cwd === "" || cwd?.includes("\0") === true, `was ${quoted(cwd ?? "")}, which is not a directory`],
      ["timeoutMs", !isTimeout(timeoutMs), `was ${timeoutMs}; must be an integer of at least 1`],
    ] as const
  ).find(([, isBad]) => isBad);
  if (problem === undefined) return undefined;
  const [parameter, , words] = problem;
  const text = `\`${parameter}\` ${words}`;
  return fail("CALL_INVALID", `Did not ${action} anything: ${text}.`, { details: { parameter, problem: text } });
}

function isTimeout(timeoutMs: number | undefined): boolean {
  return timeoutMs === undefined || (Number.isFinite(timeoutMs) && timeoutMs >= 1);
}
