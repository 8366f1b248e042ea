#!/usr/bin/env node
/** The `haft` program. It loads only the code that the command needs. */
import module from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { quickServe } from "./commands/serve/quick-serve.js";
import { EXIT, exitCodeOf, printProblem, refuseSystem } from "./usage.js";

enableCompileCache();

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of the pipe has closed it.
  if (error.code === "EPIPE") return;
  const prefix = process.argv[2] === "call" ? "the call completed, but its" : "the";
  process.stderr.write(`haft: ${prefix} output could not be printed: ${error.message}.\n`);
  // On exit, because the command may still set its own status.
  process.once("exit", () => {
    process.exitCode = EXIT.errorResult;
  });
});

// A closed stderr must not stop a server.
process.stderr.on("error", () => {});

try {
  refuseSystem();
  const args = process.argv.slice(2);
  const serveOptions = quickServe(args);
  if (serveOptions !== undefined) {
    const { serveCommand } = await import("./commands/serve/run-serve.js");
    process.exitCode = await serveCommand(serveOptions);
  } else {
    const { buildProgram, requireSubcommand } = await import("./program.js");
    const program = buildProgram();
    await requireSubcommand(program, args);
    await program.parseAsync();
  }
} catch (error) {
  await printProblem(error);
  process.exitCode = exitCodeOf(error);
}

/**
 * Enables Node.js's compile cache (Node.js 22 and later). It lies in the user's cache directory: in the shared directory for temporary
 * files another user could replace the code.
 */
function enableCompileCache(): void {
  const node = module as { enableCompileCache?(directory: string): unknown };
  const { XDG_CACHE_HOME: configured = "" } = process.env;
  const caches = configured.startsWith("/") ? configured : join(homeOfUser(), ".cache");
  if (caches.startsWith("/")) node.enableCompileCache?.(`${caches}/haft/compiled`);
}

/** Empty where it is not known; a command that needs it then says so. */
function homeOfUser(): string {
  try {
    return homedir();
  } catch {
    return "";
  }
}
