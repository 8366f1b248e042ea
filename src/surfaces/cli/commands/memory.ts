/** `haft memory`: what the tools memory_store and memory_recall remember. */
import { type Command, Option } from "commander";
import { withExamples, withJsonOption, withSharedStateOptions } from "../command-parts.js";
import type { MemoryExportOptions, MemoryListOptions, MemoryOptions } from "./memory/run-memory.js";

export function addMemoryCommand(program: Command): void {
  const memory = withExamples(
    program
      .command("memory")
      .description("manage what is remembered across sessions: list, show, history, forget, export, import"),
    `haft call memory_store '{"key":"deploys","content":"We deploy on Tuesdays"}'`,
    "haft memory list",
    "haft memory export notes",
  );
  withExamples(
    withJsonOption(options(memory.command("list").description("list the notes by key"))).addOption(
      new Option("--category <name>", "only this category"),
    ),
    "haft memory list",
    "haft memory list --category core --json",
  ).action(async (given: MemoryListOptions) => {
    const { listMemories } = await import("./memory/run-memory.js");
    process.exitCode = await listMemories(given);
  });
  withExamples(
    withJsonOption(options(memory.command("show <key>").description("print a note"))),
    "haft memory show deploys",
  ).action(async (key: string, given: MemoryOptions) => {
    const { showMemory } = await import("./memory/run-memory.js");
    process.exitCode = await showMemory(key, given);
  });
  withExamples(
    withJsonOption(
      options(memory.command("history <key>").description("print a note and its older versions, newest first")),
    ),
    "haft memory history deploys",
  ).action(async (key: string, given: MemoryOptions) => {
    const { showHistory } = await import("./memory/run-memory.js");
    process.exitCode = await showHistory(key, given);
  });
  withExamples(
    withJsonOption(options(memory.command("forget <keys...>").description("delete notes with their older versions"))),
    "haft memory forget deploys",
  ).action(async (keys: readonly string[], given: MemoryOptions) => {
    const { forgetMemories } = await import("./memory/run-memory.js");
    process.exitCode = await forgetMemories(keys, given);
  });
  addFileCommands(memory);
}

function addFileCommands(memory: Command): void {
  withExamples(
    options(memory.command("export <dir>").description("write each note to a Markdown file in a directory")).option(
      "--force",
      "replace existing files",
    ),
    "haft memory export notes",
  ).action(async (directory: string, given: MemoryExportOptions) => {
    const { exportMemories } = await import("./memory/run-memory.js");
    process.exitCode = await exportMemories(directory, given);
  });
  withExamples(
    options(
      memory
        .command("import <paths...>")
        .description("store the notes of Markdown files, or of all in a directory; a note of the same key is replaced"),
    ),
    "haft memory import notes",
  ).action(async (paths: readonly string[], given: MemoryOptions) => {
    const { importMemories } = await import("./memory/run-memory.js");
    process.exitCode = await importMemories(paths, given);
  });
}

function options(command: Command): Command {
  return withSharedStateOptions(command).option(
    "--owner <name>",
    "of this client of `haft serve` (default: of calls without one)",
  );
}
