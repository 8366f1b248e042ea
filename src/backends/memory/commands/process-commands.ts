/** Commands over processes: true false sleep kill env. */
import type { MemoryCommand, MemoryCommandContext } from "../memory-command.js";
import { SIGNALS, signalName } from "../process-table.js";

export const succeed: MemoryCommand = () => 0;
export const failing: MemoryCommand = () => 1;

const UNIT_MS: Readonly<Record<string, number>> = { "": 1_000, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const sleep: MemoryCommand = async (context) => {
  let total = 0;
  for (const word of context.args) {
    const match = /^(\d+(?:\.\d*)?|\.\d+)([smhd]?)$/.exec(word);
    if (match === null) return complain(context, `invalid time interval "${word}"`);
    total += Number(match[1]) * (UNIT_MS[match[2] as string] as number);
  }
  if (context.args.length === 0) return complain(context, "missing operand");
  await context.sleep(total);
  return 0;
};

export const kill: MemoryCommand = async (context) => {
  const { args } = context;
  let signal: string | undefined = "TERM";
  let rest = args;
  if (args[0] === "-l") {
    await context.out(`${Object.keys(SIGNALS).join(" ")}\n`);
    return 0;
  }
  if (args[0] === "-s") {
    signal = nameOf(args[1] ?? "");
    rest = args.slice(2);
  } else if (args[0]?.startsWith("-") === true && args[0] !== "--" && args.length > 1) {
    signal = nameOf(args[0].slice(1));
    rest = args.slice(1);
  }
  if (rest[0] === "--") rest = rest.slice(1);
  if (signal === undefined) return complain(context, `unknown signal in "${args.join(" ")}"`);
  if (rest.length === 0) return complain(context, "no process named");
  let code = 0;
  for (const word of rest) {
    const pid = /^-?\d+$/.test(word) ? Number(word) : 0;
    if (pid !== 0 && context.send(pid, signal)) continue;
    await context.err(`kill: (${word}) - No such process\n`);
    code = 1;
  }
  return code;
};

/** "" is signal 0, which only checks that the process exists. */
function nameOf(text: string): string | undefined {
  return text === "0" ? "" : signalName(text);
}

export const env: MemoryCommand = async (context) => {
  const values = new Map(Object.entries(context.env));
  for (const word of context.args) {
    const at = word.indexOf("=");
    if (at < 1) return complain(context, `this command in memory only prints; it does not run "${word}"`, 2);
    values.set(word.slice(0, at), word.slice(at + 1));
  }
  await context.out([...values].map(([name, value]) => `${name}=${value}\n`).join(""));
  return 0;
};

async function complain(context: MemoryCommandContext, text: string, code = 1): Promise<number> {
  await context.err(`${context.name}: ${text}\n`);
  return code;
}
