import { randomBytes } from "node:crypto";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/index.js";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import type { Artifacts, ArtifactWriter, Backend } from "../../kernel/index.js";
import { newSession, toolBench } from "../tool-bench.fixture.js";
import type { BashData } from "./contract.js";

const MIB = 1024 * 1024;

let directory: string;
let backend: Backend | undefined;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-slow-store-")));
});
afterEach(async () => {
  await backend?.close();
  rmSync(directory, { recursive: true, force: true });
});

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A store of which the test says how it writes. Everything it was given is in `kept`, by what it is. */
function storeOf(write: (chunk: Uint8Array, count: number) => Promise<void>) {
  const kept = new Map<string, Uint8Array[]>();
  const ended: string[] = [];
  const create: Artifacts["create"] = async ({ what }) => {
    const chunks: Uint8Array[] = [];
    kept.set(what, chunks);
    const writer: ArtifactWriter = {
      id: `a-${kept.size}`,
      async write(chunk) {
        await write(chunk, chunks.length);
        chunks.push(chunk);
      },
      async end() {
        ended.push(what);
        const bytes = Buffer.concat(chunks).length;
        return { producedBytes: bytes, keptBytes: bytes };
      },
    };
    return writer;
  };
  const session = newSession("slow");
  return { kept, ended, session: { ...session, artifacts: { ...session.artifacts, create } } };
}

const backends: Record<string, () => Promise<Backend>> = {
  local: async () => createLocalBackend({ watcher: false }),
  posix: () => openLocalPosix({ shell: "sh" }),
  memory: async () => createMemoryBackend({ cwd: directory }),
};

describe.each(Object.keys(backends))("on %s", (name) => {
  it("a store that is slower than the command gets every byte of both streams", async () => {
    backend = await backends[name]!();
    const out = randomBytes(20 * MIB);
    const err = randomBytes(3 * MIB);
    await backend.root.fs.writeFile(`${directory}/out`, out);
    await backend.root.fs.writeFile(`${directory}/err`, err);
    // 40 MiB a second, where a command prints a gigabyte.
    const store = storeOf((chunk) => pause(Math.ceil((chunk.length / MIB) * 25)));
    const bench = toolBench({ backend, workspace: directory, session: store.session });
    const { data, truncations: cuts } = await bench.call<BashData>("bash", { command: "cat err >&2; cat out" });
    expect(data).toMatchObject({ ended: "itself", stdout: { bytes: out.length }, stderr: { bytes: err.length } });
    expect(cuts?.map(({ producedBytes, next }) => [producedBytes, next?.includes("for all of it")])).toEqual([
      [out.length, true],
      [err.length, true],
    ]);
    const artifact = (what: string) => Buffer.concat(store.kept.get(`${what} of a command`) ?? []);
    expect([artifact("stdout").equals(out), artifact("stderr").equals(err)]).toEqual([true, true]);
    expect(store.ended.sort()).toEqual(["stderr of a command", "stdout of a command"]);
  }, 60_000);
});

it("an artifact is closed even if its store fails, and the output is only truncated", async () => {
  backend = createLocalBackend({ watcher: false });
  const store = storeOf(async (_chunk, count) => {
    if (count === 1) throw new Error("disk full");
  });
  const bench = toolBench({ backend, workspace: directory, session: store.session });
  const { data, truncations: cuts } = await bench.call<BashData>("bash", { command: "head -c 9000000 /dev/zero" });
  expect(data).toMatchObject({ ended: "itself", stdout: { bytes: 9_000_000 } });
  expect(cuts).toMatchObject([{ what: "stdout", next: expect.stringContaining("less output") }]);
  expect(store.ended).toEqual(["stdout of a command"]);
});

it("a store that is stuck holds neither the command's end nor a cancel", async () => {
  backend = createLocalBackend({ watcher: false });
  const store = storeOf(() => new Promise(() => {}));
  const bench = toolBench({ backend, workspace: directory, session: store.session });
  const control = new AbortController();
  const running = bench.call<BashData>("bash", { command: "yes" }, undefined, control.signal);
  // Until the pipe and what may wait are full.
  await pause(300);
  control.abort();
  const { status, data } = await running;
  expect([status, data?.tree, data?.stdout.artifact]).toEqual(["cancelled", "gone", undefined]);
  expect(data!.stdout.bytes).toBeLessThan(8 * MIB);
});
