/** What the command line refuses, and the exit status that says so. */
/** 0 done, 1 the call's result is an error, 2 the command was not understood or could not begin, 130 it was interrupted. */
export const EXIT = { ok: 0, errorResult: 1, usage: 2, interrupted: 130 } as const;

/** The dialect where no option names another. */
export const DEFAULT_DIALECT = "haft";

/** A command that cannot be carried out as it was given. The message says what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws UsageError on Windows, where the tools' shell and files are not those that they promise. */
export function refuseSystem(): void {
  if (process.platform !== "win32") return;
  throw new UsageError("Haft does not run on Windows itself. Install it in WSL (wsl --install) and run it there.");
}

/** commander throws to end the program: with 0 after help or the version, else with a message that it has already told. */
interface CommanderEnd {
  readonly code: string;
  readonly exitCode: number;
}

export function exitCodeOf(error: unknown): number {
  return isCommanderEnd(error) && error.exitCode === 0 ? EXIT.ok : EXIT.usage;
}

export async function printProblem(error: unknown): Promise<void> {
  if (isCommanderEnd(error)) return;
  if (isCurrentDirectoryGone(error)) {
    process.stderr.write(
      "haft: Did not start: the current directory was deleted or cannot be read. Change to an existing directory, or name one by an absolute path with `--workspace DIR`.\n",
    );
    return;
  }
  if ((error as { readonly code?: unknown } | null)?.code === "EMFILE") {
    process.stderr.write(`haft: ${tooFewFiles()}\n`);
    return;
  }
  // Loaded only when something is wrong: help and version need none of it.
  const { HaftError, messageOf } = await import("../../kernel/index.js");
  const { shownLines } = await import("./print-notice.js");
  const isExpected = error instanceof UsageError || HaftError.is(error);
  process.stderr.write(`haft: ${shownLines(isExpected ? messageOf(error) : describeFault(error))}\n`);
}

/** Thrown by whatever first asks Node.js for it, also to make a relative path absolute. */
function isCurrentDirectoryGone(error: unknown): boolean {
  return (error as { readonly syscall?: unknown } | undefined)?.syscall === "uv_cwd";
}

/** Nothing is imported for it: that would need what is missing. */
function tooFewFiles(): string {
  const report = process.report?.getReport() as
    | { readonly userLimits?: Record<string, { readonly soft?: unknown }> }
    | undefined;
  const most = report?.userLimits?.open_files?.soft;
  const limit = typeof most === "number" || typeof most === "string" ? `${most} ` : "a few ";
  return `Did not start: this process may have only ${limit}files open at once, which is too few. Raise the limit with \`ulimit -n 1024\`.`;
}

/** Ours to mend, so the stack is shown. */
function describeFault(error: unknown): string {
  return error instanceof Error ? `unexpected fault: ${error.stack ?? error.message}` : `unexpected fault: ${error}`;
}

function isCommanderEnd(error: unknown): error is CommanderEnd {
  const { code, exitCode } = (error ?? {}) as Partial<CommanderEnd>;
  return typeof code === "string" && code.startsWith("commander.") && typeof exitCode === "number";
}
