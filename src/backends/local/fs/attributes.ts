/** Copies access control lists and extended attributes, for which Node.js has no API. */
import { spawn } from "node:child_process";
import { killAfter } from "../../../host/index.js";
import { systemCode } from "./faults.js";

const TIMEOUT_MS = 5_000;
const STDERR_MAX = 2_000;
const OPTIONS = ["--attributes-only", "--preserve=mode,ownership,xattr", "--", "/proc/self/fd/3", "/proc/self/fd/4"];
/** Error messages of a `cp` that is not from GNU. */
const UNKNOWN_OPTION = /attributes-only|(?:unrecognized|illegal|invalid) option/i;

/**
 * Copies them from one open file to another. False if that failed.
 * Without GNU `cp` they are not copied, and the result is true.
 */
export type CopyAttributes = (from: number, to: number) => Promise<boolean>;

/** Starts `cp` only until it is known that it is not from GNU. */
export function createAttributeCopy(): CopyAttributes {
  let isGnu = true;
  const copy = (from: number, to: number) =>
    new Promise<boolean>((resolve) => {
      const env = { PATH: process.env.PATH ?? "", LC_ALL: "C" };
      const child = spawn("cp", OPTIONS, { stdio: ["ignore", "ignore", "pipe", from, to], env });
      killAfter(child, TIMEOUT_MS);
      let stderr = "";
      // Absent when no descriptor was free.
      child.stderr?.on("data", (chunk: Buffer) => {
        stderr = (stderr + chunk.toString("latin1")).slice(0, STDERR_MAX);
      });
      child.once("error", (thrown) => {
        if (systemCode(thrown) === "ENOENT") isGnu = false;
        resolve(!isGnu);
      });
      child.once("close", (code) => {
        if (code !== 0 && UNKNOWN_OPTION.test(stderr)) isGnu = false;
        resolve(code === 0 || !isGnu);
      });
    });
  return async (from, to) => !isGnu || copy(from, to).catch(() => false);
}
