import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { expect, it } from "vitest";
import { deflatedRepeat, pdfOf, pdfWith } from "../../../../host/media/pdf.fixture.js";
import { built } from "../../../../testing/built.fixture.js";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { underLoad } from "../../../../testing/under-load.fixture.js";

const place = cliPlace();
const args = (path: string, ...options: readonly string[]) => ["call", "read", JSON.stringify({ path }), ...options];
const read = (path: string, ...options: readonly string[]) => place.inProcess(args(path, ...options));

it("an image is described in a line, and its bytes are base64 in JSON", async () => {
  const image = await sharp({ create: { width: 8, height: 4, channels: 3, background: "#f00" } })
    .png()
    .toBuffer();
  writeFileSync(join(place.workspace, "a.png"), image);
  const reported = `"a.png": image/png, 8×4 pixels, ${image.length} bytes.`;
  expect((await read("a.png")).stdout).toBe(
    `${reported}\n[image/png, ${image.length} bytes; \`--json\` or an MCP client shows it]\n`,
  );
  expect(JSON.parse((await read("a.png", "--json")).stdout)).toMatchObject({
    output: [
      { kind: "text", text: reported },
      { kind: "image", mime: "image/png", data: image.toString("base64") },
    ],
  });
});

it("a PDF is shown as the text of its pages", async () => {
  writeFileSync(join(place.workspace, "a.pdf"), pdfOf([["Hello", "World"]]));
  expect((await read("a.pdf")).stdout).toMatch(
    /^Showing lines 1–3 of 3\.\n {5}1│--- page 1 of 1 ---\n {5}2│Hello\n {5}3│World\nnote: PDF shown as text/,
  );
});

it("what reads a file does not outlive a killed host", async () => {
  const data = deflatedRepeat("BT /F1 12 Tf ", "(aaaa) Tj T* ".repeat(80_000), 100, "ET");
  writeFileSync(join(place.workspace, "slow.pdf"), pdfWith([{ dictionary: "/Filter /FlateDecode", data }]));
  const host = spawn(process.execPath, [built("surfaces/cli/main.js"), ...args("slow.pdf")], {
    cwd: place.workspace,
    env: place.env(),
    stdio: "ignore",
  });
  await expect.poll(() => readersOf(host.pid!), { timeout: underLoad(10_000) }).toHaveLength(1);
  const [reader] = readersOf(host.pid!);
  host.kill("SIGKILL");
  await expect.poll(() => existsSync(`/proc/${reader}`), { timeout: underLoad(5_000) }).toBe(false);
}, 60_000);

/** The children of a process that read a file for it. */
function readersOf(parent: number): string[] {
  return readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const [, found] = /\) [A-Z] (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
      return Number(found) === parent && readFileSync(`/proc/${pid}/cmdline`, "latin1").includes('"lookMs":');
    } catch {
      return false;
    }
  });
}
