import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { grantFor } from "../../../kernel/index.js";
import { openLocalPosix } from "../index.js";

it("hears a cancel in the middle of a line with a match at every byte", async () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), "haft-long-search-")));
  const backend = await openLocalPosix({ shell: ["sh"], cwd });
  try {
    writeFileSync(join(cwd, "line"), Buffer.alloc(5_000_000, "a"));
    const control = new AbortController();
    const grant = grantFor("g", [{ kind: "file", path: cwd, access: ["read"], scope: "tree" }]);
    const { search } = backend.bind(grant, {
      id: "c",
      sessionId: "s",
      signal: control.signal,
      deadline: Date.now() + 60_000,
      authorizeRealPath: async () => ({ effect: "deny", rule: "test", risk: "low", reason: "No." }),
      authorizeDirectory: async () => ({ effect: "deny", rule: "test", risk: "low", reason: "No." }),
    });
    const source = `${"(".repeat(20)}a${")".repeat(20)}`;
    const found = search.grep({
      root: cwd,
      pattern: { source, syntax: "re2", ignoreCase: false, multiline: true },
      mode: "content",
      context: 0,
      maxLineBytes: 400,
      binary: "any-nul",
      includeIgnored: false,
      prune: [],
      order: "path",
      offset: 0,
      limit: 10,
    });
    setTimeout(() => control.abort(), 300);
    let end: unknown;
    for await (const record of found) end = record;
    expect(end).toMatchObject({ kind: "end", why: "cancelled" });
  } finally {
    await backend.close();
    rmSync(cwd, { recursive: true });
  }
});
