import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { withPrograms } from "../../../../testing/programs.fixture.js";
import { service, withServices } from "../../../../testing/services.fixture.js";
import { openBackend } from "../../../../toolkit/index.js";
import type { DoctorFinding } from "./finding.js";
import { probedTarget } from "./target-probe.js";

let directory: string;
beforeAll(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-probe-")));
  for (const name of ["bin", "work"]) mkdirSync(join(directory, name));
  const missing = ["date", "df", "tmux", "id", "uname"];
  for (const program of readdirSync("/usr/bin").filter((name) => !missing.includes(name)))
    symlinkSync(`/usr/bin/${program}`, join(directory, "bin", program));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** The target lacks a few programs. */
async function findings(target: string, copiesRipgrep?: boolean): Promise<ReadonlyMap<string, DoctorFinding>> {
  const backend = await openBackend(target, { cwd: join(directory, "work"), env: { PATH: join(directory, "bin") } });
  try {
    const found = await probedTarget(backend, {
      isContainer: false,
      ...(copiesRipgrep === undefined ? {} : { copiesRipgrep }),
    });
    return new Map(found.map((one) => [one.id, one]));
  } finally {
    await backend.close();
  }
}

it("reports as unknown what it cannot find out for lack of a program", async () => {
  const found = await findings("posix:sh");
  expect(found.get("clock")).toMatchObject({ status: "note", found: expect.stringMatching(/^unknown: `date`/) });
  expect(found.get("space")).toMatchObject({ status: "note", found: expect.stringMatching(/^unknown: `df`/) });
  expect(found.get("shell")?.found).toContain("unknown system, user unknown");
  expect(found.get("programs")?.cost).toContain("Without tmux, the target cannot have a terminal (+tmux).");
});

it("reports a terminal that cannot work as a limitation, not as a feature", async () => {
  const found = await findings("posix:sh+tmux");
  expect(found.get("programs")).toMatchObject({ status: "limits", next: "Install tmux there, or leave out `+tmux`." });
  expect(found.get("features")?.found).not.toContain("terminal");
});

it("reports what searches do without rg: a copy of Haft's own where the target gets one and can run it", async () => {
  const bin = join(directory, "bin");
  const tools = ["rg", "uname"].map((name) => join(bin, name));
  const programsOf = async (copiesRipgrep?: boolean) => (await findings("posix:sh", copiesRipgrep)).get("programs");
  rmSync(tools[0]!, { force: true });
  try {
    symlinkSync("/usr/bin/uname", tools[1]!);
    const copied = await programsOf(true);
    expect(copied).toMatchObject({ status: "ok", found: expect.stringMatching(/missing: rg\b/) });
    expect(copied?.cost).toMatch(/^The first search copies Haft's own rg there, about 6 MB\.$/m);
    expect(await programsOf(false)).toMatchObject({
      status: "limits",
      cost: expect.stringMatching(/^Without rg, searches are slower/),
      next: "Install ripgrep there, or set `copyRipgrep` of the target.",
    });
    rmSync(tools[1]!);
    writeFileSync(tools[1]!, "#!/bin/sh\necho Linux mips64\n", { mode: 0o755 });
    expect(await programsOf(true)).toMatchObject({
      status: "limits",
      next: expect.stringContaining("does not run on"),
    });
    const other = await programsOf();
    expect([other?.status, other?.next]).toEqual(["limits", undefined]);
  } finally {
    rmSync(tools[1]!, { force: true });
    symlinkSync("/usr/bin/rg", tools[0]!);
  }
});

withPrograms("a terminal", ["tmux"], () => {
  it("is started, and how to watch it is reported", async () => {
    const backend = await openBackend("posix:sh+tmux", { cwd: join(directory, "work") });
    const found = await probedTarget(backend, { isContainer: false }).finally(() => backend.close());
    expect(found.find(({ id }) => id === "terminal")).toMatchObject({
      status: "ok",
      found: "you can watch it: `tmux -S SOCKET attach`; `haft serve` and the tool `panes` print the SOCKET",
    });
  });
});

withServices(["podman"], "PID 1 of a container", () => {
  it.each([
    [true, undefined],
    [
      false,
      { status: "note", found: "PID 1 does not collect ended processes", next: "Start the container with `--init`." },
    ],
  ])(
    "is reported where it does not collect ended processes; started with --init: %s",
    async (hasInit, reported) => {
      const { env, image } = service("podman");
      const client = (...args: readonly string[]) =>
        execFileSync("podman", args, { env: { ...process.env, ...env }, encoding: "utf8" }).trim();
      const container = client(
        "run",
        "-d",
        ...(hasInit ? ["--init"] : []),
        "--stop-timeout",
        "0",
        image,
        "/bin/sleep",
        "600",
      );
      const before = { ...process.env };
      Object.assign(process.env, env);
      try {
        const backend = await openBackend(`podman:${container}`);
        const found = await probedTarget(backend, { isContainer: true });
        await backend.close();
        expect(found.find(({ id }) => id === "init")).toEqual(
          reported === undefined ? undefined : expect.objectContaining(reported),
        );
      } finally {
        for (const name of Object.keys(env)) {
          if (before[name] === undefined) delete process.env[name];
          else process.env[name] = before[name];
        }
        client("rm", "-f", container);
      }
    },
    60_000,
  );
});
