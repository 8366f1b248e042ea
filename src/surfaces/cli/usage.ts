/** Usage errors and exit statuses. */
/** 0 success, 1 the result is an error, 2 wrong usage or the command could not start, 130 interrupted. */
export const EXIT = { ok: 0, errorResult: 1, usage: 2, interrupted: 130 } as const;

export const DEFAULT_DIALECT = "haft";

/** Options that take a directory, of whatever command. */
export const DIRECTORY_OPTIONS = ["workspace", "state"] as const;

/** The command line is wrong. The message says what to change. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws UsageError on Windows, which has no POSIX shell and file system. */
export function refuseSystem(): void {
  if (process.platform !== "win32") return;
  throw new UsageError("Haft does not run on Windows. Install WSL (wsl --install) and run Haft there.");
}

/** commander throws to exit: with 0 after help or the version, else after it printed a message. */
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
  // Loaded for errors only: help and version do not need it.
  const { HaftError, messageOf } = await import("../../kernel/index.js");
  const { shownLines } = await import("./output.js");
  const isExpected = error instanceof UsageError || HaftError.is(error);
  process.stderr.write(`haft: ${shownLines(isExpected ? messageOf(error) : describeFault(error))}\n`);
}

/** Thrown by the first use of the current directory, also by resolving a relative path. */
function isCurrentDirectoryGone(error: unknown): boolean {
  return (error as { readonly syscall?: unknown } | undefined)?.syscall === "uv_cwd";
}

/** Imports nothing: that would need another file descriptor. */
function tooFewFiles(): string {
  const report = process.report?.getReport() as
    | { readonly userLimits?: Record<string, { readonly soft?: unknown }> }
    | undefined;
  const most = report?.userLimits?.open_files?.soft;
  const limit = typeof most === "number" || typeof most === "string" ? `${most} ` : "a few ";
  return `Did not start: this process may open only ${limit}files, which is too few. Raise the limit with \`ulimit -n 1024\`.`;
}

/** A bug in Haft, so the stack is printed. */
function describeFault(error: unknown): string {
  return error instanceof Error ? `unexpected error: ${error.stack ?? error.message}` : `unexpected error: ${error}`;
}

function isCommanderEnd(error: unknown): error is CommanderEnd {
  const { code, exitCode } = (error ?? {}) as Partial<CommanderEnd>;
  return typeof code === "string" && code.startsWith("commander.") && typeof exitCode === "number";
}
