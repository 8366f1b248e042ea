import { closeSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { argumentsFile } from "./arguments-file.js";

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
    expect(readOnce(argumentsFile(args, [directory]))).toBe(`${args.join("\0")}\0`);
    expect(readdirSync(directory)).toEqual([]);
  });

  it("go to the next directory where the first one takes none", () => {
    expect(readOnce(argumentsFile(["a"], [join(directory, "missing"), directory]))).toBe("a\0");
  });

  it("fail with the reason of the last directory", () => {
    expect(() => argumentsFile(["a"], ["/proc", join(directory, "missing")])).toThrow("missing");
  });
});
