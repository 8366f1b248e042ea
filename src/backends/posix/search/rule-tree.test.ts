import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { isExceptedName } from "../../../kernel/index.js";
import { SENSITIVE_NAMES } from "../../../policy/path-verdict.js";
import { listRules } from "./rule-tree.js";

const root = mkdtempSync(join(tmpdir(), "haft-rules-"));
afterAll(() => rmSync(root, { recursive: true }));

const NAMES = [
  ...[
    ".git",
    ".gitignore",
    ".ignore",
    ".rgignore",
    "gitignore",
    "module1.ts",
    "app.js",
    "package.json",
    "Makefile",
    "a",
  ],
  ...[
    ".env",
    ".ENV",
    ".env.x.local",
    "env",
    "server.pem",
    "SERVER.PEM",
    "x.pem.txt",
    ".pem",
    "a.b.key",
    "trust.\u212Aey",
  ],
  ...[
    "x.j\u212As",
    "x.jk\u017F",
    "id_rsa",
    "ID_RSA",
    "id_r\u017Fa",
    "id_rsa.pub",
    "_netrc",
    ".s\u017Fh",
    "Kube",
    ".\u212Aube",
  ],
  ...["[x]", "a\\b", "-n", "new\nline.key", "\u00e9.key", "9.p12", "secret-notes", "my-SECRET", "\u017Fecret"],
];
mkdirSync(join(root, "below/.git"), { recursive: true });
writeFileSync(join(root, "below/.git/config.pem"), "");
for (const name of NAMES) if (name !== ".git") writeFileSync(join(root, "below", name), "x");

/** What the command lists, by the name alone. */
function listed(globs: readonly string[], includeIgnored: boolean, find: string): ReadonlySet<string> {
  const command = listRules({ includeIgnored, prune: [] }, globs).replace("LC_ALL=C find", `LC_ALL=C ${find}`);
  const output = execFileSync("sh", ["-c", command], { cwd: root, encoding: "utf8" });
  expect(output.endsWith("//\nend\n")).toBe(true);
  return new Set(
    output
      .split("//\n")
      .slice(0, -1)
      .map((entry) => entry.replace(/^[0-9a-f]+ \d+ \.\/below\//, "")),
  );
}

const LISTS: readonly (readonly string[])[] = [
  [],
  SENSITIVE_NAMES,
  ["*.key"],
  ["secret*"],
  ["*secret*", ".env"],
  ["*.*ey"],
  ["*."],
  ["[x]", "a\\b", "-n"],
];

describe.each(["find", "busybox find"])("the list of rules by %s", (find) => {
  test.each(LISTS.flatMap((globs) => [true, false].map((ignored) => ({ globs, ignored }))))(
    "names all that $globs except (ignored files too: $ignored)",
    ({ globs, ignored }) => {
      const found = listed(globs, ignored, find);
      const rules = ignored ? [] : [".gitignore", ".ignore", ".rgignore"];
      const expected = NAMES.filter((name) => rules.includes(name) || isExceptedName(globs, name));
      expect(expected.filter((name) => !found.has(name))).toEqual([]);
      expect(found).toContain(".git");
      expect(found).not.toContain("module1.ts");
      expect([...found].filter((name) => name.includes("config.pem"))).toEqual([]);
    },
  );
});
