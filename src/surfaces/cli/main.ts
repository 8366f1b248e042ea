#!/usr/bin/env node
/** The `haft` command. It loads what the chosen command needs and nothing else. */
import module from "node:module";
import { homedir } from "node:os";
import { quickServe } from "./quick-serve.js";
import { EXIT, exitCodeOf, printProblem, refuseSystem } from "./usage.js";

keepCompiledCode();

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe has had enough; what is still to come has no reader either.
  if (error.code === "EPIPE") return;
  const done = process.argv[2] === "call" ? "The call was done, but its" : "Its";
  process.stderr.write(`haft: ${done} answer could not be printed: ${error.message}.\n`);
  // At the very end: the command may not have set its own status yet.
  process.once("exit", () => {
    process.exitCode = EXIT.errorResult;
  });
});

// Notes for a reader who has gone are lost; what a server does for its client goes on.
process.stderr.on("error", () => {});

try {
  refuseSystem();
  const args = process.argv.slice(2);
  const served = quickServe(args);
  if (served !== undefined) {
    const { serveCommand } = await import("./commands/serve.js");
    process.exitCode = await serveCommand(served);
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
 * Where Node.js can, from 22 on, it keeps what it has compiled for the next start: among the user's own files, since in the
 * shared directory for temporary files another user could put code in its place.
 */
function keepCompiledCode(): void {
  const { enableCompileCache } = module as { enableCompileCache?(directory: string): unknown };
  const { XDG_CACHE_HOME: named = "" } = process.env;
  const caches = named.startsWith("/") ? named : `${homedir()}/.cache`;
  if (caches.startsWith("/")) enableCompileCache?.(`${caches}/haft/compiled`);
}
