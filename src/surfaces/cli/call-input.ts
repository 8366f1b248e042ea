/** The INPUT argument of `haft call`. */
import { UsageError } from "./usage.js";

/**
 * The value that the text stands for; no text, or only blanks, is an empty object, "-" is what stands on standard input.
 * @throws UsageError when it is no JSON; the message says where.
 */
export async function callInput(text: string | undefined, stdin: NodeJS.ReadStream): Promise<unknown> {
  if (isLeftOut(text)) return {};
  const json = text === "-" ? await allOf(stdin) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    const source = text === "-" ? "Standard input" : "INPUT";
    throw new UsageError(
      `${source} is no JSON (${(error as Error).message.replace(/\s+/g, " ")}). Give an object such as '{"path":"README.md"}'; single quotes keep it from the shell.`,
    );
  }
}

/** Whether nothing was given for INPUT: a variable of the shell that is not set gives an empty one. */
export function isLeftOut(text: string | undefined): text is undefined {
  return text === undefined || text.trim() === "";
}

async function allOf(stdin: NodeJS.ReadStream): Promise<string> {
  if (stdin.isTTY) process.stderr.write("Reading INPUT from standard input; end it with Ctrl+D.\n");
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
