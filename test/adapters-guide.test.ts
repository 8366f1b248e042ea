/** The loops of docs/guide/adapters.md are those that test/sdks/types compiles against each major of the SDKs. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const types = new URL("sdks/types/", import.meta.url);
const compiled = readdirSync(types)
  .filter((name) => name.endsWith(".ts"))
  .map((name) => comparable(readFileSync(new URL(name, types), "utf8")));
const guide = readFileSync(new URL("../docs/guide/adapters.md", import.meta.url), "utf8");
const snippets = [...guide.matchAll(/```ts\n(.*?)```/gs)].map(([, code = ""]) => code);
const programs = snippets.filter((code) => code.includes("await "));

/** Without imports, whose place differs, and whatever a formatter changes. */
function comparable(code: string): string {
  const lines = code.split("\n").filter((line) => !line.startsWith("import "));
  return lines
    .join("\n")
    .replace(/\s+/g, "")
    .replace(/,(?=[)}\]])/g, "");
}

it("has programs", () => expect(programs.length).toBeGreaterThan(8));

it.each(programs)("compiles as shown: %s", (program) => {
  expect(compiled.some((file) => file.includes(comparable(program)))).toBe(true);
});
