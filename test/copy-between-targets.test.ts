/** `copy` between the real targets: every pair of them, and in little memory. */
import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createMemoryBackend } from "../src/backends/memory/index.js";
import { type ChosenTarget, createToolkit, type Toolkit } from "../src/index.js";
import { built } from "../src/testing/built.fixture.js";
import { override, wrapBackend } from "../src/testing/fakes/wrap-backend.js";
import { service, withServices } from "../src/testing/services.fixture.js";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 60_000 });

const MIB = 1024 * 1024;
const CANNOT_CONFINE = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status !== 0;
if (CANNOT_CONFINE && process.env.REQUIRE_ALL === "1")
  throw new Error("Copies of the sandbox cannot run: bwrap does not work here.");
const sandbox = CANNOT_CONFINE ? [] : ["sandbox"];
const without = CANNOT_CONFINE ? ", without the sandbox (cannot: bwrap does not work here)" : "";

let directory: string;
let toolkit: Toolkit;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-between-")));
});
afterEach(async () => {
  await toolkit.close();
  rmSync(directory, { recursive: true, force: true });
});

async function run(name: string, input: object) {
  const outcome = await toolkit.session("s").box().runner.run({ id: name, name, input });
  return { ...outcome, output: String(outcome.output) };
}

/** Each ordered pair of the names, a name with itself too, exactly once: a walk that ends where it began. */
function everyPair(names: readonly string[]): readonly (readonly [from: string, to: string])[] {
  const walk = names.flatMap((one, index) => [one, ...names.slice(index + 1).flatMap((other) => [one, other])]);
  return walk.map((from, index) => [from, walk[(index + 1) % walk.length]!]);
}

/** Copies a file from the first target through every pair, each copy from the one before, and back. */
async function throughEveryPair(places: readonly ChosenTarget[], sizeBytes: number): Promise<void> {
  toolkit = await createToolkit({ on: places, workspace: directory, autonomy: "full", gate: "off", persist: false });
  const bytes = randomBytes(sizeBytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  writeFileSync(join(directory, "copy-0.bin"), bytes);
  const pairs = everyPair(places.map(({ name, target }) => name ?? target));
  expect(new Set(pairs.map(String)).size).toBe(places.length ** 2);
  for (const [step, [fromOn, on]] of pairs.entries()) {
    const input = { from: `copy-${step}.bin`, to: `copy-${step + 1}.bin`, on, fromOn };
    const { status, data, output } = await run("copy", input);
    expect([step, fromOn, on, output, status]).toEqual([step, fromOn, on, output, "ok"]);
    expect(data).toMatchObject({ sizeBytes, sha256, created: true });
    await run("delete", { path: input.from, on: fromOn });
  }
  expect(readFileSync(join(directory, `copy-${pairs.length}.bin`)).equals(bytes)).toBe(true);
}

it("the guide's command copies a file between two targets", async () => {
  toolkit = await createToolkit({ on: "memory", persist: false });
  const guide = readFileSync(new URL("../docs/guide/targets.md", import.meta.url), "utf8");
  const [line = ""] = /^haft call copy .*$/m.exec(guide) ?? [];
  for (const path of ["here/dist", "there"]) mkdirSync(join(directory, path), { recursive: true });
  writeFileSync(join(directory, "here/dist/app"), "built\n", { mode: 0o755 });
  const local = line.replace("ssh:build@host=/srv/app", `posix:sh=${join(directory, "there")}`);
  expect(local).not.toBe(line);
  const words = [
    ...local.split(" ").slice(1),
    "--state",
    join(directory, "state"),
    "--workspace",
    join(directory, "here"),
  ];
  const ran = spawnSync(process.execPath, [built("surfaces/cli/main.js"), ...words], { encoding: "utf8" });
  const report = /^Copied "dist\/app" on "local" to "bin\/app" on "prod": 6 bytes, sha256 [0-9a-f]{12}\.\n$/;
  expect([ran.stdout, ran.stderr, ran.status]).toEqual([expect.stringMatching(report), "", 0]);
  expect(readFileSync(join(directory, "there/bin/app"), "utf8")).toBe("built\n");
  expect(statSync(join(directory, "there/bin/app")).mode & 0o777).toBe(0o755);
});

describe("copies between targets of this machine", () => {
  it(`are exact for 20 MiB between any two${without}`, async () => {
    const targets = ["local", "memory", "posix:sh", ...sandbox].map((target) => ({ target }));
    await throughEveryPair(targets, 20 * MIB);
  });

  it.each(["local", "posix:sh"])("take little memory, of whatever size the file is, on %s", async (target) => {
    const start = process.memoryUsage().arrayBuffers;
    let most = 0;
    // As a file of another machine: each chunk has memory of its own, which may be used again once the next one is requested.
    const endless = wrapBackend(createMemoryBackend({ files: { "large.bin": "x" } }), {
      fs: (fs) =>
        override(fs, {
          readRange: async (...given) => ({ ...(await fs.readRange(...given)), size: 256 * MIB }),
          async *openRead() {
            for (let at = 0; at < 256; at += 1) {
              yield new Uint8Array(MIB).fill(at);
              most = Math.max(most, process.memoryUsage().arrayBuffers - start);
            }
          },
        }),
    });
    toolkit = await createToolkit({
      on: [{ target, workspace: directory }, "endless"],
      backends: { endless },
      autonomy: "full",
      persist: false,
    });
    const { output, data } = await run("copy", { from: "large.bin", to: "copy.bin", fromOn: "endless" });
    expect([output, data]).toEqual([output, expect.objectContaining({ sizeBytes: 256 * MIB })]);
    expect(most).toBeLessThan(128 * MIB);
  });
});

withServices(["ssh", "podman"], "copies between this machine, a container and a host", () => {
  const before = { ...process.env };
  const work = `copies-${randomBytes(4).toString("hex")}`;
  beforeEach(() => void Object.assign(process.env, service("podman").env));
  afterEach(() => {
    for (const name of Object.keys(service("podman").env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  it(`are exact for 20 MiB between any two${without}`, async () => {
    const { config, hosts, home } = service("ssh");
    const targets: readonly ChosenTarget[] = [
      ...["local", "memory", "posix:dash", ...sandbox].map((target) => ({ target })),
      { name: "container", target: `podman:${service("podman").container}`, workspace: `/tmp/${work}` },
      { name: "host", target: `ssh:${hosts.box}`, workspace: `${home}/${work}`, ssh: { config } },
    ];
    const setUp = await createToolkit({
      on: [
        { name: "container", target: `podman:${service("podman").container}`, workspace: "/tmp" },
        { name: "host", target: `ssh:${hosts.box}`, workspace: home, ssh: { config } },
      ],
      autonomy: "full",
      persist: false,
    });
    const onBoth = async (command: string) => {
      for (const on of ["container", "host"]) {
        const { status, output } = await setUp
          .session("s")
          .box()
          .runner.run({ id: "c", name: "bash", input: { command, on } });
        expect([on, output, status]).toEqual([on, output, "ok"]);
      }
    };
    await onBoth(`mkdir ${work}`);
    try {
      await throughEveryPair(targets, 20 * MIB);
    } finally {
      await onBoth(`ls -A ${work} && rm -r ${work}`);
      await setUp.close();
    }
  });
});
