import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { systemClock } from "../../host/index.js";
import { bindAll } from "../../testing/index.js";
import { withBubblewrap } from "../../testing/programs.fixture.js";
import { createSandboxBackend } from "./index.js";

const base = realpathSync(mkdtempSync(join(tmpdir(), "haft-hidden-")));
const data = join(base, "data");
const state = join(data, "state");
let backend: Awaited<ReturnType<typeof createSandboxBackend>>;

withBubblewrap("what a sandbox hides in a directory that it shows", () => {
  beforeAll(async () => {
    for (const name of ["home", "ws", "data/state", "data/seen"]) mkdirSync(join(base, name), { recursive: true });
    for (const name of ["state", "seen"]) writeFileSync(join(data, name, "key"), "needle\n");
    const options = { cwd: join(base, "ws"), home: join(base, "home"), readable: [data], stateDir: state };
    backend = await createSandboxBackend(options);
  });
  afterAll(async () => {
    await backend.close();
    rmSync(base, { recursive: true });
  });

  const ports = () => bindAll({ backend, clock: systemClock });
  const query = { includeIgnored: true, prune: [], order: "path", offset: 0, limit: 100 } as const;

  it("is not seen by commands", async () => {
    const { stdout } = await backend.root.shell.exec(`ls ${data} ${state}`, { cwd: join(base, "ws") });
    expect(Buffer.from(stdout.head).toString()).toBe(`${data}:\nseen\nstate\n\n${state}:\n`);
  });

  it.each(["data", "ws/link"])("is left out by a walk of %s, and counted", async (name) => {
    const root = join(base, name);
    if (root !== data) symlinkSync(data, root);
    const seen: string[] = [];
    let skipped: unknown;
    for await (const entry of ports().search.walk({ ...query, root }))
      if (entry.kind === "end") skipped = entry.skipped;
      else seen.push(entry.path.slice(root.length));
    expect({ seen, skipped }).toEqual({ seen: ["/seen", "/seen/key"], skipped: { policy: 1 } });
  });
});
