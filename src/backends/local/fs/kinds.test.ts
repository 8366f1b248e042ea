import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifies } from "../../../testing/verifies.fixture.js";
import { createLocalBackend } from "../local-backend.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "haft-kinds-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const { fs } = createLocalBackend({ watcher: false }).root;
const at = (name: string) => join(directory, name);

describe("what is no regular file", () => {
  it("a FIFO, a socket and a device are refused by kind, nothing is opened [READ-03]", async () => {
    execFileSync("mkfifo", [at("pipe")]);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(at("socket"), resolve));
    symlinkSync("/dev/zero", at("zero"));
    for (const [name, kind] of [
      ["pipe", "fifo"],
      ["socket", "socket"],
      ["zero", "device"],
    ] as const) {
      await expect(fs.readBytes(at(name))).rejects.toMatchObject({ code: "FS_NOT_A_FILE", details: { kind } });
      await expect(fs.writeFile(at(name), "x")).rejects.toMatchObject({ code: "FS_NOT_A_FILE", details: { kind } });
    }
    await new Promise((resolve) => server.close(resolve));
  });

  it("the environment and memory of programs are refused, whatever leads there [READ-14]", async () => {
    symlinkSync("/proc/self", at("me"));
    symlinkSync("/proc/self/environ", at("environ"));
    for (const path of [
      "/proc/self/environ",
      "/proc/1/environ",
      `/proc/${process.pid}/task/${process.pid}/environ`,
      "/proc/self/mem",
      "/proc/thread-self/environ",
      at("me/environ"),
      at("environ"),
    ]) {
      await expect(fs.readText(path), path).rejects.toMatchObject({ code: "FS_PERMISSION" });
    }
    expect(await fs.readText("/proc/self/comm")).not.toBe("");
    expect(await fs.readText("/proc/version")).toContain("Linux");
  });
});

describe("errors of the system", () => {
  verifies("IP-017", "read as the system's own, with the path that was asked for", async () => {
    await expect(fs.readText(at("gone"))).rejects.toMatchObject({
      code: "FS_NOT_FOUND",
      details: { system: `ENOENT: no such file or directory, open '${at("gone")}'` },
    });
    writeFileSync(at("file"), "");
    await expect(fs.readDir(at("file/below"))).rejects.toMatchObject({
      code: "FS_NOT_A_DIRECTORY",
      details: { system: `ENOTDIR: not a directory, open '${at("file/below")}'` },
    });
  });

  verifies("IP-018", "name no path for a directory that is read", async () => {
    mkdirSync(at("directory"));
    await expect(fs.readText(at("directory"))).rejects.toMatchObject({
      code: "FS_NOT_A_FILE",
      details: { kind: "directory", system: "EISDIR: illegal operation on a directory, read" },
    });
  });

  it("never show a path of ours", async () => {
    const failures = [
      fs.readText(at("gone/deep")),
      fs.writeFile(at("gone/deep"), "x"),
      fs.mkdir(at("gone/deep"), false),
      fs.rm(at("gone"), { recursive: false, ignoreMissing: false }),
      fs.rename(at("gone"), at("other"), { replace: true }),
      fs.readText(at("x".repeat(300))),
    ];
    for (const failure of await Promise.allSettled(failures)) {
      expect(failure.status).toBe("rejected");
      const { message, details } = (failure as PromiseRejectedResult).reason;
      expect(`${message} ${JSON.stringify(details)}`).not.toContain("/proc/self/fd");
      expect(message).toContain(directory);
    }
  });
});

describe("names that are not UTF-8", () => {
  it("are listed as something that cannot be named, and harm nothing", async () => {
    const odd = Buffer.concat([Buffer.from(`${directory}/caf`), Buffer.from([0xe9])]);
    writeFileSync(odd, "x");
    writeFileSync(at("plain"), "x");
    const { children } = await fs.readDir(directory);
    expect(children.map((child) => [child.name, child.kind])).toEqual([
      ["caf\uFFFD", "other"],
      ["plain", "file"],
    ]);
    await fs.rm(directory, { recursive: true, ignoreMissing: false }).catch(() => undefined);
  });
});
