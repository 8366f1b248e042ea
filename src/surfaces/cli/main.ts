#!/usr/bin/env node
/** The `haft` command. It loads what the chosen command needs and nothing else. */
import { buildProgram } from "./program.js";
import { exitCodeOf, refuseSystem, tellProblem } from "./usage.js";

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  // The reader of a pipe has had enough; what is still to come has no reader either.
  if (error.code !== "EPIPE") throw error;
});

try {
  refuseSystem();
  await buildProgram().parseAsync();
} catch (error) {
  await tellProblem(error);
  process.exitCode = exitCodeOf(error);
}
