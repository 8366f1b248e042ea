/** Access control lists and extended attributes, which Node.js cannot read or write. */
import { spawn } from "node:child_process";
import { killAfter } from "../../../host/index.js";
import { systemCode } from "./faults.js";

const TIMEOUT_MS = 5_000;
const STDERR_MAX = 2_000;
const OPTIONS = ["--attributes-only", "--preserve=mode,ownership,xattr", "--", "/proc/self/fd/3", "/proc/self/fd/4"];
/** What a `cp` prints that is not GNU's. */
const UNKNOWN_OPTION = /attributes-only|(?:unrecognized|illegal|invalid) option/i;

/**
 * Copies them from one open file to another. False: the copy failed, so the new file may not have what the old one has.
 * Where there is no GNU `cp` they are not copied, and the answer is true.
 */
export type CopyAttributes = (from: number, to: number) => Promise<boolean>;

/** Remembers that there is no GNU `cp`, so that it is not started again. */
export function createAttributeCopy(): CopyAttributes {
  let isGnu = true;
  const copy = (from: number, to: number) =>
    new Promise<boolean>((resolve) => {
      const env = { PATH: process.env.PATH ?? "", LC_ALL: "C" };
      const child = spawn("cp", OPTIONS, { stdio: ["ignore", "ignore", "pipe", from, to], env });
      killAfter(child, TIMEOUT_MS);
      let stderr = "";
      // Too few descriptors leave none for it.
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
