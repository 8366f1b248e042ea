import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { workspaceOf } from "../common-options.js";
import { clientStates } from "./client-state.js";
import { EntryProblem } from "./clients.js";
import { withJsonEntry } from "./json-entry.js";
import { readClientFile, replaceClientFile } from "./replace-client-file.js";

let directory: string;
let file: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-client-files-"));
  file = join(directory, ".mcp.json");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const PLACES: readonly [what: string, make: () => void][] = [
  ["a link to a device that has no end", () => symlinkSync("/dev/zero", file)],
  ["a FIFO that nobody writes to", () => void spawnSync("mkfifo", [file])],
  ["a directory", () => mkdirSync(file)],
];

describe("a client's file that a project brought along", () => {
  it.each(PLACES)("is refused without waiting if it is %s", (_, make) => {
    make();
    expect(() => readClientFile(file)).toThrow(EntryProblem);
    expect(() => readClientFile(file)).toThrow("it is not a regular file");
    expect(clientStates(directory, "haft").find(({ client }) => client === "claude-code")).toMatchObject({
      state: "unreadable",
    });
  });

  it("is refused with its size where it is larger than any", () => {
    writeFileSync(file, "{}");
    truncateSync(file, 65 * 1024 * 1024);
    expect(() => readClientFile(file)).toThrow("it has 68157440 bytes; the limit is");
  });

  it("is refused where it is nested deeper than a parser goes", async () => {
    const deep = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
    await expect(withJsonEntry(deep, "mcpServers", "haft", { command: "haft" })).rejects.toThrow(EntryProblem);
  });
});

describe("a symlink whose target passes another symlink and then leaves its directory", () => {
  const near = () => join(directory, "near");
  beforeEach(() => {
    mkdirSync(join(directory, "far/deep"), { recursive: true });
    mkdirSync(near());
    symlinkSync("../far/deep", join(near(), "sub"));
  });

  it("is followed to the file that is read through it, and no other is replaced", () => {
    writeFileSync(join(directory, "far/mcp.json"), "{}");
    writeFileSync(join(near(), "mcp.json"), "another file");
    symlinkSync("sub/../mcp.json", join(near(), "link"));
    replaceClientFile(join(near(), "link"), '{ "new": true }', "{}");
    expect(readFileSync(join(directory, "far/mcp.json"), "utf8")).toBe('{ "new": true }');
    expect(readFileSync(join(near(), "mcp.json"), "utf8")).toBe("another file");
  });

  it("is the workspace that it leads to", () => {
    symlinkSync("sub/..", join(near(), "workspace"));
    expect(workspaceOf(join(near(), "workspace"))).toBe(join(realpathSync.native(directory), "far"));
  });
});
