import { describe, expect, it } from "vitest";
import { type ErrorCode, HaftError } from "../../kernel/index.js";
import { withBackup } from "./backup.js";

const BACKUP = { artifact: "a-1", bytes: 3, sizeBytes: 3 };

async function failing(code: ErrorCode) {
  let discarded = 0;
  const kept = { backup: BACKUP, discard: async () => void discarded++ };
  const thrown = new HaftError(code, "no", { hint: "Wait.", details: { system: "E" } });
  const error: unknown = await withBackup(kept, () => Promise.reject(thrown)).catch((caught: unknown) => caught);
  return { error, thrown, discarded };
}

describe("the backup of a failed replacement", () => {
  it.each(["FS_STALE", "FS_PERMISSION", "FS_READ_ONLY", "FS_NO_SPACE", "FS_TOO_LARGE"] as const)(
    "is discarded after %s, which leaves the file as it was",
    async (code) => {
      const { error, thrown, discarded } = await failing(code);
      expect([error === thrown, discarded]).toEqual([true, 1]);
    },
  );

  it("stays after any other failure, which names it", async () => {
    const { error, discarded } = await failing("FS_IO");
    expect(discarded).toBe(0);
    expect(error).toMatchObject({ code: "FS_IO", hint: "Wait.", details: { system: "E", backup: BACKUP } });
  });
});
