/** Commands over files: ls pwd mkdir rm. */
import type { FsEntryInfo } from "../../../kernel/index.js";
import { baseName } from "../../../text/index.js";
import { type MemoryCommand, type MemoryCommandContext, splitOptions, systemText } from "../memory-command.js";
import { usage } from "./text-commands.js";

export const pwd: MemoryCommand = ({ cwd, out }) => out(`${cwd}\n`);

export const ls: MemoryCommand = async (context) => {
  const { letters, words } = splitOptions(context.args);
  if (/[^1aAlFd]/.test(letters)) return usage(context, letters);
  const targets = words.length === 0 ? ["."] : words;
  const files: string[] = [];
  const directories: { readonly word: string; readonly lines: readonly string[] }[] = [];
  const code = await each(context, targets, async (word) => {
    const path = context.resolve(word);
    const info = await context.fs.stat(path);
    if (info.kind !== "directory" || letters.includes("d")) files.push(line(word, info, letters));
    else directories.push({ word, lines: await listing(context, path, letters) });
  });
  for (const file of files) await context.out(file);
  for (const [index, { word, lines }] of directories.entries()) {
    if (targets.length > 1) await context.out(`${index > 0 || files.length > 0 ? "\n" : ""}${word}:\n`);
    await context.out(lines.join(""));
  }
  return code;
};

async function listing(context: MemoryCommandContext, path: string, letters: string): Promise<string[]> {
  const { children } = await context.fs.readDir(path, { limit: Number.MAX_SAFE_INTEGER });
  const shown = /[aA]/.test(letters) ? children : children.filter((child) => !child.name.startsWith("."));
  const dots = letters.includes("a")
    ? [".", ".."].map((name) =>
        line(name, { kind: "directory", size: 0, modifiedMs: 0, mode: 0o755, version: "" }, letters),
      )
    : [];
  return [...dots, ...shown.map((child) => line(child.name, child, letters))];
}

function line(name: string, info: FsEntryInfo, letters: string): string {
  const mark = letters.includes("F") && info.kind === "directory" ? "/" : "";
  if (!letters.includes("l")) return `${name}${mark}\n`;
  const type =
    info.target !== undefined ? "l" : ({ file: "-", directory: "d", link: "l", other: "p" } as const)[info.kind];
  const bits = [..."rwxrwxrwx"].map((letter, index) => ((info.mode >> (8 - index)) & 1 ? letter : "-")).join("");
  const time = new Date(info.modifiedMs).toISOString().slice(0, 16).replace("T", " ");
  return `${type}${bits} 1 user user ${String(info.size).padStart(8)} ${time} ${name}${mark}${info.target === undefined ? "" : ` -> ${info.target}`}\n`;
}

export const mkdir: MemoryCommand = async (context) => {
  const { letters, words } = splitOptions(context.args);
  if (/[^p]/.test(letters)) return usage(context, letters);
  if (words.length === 0) return missingOperand(context);
  return each(context, words, (word) => context.fs.mkdir(context.resolve(word), letters.includes("p")));
};

export const rm: MemoryCommand = async (context) => {
  const { letters, words } = splitOptions(context.args);
  if (/[^rRf]/.test(letters)) return usage(context, letters);
  const isForced = letters.includes("f");
  const isRecursive = /[rR]/.test(letters);
  if (words.length === 0) return isForced ? 0 : missingOperand(context);
  return each(context, words, async (word) => {
    const path = context.resolve(word);
    if (baseName(path) === "") throw new Error("it is the root");
    const info = await context.fs.stat(path).catch(() => undefined);
    // A symlink to a directory goes like a file; a directory itself only with -r, the empty one too.
    if (!isRecursive && info?.kind === "directory" && info.target === undefined) throw new Error("Is a directory");
    await context.fs.rm(path, { recursive: isRecursive, ignoreMissing: isForced });
  });
};

async function each(
  context: MemoryCommandContext,
  words: readonly string[],
  use: (word: string) => Promise<void>,
): Promise<number> {
  let code = 0;
  for (const word of words) {
    const problem = await use(word).then(
      () => undefined,
      (thrown: unknown) => systemText(thrown),
    );
    if (problem === undefined) continue;
    await context.err(`${context.name}: ${word}: ${problem}\n`);
    code = 1;
  }
  return code;
}

async function missingOperand(context: MemoryCommandContext): Promise<number> {
  await context.err(`${context.name}: missing operand\n`);
  return 1;
}
