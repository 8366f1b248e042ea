/** Copies access control lists and extended attributes, for which Node.js has no API. */
import { spawn } from "node:child_process";
import { sendSignal, systemProgram } from "../../../host/index.js";
import { systemCode } from "./faults.js";

const TIMEOUT_MS = 5_000;
/** How long the error message of a failed `cp` is awaited once it has exited: another process may keep the pipe open. */
const STDERR_WAIT_MS = 200;
const STDERR_MAX = 2_000;
const OPTIONS = ["--attributes-only", "--preserve=mode,ownership,xattr", "--", "/proc/self/fd/3", "/proc/self/fd/4"];
/** Error messages of a `cp` that is not from GNU. */
const UNKNOWN_OPTION = /attributes-only|(?:unrecognized|illegal|invalid) option/i;

/**
 * Copies them from one open file to another. False if that failed or took too long.
 * Without GNU `cp` they are not copied, and the result is true.
 */
export type CopyAttributes = (from: number, to: number) => Promise<boolean>;

interface AttributeCopyOptions {
  /** Finds the absolute path of `cp`, once, on first use. Default: that of the operating system. */
  readonly find?: () => string | undefined;
  readonly timeoutMs?: number;
}

/** Starts `cp` only until it is known that it is missing or not from GNU. */
export function createAttributeCopy(options: AttributeCopyOptions = {}): CopyAttributes {
  const { find = () => systemProgram("cp"), timeoutMs = TIMEOUT_MS } = options;
  let cp: string | undefined;
  let isGnu = true;
  const copy = (program: string, from: number, to: number) =>
    new Promise<boolean>((resolve) => {
      const stdio = ["ignore", "ignore", "pipe", from, to] as const;
      const child = spawn(program, OPTIONS, { stdio: [...stdio], env: { LC_ALL: "C" }, detached: true });
      let stderr = "";
      const settle = (isCopied: boolean) => {
        clearTimeout(timer);
        child.stderr?.destroy();
        // If SIGKILL cannot end it, it must not keep this process alive.
        child.unref();
        if (!isCopied && UNKNOWN_OPTION.test(stderr)) isGnu = false;
        resolve(isCopied || !isGnu);
      };
      let timer = setTimeout(() => {
        sendSignal({ groupOf: child }, "SIGKILL");
        settle(false);
      }, timeoutMs);
      // Absent when no descriptor was free.
      child.stderr?.on("data", (chunk: Buffer) => {
        stderr = (stderr + chunk.toString("latin1")).slice(0, STDERR_MAX);
      });
      child.once("error", (thrown) => {
        if (systemCode(thrown) === "ENOENT") isGnu = false;
        settle(false);
      });
      child.once("exit", (code) => {
        if (code === 0) return settle(true);
        clearTimeout(timer);
        timer = setTimeout(() => settle(false), STDERR_WAIT_MS);
      });
      child.once("close", (code) => settle(code === 0));
    });
  return async (from, to) => {
    if (isGnu) cp ??= find();
    if (cp === undefined) isGnu = false;
    return !isGnu || cp === undefined || copy(cp, from, to).catch(() => false);
  };
}
