import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type BoundCall, grantFor } from "../../../kernel/index.js";
import { createLocalBackend } from "../local-backend.js";
import { guardMode } from "./pinned-directory.js";

/** Swaps a symlink between two targets as fast as it can until its input ends, then says how often. */
const SWAPPER = `
const fs = require("node:fs");
const [way, one, other] = process.argv.slice(1);
let count = 0, goes = true;
process.stdin.on("end", () => { goes = false; }).resume();
const swap = () => {
  for (let round = 0; round < 200; round++, count++) {
    fs.symlinkSync(count % 2 ? one : other, way + ".next");
    fs.renameSync(way + ".next", way);
  }
  if (goes) setImmediate(swap);
  else console.log(count);
};
swap();
fs.writeFileSync(way + ".ready", "");
`;
const RACE_MS = 1_500;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-race-"));
  for (const name of ["in/real", "out/directory"]) mkdirSync(join(directory, name), { recursive: true });
  writeFileSync(join(directory, "in/real/file"), "inside");
  for (const name of ["secret", "directory/file"]) writeFileSync(join(directory, "out", name), "secret");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

/** Runs `attack` again and again while another process swaps `way`. Returns how often each outcome came. */
async function race(way: string, one: string, other: string, attack: (path: string, round: number) => Promise<string>) {
  const path = join(directory, way);
  const swapper = spawn(process.execPath, ["-e", SWAPPER, path, one, other], { stdio: ["pipe", "pipe", "inherit"] });
  let swaps = "";
  swapper.stdout.on("data", (chunk: Buffer) => {
    swaps += chunk;
  });
  const ended = new Promise((resolve) => swapper.once("close", resolve));
  while (!existsSync(`${path}.ready`)) await new Promise((resolve) => setTimeout(resolve, 5));
  const outcomes: Record<string, number> = {};
  const end = Date.now() + RACE_MS;
  for (let round = 0; Date.now() < end; round++) {
    const outcome = await attack(path, round).catch((thrown: { code?: string }) => thrown.code ?? String(thrown));
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
  swapper.stdin.end();
  await ended;
  return { outcomes, swaps: Number(swaps) };
}

function bound() {
  const inside = join(directory, "in");
  const grant = grantFor("race", [
    { kind: "file", path: inside, access: ["read", "write", "create", "delete"], scope: "tree" },
  ]);
  const call: BoundCall = {
    id: "race",
    sessionId: "race",
    signal: new AbortController().signal,
    deadline: Number.POSITIVE_INFINITY,
    authorizeRealPath: async () => ({ effect: "deny", rule: "race", risk: "high", reason: "It lies outside." }),
    authorizeDirectory: async () => ({ effect: "deny", rule: "race", risk: "high", reason: "It lies outside." }),
  };
  return createLocalBackend({ watcher: false }).bind(grant, call).fs;
}

function expectOutsideUntouched(): void {
  expect(readdirSync(join(directory, "out")).sort()).toEqual(["directory", "secret"]);
  expect(readdirSync(join(directory, "out/directory"))).toEqual(["file"]);
  for (const name of ["secret", "directory/file"])
    expect(readFileSync(join(directory, "out", name), "utf8")).toBe("secret");
}

describe.runIf(guardMode() === "pinned")("a symlink that another process swaps all the time", () => {
  it("lets no operation in its directory out of the grant", async () => {
    const fs = bound();
    const { outcomes, swaps } = await race("in/way", "real", "../out/directory", async (way, round) => {
      const kind = round % 5;
      if (kind === 0) return (await fs.readText(`${way}/file`)) === "secret" ? "LEAK" : "read";
      if (kind === 1) return fs.writeFile(`${way}/new`, "x").then(() => "written");
      if (kind === 2) return fs.mkdir(`${way}/made/deep`, true).then(() => "made");
      if (kind === 3) return fs.rm(`${way}/made`, { recursive: true, ignoreMissing: true }).then(() => "removed");
      return fs.rename(`${way}/new`, `${way}/moved`, { replace: true }).then(() => "moved");
    });
    expectOutsideUntouched();
    expect(outcomes).not.toHaveProperty("LEAK");
    // Both ways were met, or nothing was shown.
    expect(swaps).toBeGreaterThan(100);
    expect(outcomes.POLICY_DENIED).toBeGreaterThan(0);
    expect((outcomes.read ?? 0) + (outcomes.written ?? 0)).toBeGreaterThan(0);
  });

  it("lets no operation on itself out of the grant", async () => {
    const fs = bound();
    const { outcomes, swaps } = await race("in/way", "real/file", "../out/secret", async (way, round) => {
      if (round % 2 === 0) return (await fs.readText(way)) === "secret" ? "LEAK" : "read";
      return fs.writeFile(way, "inside").then(() => "written");
    });
    expectOutsideUntouched();
    expect(outcomes).not.toHaveProperty("LEAK");
    expect(swaps).toBeGreaterThan(100);
    expect(outcomes.POLICY_DENIED).toBeGreaterThan(0);
    expect((outcomes.read ?? 0) + (outcomes.written ?? 0)).toBeGreaterThan(0);
  });
});
