import { mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from "vitest";
import { type Backend, HaftError } from "../../../kernel/index.js";
import { realClock } from "../../../testing/conform.fixture.js";
import { bindAll, treeGrant } from "../../../testing/index.js";
import { PosixMachine, until } from "../machine.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const machine = new PosixMachine("dash");
let backend: Backend;
beforeAll(async () => {
  backend = await machine.open();
});
afterAll(async () => {
  await backend.close();
  machine.dispose();
});

const countOf = (word: string): number => machine.heard.split(new RegExp(`,${word}[, ]`)).length - 1;

it("reads a hundred small files in a few requests, and each other kind of entry as if alone", async () => {
  const directory = join(machine.work, "many");
  mkdirSync(directory);
  const names = Array.from({ length: 100 }, (_, index) => `f ${index}\n`);
  for (const name of names) writeFileSync(join(directory, name), `content of ${name}`);
  writeFileSync(join(directory, "large"), "x".repeat(100_000));
  writeFileSync(join(directory, "empty"), "");
  mkdirSync(join(directory, "sub"));
  symlinkSync("f 1\n", join(directory, "link"));
  const { fs } = bindAll({ backend, clock: realClock });
  const before = countOf("read");
  const texts = await Promise.all(names.map((name) => fs.readText(join(directory, name))));
  expect(texts).toEqual(names.map((name) => `content of ${name}`));
  expect([countOf("read") - before, countOf("list"), countOf("gather")]).toEqual([0, 0, 2]);
  const others = ["large", "empty", "link", "sub", "f 2\n"].map((name) => join(directory, name));
  const [sizes, kinds] = await Promise.all([
    Promise.all(others.map((path) => fs.readBytes(path).then((bytes) => bytes.length, codeOf))),
    Promise.all(others.map((path) => fs.stat(path).then(({ kind, target }) => [kind, target]))),
  ]);
  expect(sizes).toEqual([100_000, 0, 15, "FS_NOT_A_FILE", 15]);
  expect(kinds).toEqual([
    ["file", undefined],
    ["file", undefined],
    ["file", "f 1\n"],
    ["directory", undefined],
    ["file", undefined],
  ]);
  const [there, missing] = await Promise.all([
    fs.readRange(others[4]!, 0, 7),
    fs.readText(join(directory, "missing")).catch(codeOf),
  ]);
  const { size, version } = await fs.stat(others[4]!);
  expect([Buffer.from(there.bytes).toString(), there.size, there.version, missing]).toEqual([
    "content",
    size,
    version,
    "FS_NOT_FOUND",
  ]);
});

it("resolves a hundred paths of one turn in one request, each with its own answer", async () => {
  const directory = join(machine.work, "places");
  mkdirSync(directory);
  const names = Array.from({ length: 100 }, (_, index) => `p ${index}\n`);
  for (const name of names.slice(1)) writeFileSync(join(directory, name), "");
  const { fs } = bindAll({ backend, clock: realClock });
  const before = countOf("resolve");
  const places = await Promise.all(names.map((name) => fs.resolve([join(directory, name)])));
  expect(places.map(([one]) => [one?.real, one?.missing, one?.kind])).toEqual([
    [directory, names[0], "absent"],
    ...names.slice(1).map((name) => [join(directory, name), "", "file"]),
  ]);
  expect(countOf("resolve") - before).toBe(1);
  expect(await fs.resolve([])).toEqual([]);
});

it("resolves a file that is read in the same turn without a request, and a symlink with one", async () => {
  const directory = join(machine.work, "read-places");
  mkdirSync(directory);
  const names = Array.from({ length: 20 }, (_, index) => `r${index}`);
  for (const name of names) writeFileSync(join(directory, name), name);
  symlinkSync("r1", join(directory, "link"));
  const { fs } = bindAll({ backend, clock: realClock });
  const readAndResolve = (name: string) => {
    const path = join(directory, name);
    return Promise.all([fs.readText(path), fs.resolve([path])]);
  };
  const before = countOf("resolve");
  for (const [index, [text, places]] of (await Promise.all(names.map(readAndResolve))).entries())
    expect([text, places]).toEqual([
      names[index],
      [{ real: join(directory, names[index]!), missing: "", kind: "file" }],
    ]);
  expect(countOf("resolve") - before).toBe(0);
  const [[, [own]], [text, [other]]] = await Promise.all([readAndResolve("r2"), readAndResolve("link")]);
  expect([own?.real, text, other?.real]).toEqual([join(directory, "r2"), "r1", join(directory, "r1")]);
  expect(countOf("resolve") - before).toBe(1);
});

it("reads files of more bytes than one answer takes in several answers, once their sizes are known", async () => {
  const directory = join(machine.work, "several");
  mkdirSync(directory);
  const names = ["a", "b", "c", "d", "e", "f"];
  const textOf = (name: string) => name.repeat(60_000);
  for (const name of names) writeFileSync(join(directory, name), textOf(name));
  const { fs } = bindAll({ backend, clock: realClock });
  const before = [countOf("list"), countOf("gather"), countOf("read")];
  const texts = await Promise.all(names.map((name) => fs.readText(join(directory, name))));
  expect(texts).toEqual(names.map(textOf));
  const after = [countOf("list"), countOf("gather"), countOf("read")];
  expect(after.map((count, index) => count - before[index]!)).toEqual([1, 2, 0]);
});

it("reads nothing through a directory that has become a symlink", async () => {
  const granted = join(machine.work, "granted");
  const outside = join(machine.work, "outside");
  for (const directory of [granted, join(granted, "sub"), outside]) mkdirSync(directory);
  for (const name of ["a", "b"]) {
    writeFileSync(join(granted, "sub", name), "mine");
    writeFileSync(join(outside, name), "secret");
  }
  const { fs } = bindAll({ backend, clock: realClock }, treeGrant(granted, ["read"]));
  const read = () => Promise.all(["a", "b"].map((name) => fs.readText(join(granted, "sub", name)).catch(codeOf)));
  expect(await read()).toEqual(["mine", "mine"]);
  renameSync(join(granted, "sub"), join(granted, "was"));
  symlinkSync(outside, join(granted, "sub"));
  expect(await read()).toEqual(["POLICY_DENIED", "POLICY_DENIED"]);
});

it("waits for no writer where a FIFO takes the place of a file, and leaves no process behind", async () => {
  const other = new PosixMachine("dash");
  onTestFinished(() => other.dispose());
  const directory = join(other.work, "swapped");
  mkdirSync(directory);
  for (const name of ["a", "b", "c"]) writeFileSync(join(directory, name), `content of ${name}`);
  // The first look at the three files comes right before they are opened: the swap is part of it.
  const bin = join(other.directory, "bin");
  mkdirSync(bin);
  const swap = `rm ${directory}/b; mkfifo ${directory}/b`;
  const look = `case "$*" in *"./a ./b ./c") echo >>${bin}/looks; [ "$(wc -l <${bin}/looks)" != 1 ] || { ${swap}; } ;; esac`;
  writeFileSync(join(bin, "stat"), `#!/bin/sh\n/usr/bin/stat "$@"; status=$?\n${look}\nexit $status\n`, {
    mode: 0o755,
  });
  const there = await other.open({}, { PATH: `${bin}:${process.env.PATH}` });
  try {
    const { fs } = bindAll({ backend: there, clock: realClock });
    const texts = await Promise.all(["a", "b", "c"].map((name) => fs.readText(join(directory, name)).catch(codeOf)));
    expect(texts).toEqual(["content of a", "FS_NOT_A_FILE", "content of c"]);
    expect(readFileSync(join(bin, "looks"), "utf8")).toBe("\n");
  } finally {
    await there.close();
  }
  await until(() => other.processes().length === 0);
});

function codeOf(thrown: unknown): string {
  return HaftError.is(thrown) ? thrown.code : String(thrown);
}
