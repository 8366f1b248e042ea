import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { UsageError } from "../../usage.js";
import { rootFrom } from "./client-root.js";

it("takes a directory of a client that is one of this machine", () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-root-")));
  try {
    expect(rootFrom(pathToFileURL(directory).href)).toBe(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});

it.each([
  ["another machine", "file://elsewhere/work", /host must be/],
  ["an address that hides a slash", "file:///work%2f..", /encoded/],
  ["a NUL byte", "file:///work%00x", /contains a NUL byte/],
  ["a path longer than any", `file:///${"a".repeat(1_000_000)}`, /more than 4096 bytes/],
])("refuses %s in a sentence that says what to do, and does not repeat all of it", (_, root, why) => {
  const refused = (() => {
    try {
      return rootFrom(root);
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(UsageError);
  const { message } = refused as Error;
  expect(message).toMatch(/^Did not use the client's root "file:.* as the workspace: .*--workspace DIR`\.$/);
  expect(message).toMatch(why);
  expect(message.length).toBeLessThan(500);
});
