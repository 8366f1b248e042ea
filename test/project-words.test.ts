import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { REPOSITORY } from "./architecture/source-tree.js";

/** A word that no tracked file may hold, why, and the files that may after all. Written in parts, so that this file holds none. */
interface Forbidden {
  readonly word: string;
  readonly why: string;
  readonly except?: readonly string[];
}

const checkout = REPOSITORY.replace(/\/$/, "");

/** Directories that every machine has, or that examples use: a checkout in one of them says nothing about the machine. */
const ORDINARY = [
  "/",
  "/tmp",
  "/home",
  "/root",
  "/opt",
  "/src",
  "/usr/src",
  "/var/tmp",
  "/app",
  "/project",
  "/workspace",
];

const FORBIDDEN: readonly Forbidden[] = [
  { word: `${checkout}/`, why: "the path of one checkout" },
  ...(ORDINARY.includes(dirname(checkout)) ? [] : [{ word: `${dirname(checkout)}/`, why: "the path of one machine" }]),
  { word: `npm${"js"}.org`, why: "a registry host" },
  { word: `npm${"js"}.com`, why: "a registry host" },
  { word: `yarn${"pkg"}.com`, why: "a registry host" },
  { word: `.${"library"}`, why: "not a part of this project" },
  { word: `/tmp/${"brief"}`, why: "not a part of this project" },
  { word: `${"shared"}/cases`, why: "call it a cases directory", except: ["scripts/cases.mjs"] },
  { word: `${"shared"}/design`, why: "not a part of this project" },
  { word: `${"shared"}/seeds`, why: "not a part of this project" },
  ...configuredRegistry(),
];

/** The host that this machine installs from must not leak either. */
function configuredRegistry(): Forbidden[] {
  const value = process.env.npm_config_registry;
  const host = value && URL.canParse(value) ? new URL(value).host : "";
  return host ? [{ word: host, why: "a registry host" }] : [];
}

/** A path counts from its start only: "/b/" does not stand in "a/b/c". */
function holds(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!word.startsWith("/") || !/[\w.-]/.test(text[at - 1] ?? "")) return true;
  }
  return false;
}

function offences(files: readonly { path: string; text: string }[]): string[] {
  return files.flatMap(({ path, text }) =>
    FORBIDDEN.filter(({ word, except }) => holds(text, word) && !except?.includes(path)).map(
      ({ word, why }) => `${path}: holds "${word}", ${why}.`,
    ),
  );
}

function trackedFiles(): { path: string; text: string }[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: REPOSITORY,
  });
  return listed
    .toString("utf8")
    .split("\0")
    .filter((path) => path !== "")
    .flatMap((path) => {
      try {
        return [{ path, text: readFileSync(join(REPOSITORY, path), "utf8") }];
      } catch {
        return []; // removed in the working directory, or a link to a directory
      }
    });
}

describe("project words", () => {
  it("no file of the project holds a path of this machine, a registry host or a foreign name", () => {
    const files = trackedFiles();
    expect(files.map(({ path }) => path)).toContain("package.json");
    expect(offences(files)).toEqual([]);
  });

  it("finds each forbidden word, and lets the named exceptions pass", () => {
    for (const { word, except } of FORBIDDEN) {
      expect(offences([{ path: "docs/a.md", text: `see ${word}x` }])).not.toEqual([]);
      for (const path of except ?? []) expect(offences([{ path, text: word }])).toEqual([]);
    }
    expect(offences([{ path: "a.md", text: `a ${basename(checkout)} thing` }])).toEqual([]);
  });
});
