import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSES_ON_EXEC = 0o2000000;

/**
 * Closes what the program that started the test runner left open for everything below it: a command would inherit that too,
 * and a test that counts a command's descriptors would count it as ours.
 */
export function closeInherited(): void {
  for (const descriptor of readdirSync("/proc/self/fd").map(Number)) {
    try {
      const info = readFileSync(`/proc/self/fdinfo/${descriptor}`, "latin1");
      const flags = Number.parseInt(/flags:\s+(\d+)/.exec(info)?.[1] ?? "0", 8);
      if (descriptor > 2 && (flags & CLOSES_ON_EXEC) === 0) closeSync(descriptor);
    } catch {
      // The descriptor of the listing itself.
    }
  }
}
