/** What a change that is cancelled says of itself is true: it did not happen, or it may have. */
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { HaftError } from "../../../kernel/index.js";
import { PosixMachine, pause, until } from "../machine.fixture.js";

vi.setConfig({ testTimeout: 60_000 });

let machine: PosixMachine;
beforeEach(() => {
  machine = new PosixMachine("dash");
});
afterEach(() => machine.dispose());

const at = (name: string) => join(machine.work, name);
const failure = (work: Promise<unknown>): Promise<HaftError> =>
  work.then(
    () => expect.fail("it did not reject"),
    (thrown: HaftError) => thrown,
  );

it("is not sent once the channel opens that it waited for", async () => {
  const backend = await machine.open();
  const { fs } = backend.root;
  writeFileSync(at("old"), "old");
  machine.delay = 500;
  const controller = new AbortController();
  const { signal } = controller;
  const changes = [
    fs.writeFile(at("new"), "new", { signal }),
    fs.mkdir(at("made"), false, { signal }),
    fs.rm(at("old"), { recursive: false, ignoreMissing: false }, { signal }),
    fs.rename(at("old"), at("moved"), { replace: false }, { signal }),
  ].map(failure);
  controller.abort();
  for (const { code, message } of await Promise.all(changes))
    expect([code, message]).toEqual([
      "CALL_CANCELLED",
      expect.stringMatching(/^Did not .*: the operation was cancelled/),
    ]);
  // It comes after them on the same channel.
  expect((await fs.readDir(machine.work)).children.map(({ name }) => name)).toEqual(["old"]);
  await backend.close();
});

it.each([
  ["cancelled", "CALL_CANCELLED", "the operation was cancelled"],
  ["out of time", "CALL_TIMEOUT", "it took longer than 300 ms"],
])("may have happened when it was sent and is %s before the answer", async (_, code, why) => {
  const backend = await machine.open();
  const { fs } = backend.root;
  await fs.writeFile(at("file"), "old");
  machine.hold();
  const controller = new AbortController();
  const io = code === "CALL_CANCELLED" ? { signal: controller.signal } : { timeoutMs: 300 };
  const write = failure(fs.writeFile(at("file"), "new", io));
  const made = failure(fs.mkdir(at("made"), false, io));
  setTimeout(() => controller.abort(), 300);
  const next = "The change may have happened; check the current state before you try again.";
  expect(await write).toMatchObject({
    code,
    message: expect.stringContaining(
      `Stopped waiting to write "${at("file")}": ${why}. ${next} If the file is half-written`,
    ),
    details: { path: at("file"), began: "unknown" },
  });
  expect((await made).message).toBe(`Stopped waiting to create the directory "${at("made")}": ${why}. ${next}`);
  machine.release();
  await until(() => existsSync(at("made")) && readFileSync(at("file"), "utf8") === "new");
  await backend.close();
});

it("did not happen when it was still waiting behind others", async () => {
  const backend = await machine.open({ maxBulkChannels: 1 });
  const { fs } = backend.root;
  await fs.writeFile(at("file"), "old");
  machine.hold();
  const others = Array.from({ length: 5 }, (_, index) => fs.mkdir(at(`other-${index}`), false));
  const controller = new AbortController();
  const write = failure(fs.writeFile(at("file"), "new", { signal: controller.signal }));
  setTimeout(() => controller.abort(), 100);
  expect((await write).message).toBe(`Did not write "${at("file")}": the operation was cancelled.`);
  machine.release();
  await Promise.all(others);
  await fs.mkdir(at("last"), false);
  expect(readFileSync(at("file"), "utf8")).toBe("old");
  await backend.close();
});

/** The bytes of a file of several staged parts. */
const LARGE = randomBytes(1_000_000);

/** A program of the machine that does its work once `go` exists, where `condition` holds, and says that it waits by making `waits`. */
function waiting(program: string, condition: string) {
  const bin = join(machine.directory, "bin");
  mkdirSync(bin);
  const real = execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
  const wait = `if ${condition}; then : >${bin}/waits; until [ -e ${bin}/go ]; do sleep 0.02; done; fi`;
  writeFileSync(join(bin, program), `#!/bin/sh\n${wait}\nexec ${real} "$@"\n`, { mode: 0o755 });
  return {
    path: `${bin}:${process.env.PATH}`,
    begun: () => until(() => existsSync(join(bin, "waits"))),
    go: () => writeFileSync(join(bin, "go"), ""),
  };
}

const staged = () =>
  readdirSync(machine.state, { recursive: true, encoding: "utf8" }).filter((name) => /stage-/.test(name));

it.each(["replaced", "written in place"])(
  "a large file is whole where the cancel comes while it is %s",
  async (how) => {
    const cat = waiting("cat", `case $* in *stage-*) true ;; *) false ;; esac`);
    const backend = await machine.open({}, { PATH: cat.path });
    writeFileSync(at("file"), "old");
    if (how === "written in place") linkSync(at("file"), at("other"));
    const controller = new AbortController();
    const write = failure(backend.root.fs.writeFile(at("file"), LARGE, { signal: controller.signal }));
    await cat.begun();
    // From then on other requests go to another channel.
    await pause(100);
    controller.abort();
    expect(await write).toMatchObject({
      message: expect.stringMatching(/may have happened.*its old bytes are beside it/),
      details: { began: "unknown" },
    });
    await backend.root.fs.stat(at("file"));
    await pause(300);
    cat.go();
    const names = how === "replaced" ? ["file"] : ["file", "other"];
    await until(() => readFileSync(at("file")).equals(LARGE) && readdirSync(machine.work).length === names.length);
    expect(readdirSync(machine.work)).toEqual(names);
    await until(() => staged().length === 0);
    await backend.close();
  },
);

it("leaves no parts of a large file where the cancel comes while they are collected", async () => {
  const dd = waiting("dd", `case $(readlink /proc/$$/fd/1) in *stage-*.000000) true ;; *) false ;; esac`);
  const backend = await machine.open({}, { PATH: dd.path });
  const controller = new AbortController();
  const write = failure(backend.root.fs.writeFile(at("file"), LARGE, { signal: controller.signal }));
  await dd.begun();
  // From then on other requests go to another channel.
  await pause(100);
  controller.abort();
  expect((await write).message).toBe(`Did not write "${at("file")}": the operation was cancelled.`);
  await backend.root.fs.exists(at("file"));
  await pause(300);
  dd.go();
  await until(() => staged().length > 0);
  await until(() => staged().length === 0, 5_000);
  expect(readdirSync(machine.work)).toEqual([]);
  await backend.close();
});
