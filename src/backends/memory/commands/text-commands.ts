/** Commands over text: echo printf cat head tail wc. */
import { countNewlines, skipLines } from "../../../text/index.js";
import { type MemoryCommand, type MemoryCommandContext, readAll, splitOptions, systemText } from "../memory-command.js";
import { formatPrintf } from "./format-printf.js";

const NEWLINE = 10;

export const echo: MemoryCommand = async ({ args, out }) => {
  const isBare = args[0] === "-n";
  await out(args.slice(isBare ? 1 : 0).join(" ") + (isBare ? "" : "\n"));
};

export const printf: MemoryCommand = async ({ args, out, err }) => {
  const words = args[0] === "--" ? args.slice(1) : args;
  if (words.length === 0) {
    await err("printf: usage: printf format [arguments]\n");
    return 2;
  }
  const { bytes, problem } = formatPrintf(words[0] as string, words.slice(1));
  await out(bytes);
  if (problem === undefined) return 0;
  await err(`printf: ${problem}\n`);
  return 1;
};

/** Calls `use` with the bytes of each file named, or of standard input; a file that cannot be read is reported and counts as a failure. */
async function eachInput(
  context: MemoryCommandContext,
  words: readonly string[],
  use: (name: string | null, bytes: Uint8Array) => Promise<void>,
): Promise<number> {
  if (words.length === 0) {
    await use(null, await readAll(context));
    return 0;
  }
  let code = 0;
  for (const word of words) {
    if (word === "-") {
      await use(word, await readAll(context));
      continue;
    }
    const bytes = await context.fs.readBytes(context.resolve(word)).catch((thrown: unknown) => systemText(thrown));
    if (typeof bytes === "string") {
      await context.err(`${context.name}: ${word}: ${bytes}\n`);
      code = 1;
    } else await use(word, bytes);
  }
  return code;
}

const CHUNK_BYTES = 64 * 1024;

async function writeInChunks(context: MemoryCommandContext, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) await context.out(bytes.subarray(at, at + CHUNK_BYTES));
}

export const cat: MemoryCommand = async (context) => {
  const { letters, words } = splitOptions(context.args);
  if (letters.replaceAll("u", "") !== "") return usage(context, letters);
  if (words.length > 0) return eachInput(context, words, (_name, bytes) => writeInChunks(context, bytes));
  // Streamed, so that input to a running cat is printed at once.
  for (let piece = await context.read(); piece !== null; piece = await context.read()) await context.out(piece);
  return 0;
};

/** `-n 5`, `-n5`, `-5`, `-c 5`, for tail also `-n +5`. */
function partOptions(
  args: readonly string[],
):
  | { readonly by: "n" | "c"; readonly count: number; readonly fromStart: boolean; readonly words: readonly string[] }
  | string {
  let by: "n" | "c" = "n";
  let text = "10";
  let index = 0;
  for (; index < args.length; index += 1) {
    const word = args[index] as string;
    const match = /^-([nc]?)([+-]?\d*)$/.exec(word);
    if (match === null || word === "-") break;
    const [, letter, value] = match as unknown as [string, string, string];
    if (letter !== "") by = letter as "n" | "c";
    if (value !== "") text = value;
    else if (letter !== "") {
      index += 1;
      text = args[index] ?? "";
    }
  }
  if (args[index] === "--") index += 1;
  else if (args[index]?.startsWith("-") === true && args[index] !== "-") return args[index] as string;
  if (!/^[+]?\d+$/.test(text)) return text;
  return { by, count: Number(text), fromStart: text.startsWith("+"), words: args.slice(index) };
}

function part(
  take: (bytes: Uint8Array, by: "n" | "c", count: number, fromStart: boolean) => Uint8Array,
): MemoryCommand {
  return async (context) => {
    const options = partOptions(context.args);
    if (typeof options === "string") return usage(context, options);
    const { words, by, count, fromStart } = options;
    let isFirst = true;
    return eachInput(context, words, async (name, bytes) => {
      if (words.length > 1)
        await context.out(`${isFirst ? "" : "\n"}==> ${name === "-" ? "standard input" : name} <==\n`);
      isFirst = false;
      await writeInChunks(context, take(bytes, by, count, fromStart));
    });
  };
}

const headOfFiles = part((bytes, by, count) =>
  bytes.subarray(0, by === "c" ? count : skipLines(bytes, 0, count).offset),
);

export const head: MemoryCommand = async (context) => {
  const options = partOptions(context.args);
  if (typeof options === "string" || options.words.length > 0) return headOfFiles(context);
  // Reads no more stdin than needed, so that an endless writer gets SIGPIPE.
  let left = options.count;
  while (left > 0) {
    const piece = await context.read();
    if (piece === null) break;
    const taken = piece.subarray(0, options.by === "c" ? left : skipLines(piece, 0, left).offset);
    left -= options.by === "c" ? taken.length : countNewlines(taken);
    await context.out(taken);
  }
  return 0;
};

export const tail = part((bytes, by, count, fromStart) => {
  if (fromStart)
    return bytes.subarray(by === "c" ? Math.max(0, count - 1) : skipLines(bytes, 0, Math.max(0, count - 1)).offset);
  if (by === "c") return bytes.subarray(Math.max(0, bytes.length - count));
  const lines = countNewlines(bytes) + (bytes.length > 0 && bytes.at(-1) !== NEWLINE ? 1 : 0);
  return bytes.subarray(skipLines(bytes, 0, Math.max(0, lines - count)).offset);
});

export const wc: MemoryCommand = async (context) => {
  const { letters, words } = splitOptions(context.args);
  if (/[^lwcm]/.test(letters)) return usage(context, letters);
  const columns = (letters === "" ? "lwc" : [..."lwmc"].filter((one) => letters.includes(one)).join("")).split("");
  const total = columns.map(() => 0);
  const row = (counts: readonly number[], name: string | null) =>
    `${counts.map((count) => String(count).padStart(columns.length > 1 ? 7 : 0)).join(" ")}${name === null ? "" : ` ${name}`}\n`;
  const code = await eachInput(context, words, async (name, bytes) => {
    const text = new TextDecoder().decode(bytes);
    const figures: Readonly<Record<string, number>> = {
      l: countNewlines(bytes),
      w: text.split(/\s+/).filter((word) => word !== "").length,
      c: bytes.length,
      m: [...text].length,
    };
    const counts = columns.map((column) => figures[column] as number);
    for (const [index, count] of counts.entries()) total[index] = (total[index] as number) + count;
    await context.out(row(counts, name));
  });
  if (words.length > 1) await context.out(row(total, "total"));
  return code;
};

export async function usage(context: MemoryCommandContext, option: string): Promise<number> {
  await context.err(`${context.name}: this command in memory does not know "${option}"\n`);
  return 2;
}
