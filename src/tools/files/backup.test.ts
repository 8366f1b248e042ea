import { describe, expect, it } from "vitest";
import { type ErrorCode, HaftError } from "../../kernel/index.js";
import { withBackup } from "../shared/backup.js";

const JOURNAL = { artifact: "a-1", bytes: 3, sizeBytes: 3 };

async function failing(code: ErrorCode) {
  let givenUp = 0;
  const kept = { backup: JOURNAL, discard: async () => void givenUp++ };
  const thrown = new HaftError(code, "no", { hint: "Wait.", details: { system: "E" } });
  const error: unknown = await withBackup(kept, () => Promise.reject(thrown)).catch((caught: unknown) => caught);
  return { error, thrown, givenUp };
}

describe("the backup of a failed replacement", () => {
  it.each(["FS_STALE", "FS_PERMISSION", "FS_READ_ONLY", "FS_NO_SPACE", "FS_TOO_LARGE"] as const)(
    "are given up after %s, which leaves the file as it was",
    async (code) => {
      const { error, thrown, givenUp } = await failing(code);
      expect([error === thrown, givenUp]).toEqual([true, 1]);
    },
  );

  it("stay after any other failure, which names them", async () => {
    const { error, givenUp } = await failing("FS_IO");
    expect(givenUp).toBe(0);
    expect(error).toMatchObject({ code: "FS_IO", hint: "Wait.", details: { system: "E", backup: JOURNAL } });
  });
});
