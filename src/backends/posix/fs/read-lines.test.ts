import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import type { Backend } from "../../../kernel/index.js";
import type { ReadData } from "../../../tools/read/contract.js";
import { newSession, type ToolBench, toolBench } from "../../../tools/tool-bench.fixture.js";
import { createLocalBackend } from "../../local/index.js";
import { PosixMachine } from "../machine.fixture.js";
import { underEachShell } from "../shells.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const MIB = 1024 * 1024;
/** What one read may move: the head that its type is detected by, a window, and what describes the file. */
const WINDOW_BYTES = 160_000;

/** So many lines of 100 bytes: most end with LF, some with CRLF; some contain CR, NUL, or bytes that are not UTF-8. */
function linesOf(count: number): Buffer {
  const bytes = Buffer.alloc(count * 100, "abcdefghi ");
  for (let line = 0; line < count; line += 1) {
    const end = (line + 1) * 100;
    bytes.write(String(line + 1).padStart(12, "0"), end - 100, "latin1");
    bytes[end - 1] = 10;
    if (line % 7 === 0) bytes[end - 2] = 13;
    if (line > 5_000 && line % 11 === 0) bytes[end - 20] = [13, 0, 0xff][line % 3]!;
  }
  return bytes;
}

underEachShell((shell) => {
  const machine = new PosixMachine(shell);
  let backend: Backend;
  let there: ToolBench;
  let here: ToolBench;
  let local: Backend;
  beforeAll(async () => {
    backend = await machine.open();
    local = await createLocalBackend({ cwd: machine.work });
    there = toolBench({ backend, session: newSession("there") });
    here = toolBench({ backend: local, session: newSession("here") });
  });
  afterAll(async () => {
    await backend.close();
    await local.close();
    machine.dispose();
  });

  /** Reads over the channel and on this machine, and compares. Returns the bytes that came over the channel. */
  async function readBoth(input: { path: string; offset?: number; limit?: number }): Promise<number> {
    const before = machine.heard.length;
    const remote = await there.call<ReadData>("read", input);
    const moved = machine.heard.length - before;
    const { data } = await here.call<ReadData>("read", input);
    // A lower bound: how far the lines were counted is not the same.
    expect({ ...remote.data, atLeastLines: 0 }).toEqual({ ...data, atLeastLines: 0 });
    return moved;
  }

  it("moves only the window of a large file, wherever it is", async () => {
    const last = 900_000;
    const bytes = linesOf(last);
    writeFileSync(join(machine.work, "large"), bytes);
    writeFileSync(join(machine.work, "open"), bytes.subarray(0, -1));
    for (const path of ["large", "open"])
      for (const offset of [450_000, 450_100, 449_000, 100, 890_000, last - 3, last, last + 1, last + 2, -5, 300_000])
        expect(await readBoth({ path, offset, limit: 100 })).toBeLessThan(offset < 0 ? 3 * WINDOW_BYTES : WINDOW_BYTES);
  });

  it("counts the lines of a file that is small enough, and moves only the window", async () => {
    const bytes = linesOf(200_000);
    writeFileSync(join(machine.work, "middle"), bytes);
    writeFileSync(join(machine.work, "middle-open"), Buffer.concat([bytes, Buffer.from("open")]));
    writeFileSync(join(machine.work, "one-line"), Buffer.alloc(9 * MIB, "x"));
    for (const path of ["middle", "middle-open"])
      for (const offset of [150_000, 149_990, 1, -1, -2_000, 200_000, 200_001, 200_002])
        expect(await readBoth({ path, offset })).toBeLessThan(WINDOW_BYTES);
    expect(await readBoth({ path: "one-line", offset: 2 })).toBeLessThan(WINDOW_BYTES);
  });

  it("follows a file that grows, and reads UTF-16", async () => {
    const path = join(machine.work, "log");
    writeFileSync(path, linesOf(100_000));
    await readBoth({ path, offset: 99_999 });
    appendFileSync(path, linesOf(3));
    await readBoth({ path, offset: 99_999 });
    appendFileSync(path, "open");
    await readBoth({ path, offset: 100_004 });
    const wide = Buffer.from(`\ufeff${linesOf(50_000).toString("latin1")}\u0a0a\u0a0a`, "utf16le");
    writeFileSync(join(machine.work, "wide"), wide);
    await readBoth({ path: "wide", offset: 40_000, limit: 10 });
  });
});
