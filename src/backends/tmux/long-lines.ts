/** Lines that a terminal would cut: where a program reads whole lines, the system keeps 4,095 bytes of each (Linux, `N_TTY_BUF_SIZE`). */
import type { Keys, Shell } from "../../kernel/index.js";
import { posixQuote } from "../../text/index.js";

const MAX_LINE_BYTES = 4_095;
/** How often and how far apart, in seconds, it is looked whether the program reads key by key: a shell does so from its prompt on. */
const LOOKS = { count: 20, apart: 0.1 } as const;
const LOOK_MS = 10_000;

/** Keys after which a line that is being read is handed over or discarded. Others, such as Left and BSpace, leave what was typed in it. */
const ENDS_LINE = /^(?:(?:KP)?Enter|(?:C-|\^)[cdjmuz\\])$/i;

/**
 * The bytes of the longest line that would be typed, if that is too long for a program that reads whole lines; else 0.
 * @param keys - With the names as tmux takes them.
 */
export function longLineBytes(keys: readonly Keys[]): number {
  const text = keys.map((one) => ("text" in one ? one.text : ENDS_LINE.test(one.key) ? "\n" : " ")).join("");
  if (text.length <= MAX_LINE_BYTES / 3) return 0;
  const longest = Math.max(...text.split(/[\r\n]/).map((line) => Buffer.byteLength(line)));
  return longest > MAX_LINE_BYTES ? longest : 0;
}

/** Whether the program in a terminal reads whole lines, also after a moment. False where that cannot be found out. */
export async function readsWholeLines(shell: Shell, tty: string): Promise<boolean> {
  const look = `case $(stty -a <${posixQuote(tty)} 2>/dev/null) in *-icanon*) exit 0 ;; *icanon*) ;; *) exit 0 ;; esac`;
  const command = `n=0; while [ $n -lt ${LOOKS.count} ]; do ${look}; sleep ${LOOKS.apart}; n=$((n + 1)); done; exit 1`;
  const { exit } = await shell.exec(command, { cwd: "/", timeoutMs: LOOK_MS });
  return exit.by === "code" && exit.code === 1;
}
