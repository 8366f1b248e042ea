import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, it, vi } from "vitest";
import { programOnPath } from "../../../host/index.js";
import type { Backend } from "../../../kernel/index.js";
import { conform, realClock } from "../../../testing/conform.fixture.js";
import { plantByShell, searchSuite } from "../../../testing/index.js";
import { isSampled } from "../../../testing/long.fixture.js";
import { PosixMachine } from "../machine.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const packaged = async () => (await import("@vscode/ripgrep")).rgPath;
const PROGRAMS: Readonly<Record<string, () => Promise<string | undefined>>> = {
  "ripgrep of the package": packaged,
  "ripgrep on PATH": async () => programOnPath("rg", { path: process.env.PATH ?? "" }),
  "no ripgrep": async () => undefined,
};

for (const [name, programOf] of Object.entries(PROGRAMS)) {
  const program = await programOf().catch(() => undefined);
  if (program === undefined && name !== "no ripgrep") {
    const reason = `the ${name} is not installed`;
    if (process.env.REQUIRE_ALL === "1") throw new Error(`Searches by each engine cannot run: ${reason}.`);
    it.skip(`searches by ${name} (${reason})`, () => {});
    continue;
  }
  describe(`searches by ${name}`, () => {
    const machine = new PosixMachine("dash");
    let backend: Backend;
    beforeAll(async () => {
      const bin = join(machine.directory, "bin");
      mkdirSync(bin);
      if (program !== undefined) symlinkSync(program, join(bin, "rg"));
      const path = `${bin}:${process.env.PATH}`;
      backend = await machine.open({ useRipgrep: program !== undefined }, { PATH: path });
    });
    afterAll(async () => {
      await backend.close();
      machine.dispose();
    });
    let round = 0;
    conform(
      {
        name,
        create: async () => {
          round += 1;
          const directory = join(machine.work, `case-${round}`);
          mkdirSync(directory);
          const dispose = async () => rmSync(directory, { recursive: true, force: true });
          return { backend, directory, clock: realClock, plant: plantByShell(backend), dispose };
        },
        cannot: {},
        knownFailures: {},
      },
      [searchSuite],
      // Our own engine is proved whole by the memory backend: here a sample of it.
      (_one, index) => program !== undefined || isSampled(index),
    );
  });
}
