import { expect, it } from "vitest";
import { HaftError } from "../../kernel/index.js";
import { fileFailure } from "./file-failure.js";

it("gives the reason of a backend that refuses a path, and otherwise that of the file system", () => {
  const asked = { verb: "write", givenPath: "~/x", absolute: "/home/ada/x" };
  const failureOf = (details: Record<string, unknown>) =>
    JSON.stringify(fileFailure(new HaftError("FS_PERMISSION", "", { details }), asked));
  expect(failureOf({ why: "it is read-only in the sandbox." })).toContain(
    String.raw`Did not write \"~/x\": it is read-only in the sandbox.`,
  );
  expect(failureOf({})).toContain("permission denied. Use another path");
});
