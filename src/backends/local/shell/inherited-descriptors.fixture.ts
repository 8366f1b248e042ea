import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSES_ON_EXEC = 0o2000000;

/**
 * Closes descriptors that the test runner inherited: commands would inherit them too, and a test that counts a command's
 * descriptors would count them.
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
