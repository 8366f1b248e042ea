import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ERROR_CODES } from "../src/kernel/index.js";
import { REPOSITORY } from "./architecture/source-tree.js";

const textOf = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8");
const rows = [...textOf("docs/reference/errors.md").matchAll(/^\| `([A-Z_]+)` \|(.*)\|$/gm)].map(
  ([, code = "", rest = ""]) => ({ code, cells: rest.split(" |").map((cell) => cell.trim()) }),
);

it("the reference of the errors has one row for each code, and no other", () => {
  expect(rows.map(({ code }) => code).sort()).toEqual([...ERROR_CODES].sort());
  for (const { code, cells } of rows) expect([code, cells.length, cells[0] !== ""]).toEqual([code, 3, true]);
});

it("and names the details that the source lists beside the code", () => {
  const listed = [...textOf("src/kernel/errors.ts").matchAll(/^ {2}"([A-Z_]+)",(?: \/\/ \{ ([^}]+) \})?/gm)];
  expect(listed).toHaveLength(ERROR_CODES.length);
  for (const [, code, fields = ""] of listed) {
    const names = fields === "" ? [] : fields.split(", ").map((field) => /^\w+/.exec(field)?.[0]);
    const shown = [...(rows.find((row) => row.code === code)?.cells.at(-1) ?? "").matchAll(/`(\w+)`/g)];
    expect([code, ...shown.map(([, name]) => name)]).toEqual([code, ...names]);
  }
});
