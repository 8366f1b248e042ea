import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ArgumentsFile } from "./arguments-file.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-arguments-test-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** What a program reads from the descriptor. */
function readOnce(descriptor: number): string {
  try {
    return readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
}

describe.runIf(process.platform === "linux")("arguments in a file", () => {
  it("are read from its start, and it has no name", () => {
    const args = ["--setenv", "A", "x".repeat(200_000), ""];
    const file = new ArgumentsFile([directory]);
    expect(readOnce(file.open("a", () => args))).toBe(`${args.join("\0")}\0`);
    expect(readdirSync(directory)).toEqual([]);
    file.close();
  });

  it("are read from the start each time, and made again only for another key", () => {
    const file = new ArgumentsFile([directory]);
    let made = 0;
    const read = (key: string) => readOnce(file.open(key, () => [key, String(++made)]));
    expect([read("a"), read("a"), read("b"), read("a")]).toEqual(["a\x001\0", "a\x001\0", "b\x002\0", "a\x003\0"]);
    file.close();
  });

  it("are written to the next directory where the first one takes none", () => {
    const file = new ArgumentsFile([join(directory, "missing"), directory]);
    expect(readOnce(file.open("a", () => ["a"]))).toBe("a\0");
    file.close();
  });

  it("fail with the reason of the last directory, and are then made again", () => {
    const directories = ["/proc", join(directory, "missing")];
    const file = new ArgumentsFile(directories);
    expect(() => file.open("a", () => ["a"])).toThrow("missing");
    directories.push(directory);
    expect(readOnce(file.open("a", () => ["a"]))).toBe("a\0");
    file.close();
  });
});
