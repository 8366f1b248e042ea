import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { withPrograms } from "../../testing/programs.fixture.js";
import { gitSettings, quotedValue } from "./git-settings.js";

const directory = mkdtempSync(join(tmpdir(), "haft-git-settings-"));
afterAll(() => rmSync(directory, { recursive: true }));

/** What git reads from a file with this text, without settings that have no value. */
function readByGit(text: string): { readonly isRejected: boolean; readonly settings: [string, string][] } {
  const file = join(directory, "config");
  writeFileSync(file, text);
  const { status, stdout } = spawnSync("git", ["config", "-f", file, "-z", "--list"], { encoding: "utf8" });
  const entries = stdout.split("\0").filter((entry) => entry.includes("\n"));
  return {
    isRejected: status !== 0,
    settings: entries.map((entry) => [entry.slice(0, entry.indexOf("\n")), entry.slice(entry.indexOf("\n") + 1)]),
  };
}

/** After `[core] hooksPath =`. White space in a value is a space here: older versions of git turn a tab into one. */
const VALUES = [
  "githooks",
  "githooks # team",
  "githooks#team",
  "githooks ; team",
  ";all",
  '"git hooks" # team',
  '"git # hooks"',
  'git" # "hooks ; x',
  'git"ho"oks',
  '"" x',
  '"  git" hooks  ',
  '"git  "  # x',
  'git   hooks""  ',
  String.raw`git\\hooks`,
  String.raw`git\"hooks\" # x`,
  String.raw`git\thooks\b\n`,
  String.raw`"git\thooks\\"`,
  "git\\\nhooks",
  "git \\\n  hooks # x\\\nname = y",
  'git" \\\n # "hooks',
  "git # x \\\n[user] name = z",
  "git\\",
  " \\\n\\\n git",
  "git\r\n\tname = x\r\n",
  "githooks\r",
  "'git hooks'",
  "git=hooks = x",
  "~/[x] \"# \"\\\\; 'y'",
  "",
  '""',
  "gät häks # ü",
  "a\fb\v \u00a0c\u00a0",
];

const FILES = [
  "[core]hooksPath=a",
  "[CORE] HooksPath = a # x\n[Core]\nhookspath = b",
  '[core "Sub"] hooksPath = a\n[core.SUB] hooksPath = b',
  String.raw`[includeIf "gitdir:~/\"a\\ \b/"] path = x ; y`,
  '[includeIf   "a]#"]path=x\n[include]path=y\n[a.b "c"] d-1 = e',
  "\uFEFF[core] hooksPath = a",
  "# [core] hooksPath = a\n  ; x\n[user]\n\n\tname\n  email = b\n[core] bare\n",
  "[a] b = c\n[d][e] f = g # [h]\n [i] ; j = k\n\tl = m",
  "[core] a = b\\\n\\\n",
  "outside = a\n[b] c = d",
];

const REJECTED = [
  '[core] a = "b\n[core] hooksPath = c',
  String.raw`[core] a = \x`,
  String.raw`[core] a = "\q"`,
  "[core ] a = b",
  "[ core] a = b",
  "[core_x] a = b",
  '[core "a] b = c\nd = e',
  '[core "a" ] b = c',
  "[core] a b = c",
  "[core] a # b",
  "[core] 1a = b",
  "[core] a_b = c",
];

withPrograms("git's configuration", ["git"], () => {
  it.each(VALUES)("has the value that git reads: %j", (value) => {
    const text = `[core]\n\thooksPath = ${value}`;
    const { isRejected, settings } = readByGit(text);
    expect(isRejected).toBe(false);
    expect(gitSettings(text)).toEqual(settings);
  });

  it.each(FILES)("has the settings that git reads: %j", (text) => {
    expect(readByGit(text)).toEqual({ isRejected: false, settings: gitSettings(text) });
  });

  it.each(REJECTED)("has no setting from where git rejects it: %j", (text) => {
    expect(readByGit(text).isRejected).toBe(true);
    expect(gitSettings(text)).toEqual([]);
  });

  it.each(['Ada "the" L\\', " # x ; y ", "a\nb\tc", "Zoë"])("is written so that git reads the same: %j", (value) => {
    expect(readByGit(`[user] name = ${quotedValue(value)} # x`).settings).toEqual([["user.name", value]]);
  });
});
