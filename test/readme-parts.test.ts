import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "./architecture/source-tree.js";
import { readmeSession } from "./readme-session.js";
import { toolTable } from "./tools-reference.js";

const README = join(REPOSITORY, "README.md");

// A stale part is written anew by `npx vitest run test/readme-parts.test.ts -u`.
it("what the README shows of the tools and of a session is what the build does", async () => {
  const text = readFileSync(README, "utf8");
  const session = `\`\`\`console\n${await readmeSession(text)}\n\`\`\``;
  const readme = withPart(withPart(text, "tools", toolTable()), "session", session);
  await expect(readme).toMatchFileSnapshot(README);
}, 60_000);

function withPart(text: string, name: string, part: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->\n`, `\n<!-- ${name}: end -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the README has no part "${name}"`);
  return text.slice(0, from + begin.length) + part + text.slice(to);
}
