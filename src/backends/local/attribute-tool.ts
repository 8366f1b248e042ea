/** Runs the GNU programs that see what Node cannot: access control lists and extended attributes. */
import { spawn } from "node:child_process";
import { killAfter, sendSignal } from "../../host/index.js";
import { systemCode } from "./fs-faults.js";

const TIMEOUT_MS = 5_000;
const SAID_MAX = 2_000;

export interface AttributeTool {
  readonly program: "cp" | "tar";
  readonly options: readonly string[];
  /** Its descriptors 3 and 4. */
  readonly descriptors: readonly [number, number];
  /** Takes what it prints; `kill` ends it. Absent: nobody looks at it. */
  onOutput?(chunk: Buffer, kill: () => void): void;
}

/**
 * "absent": there is no such program. "not started": there may be the next time, for a machine may be short of processes for
 * a moment. `said`: the first 2,000 characters of its standard error; `code` is null where it was killed, after 5 s by its limit.
 */
export type AttributeToolEnd = { readonly code: number | null; readonly said: string } | "absent" | "not started";

export function runAttributeTool({
  program,
  options,
  descriptors,
  onOutput,
}: AttributeTool): Promise<AttributeToolEnd> {
  return new Promise((resolve) => {
    const notStarted = (thrown: unknown) => resolve(systemCode(thrown) === "ENOENT" ? "absent" : "not started");
    try {
      const child = spawn(program, options, {
        stdio: ["ignore", onOutput === undefined ? "ignore" : "pipe", "pipe", ...descriptors],
        env: { PATH: process.env.PATH ?? "", LC_ALL: "C" },
      });
      killAfter(child, TIMEOUT_MS);
      let said = "";
      child.stdout?.on("data", (chunk: Buffer) => onOutput?.(chunk, () => sendSignal(child, "SIGKILL")));
      child.stderr?.on("data", (chunk: Buffer) => {
        said = (said + chunk.toString("latin1")).slice(0, SAID_MAX);
      });
      child.once("error", notStarted);
      child.once("close", (code) => resolve({ code, said }));
    } catch (thrown) {
      notStarted(thrown);
    }
  });
}
