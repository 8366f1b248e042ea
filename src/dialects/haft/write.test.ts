import { describe, expect, it } from "vitest";
import { failedWith, HASH_B, seenBy, succeeded, writeData } from "../golden.fixture.js";
import { haftDialect } from "./haft-dialect.js";

const reported = (result: Parameters<typeof seenBy>[2]) =>
  seenBy(haftDialect, "write", result, { path: "a.txt", content: "x" }).envelope;

describe("writePresenter", () => {
  it("reports where the old content is", () => {
    const data = writeData({ created: false });
    expect(reported({ ...succeeded(data), details: { backup: { artifact: "a3", bytes: 9 } } })).toMatch(
      /Old content: artifact:a3\.$/,
    );
    expect(reported({ ...succeeded(data), details: { backup: { artifact: "a3", bytes: 8, sizeBytes: 10 } } })).toMatch(
      /\. Old content, first and last 8 of 10 bytes: artifact:a3\.$/,
    );
    expect(reported({ ...succeeded(data), details: { backup: { kept: false, sizeBytes: 5, maxBytes: 4 } } })).toMatch(
      /\. The old content, 5 bytes, was not stored and cannot be restored: the limit for a replaced file is 4 bytes\.$/,
    );
    expect(reported({ ...succeeded(data), details: { backup: { kept: false, sizeBytes: 1 } } })).toMatch(
      /\. The old content, 1 byte, was not stored and cannot be restored: the session's artifact storage is full\.$/,
    );
  });

  it("gives what is needed to replace a file that has changed", () => {
    const result = failedWith("FS_STALE", 'Did not write "a.txt": it has changed since it was read.', {
      sizeBytes: 1,
      modifiedMs: Number.NaN,
      sha256: HASH_B,
    });
    expect(reported(result)).toBe(
      `Did not write "a.txt": it has changed since it was read.\nThe file: 1 byte, sha256 ${HASH_B}.\nRead it again, then repeat the call. Or pass that hash as \`expect\` to replace it without reading it.`,
    );
  });

  it("leaves the hash out where no parameter takes it", () => {
    const result = failedWith("FS_NOT_READ", 'Did not edit "a.txt": it has not been read.', { sha256: HASH_B });
    expect(seenBy(haftDialect, "edit", result, {}).envelope).toBe(
      'Did not edit "a.txt": it has not been read.\nRead it first, then repeat the call.',
    );
  });
});
