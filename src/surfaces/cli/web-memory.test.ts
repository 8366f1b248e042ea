import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { cleanEnv, runHaft } from "../../testing/built.fixture.js";

/** The largest body that `webfetch` reads. */
const PAGE_BYTES = 5_242_880;
/**
 * The heap that Node.js may use, in MiB; it ends when what is alive does not fit. The peak of resident memory is not compared:
 * it also depends on when garbage is collected, and differs by hundreds of MiB between runs, releases and machines.
 */
const HEAP_MIB = 128;

it("`haft call webfetch` of a hostile page of 5 MiB needs a heap of at most 128 MiB", {
  timeout: 120_000,
}, async () => {
  const unit = "<ul><li>ж x";
  const page = unit.repeat(Math.floor(PAGE_BYTES / Buffer.byteLength(unit)));
  const server = createServer((_, response) =>
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(page),
  );
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const home = mkdtempSync(join(tmpdir(), "haft-web-"));
  onTestFinished(() => {
    server.close();
    rmSync(home, { recursive: true });
  });
  const workspace = join(home, "w");
  mkdirSync(workspace);
  writeFileSync(join(workspace, "web.jsonc"), '{ "web": { "privateHosts": ["127.0.0.1"] } }');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const { status, stdout, stderr } = await runHaft(
    ["call", "webfetch", "--config", "web.jsonc", "--json", `url=${url}`, `maxBytes=${PAGE_BYTES}`],
    { cwd: workspace, env: cleanEnv(home, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` }) },
  );
  expect(status, stderr).toBe(0);
  expect(stdout).toContain("- ж x");
});
