import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { systemProgram } from "../../host/index.js";
import { findBubblewrap } from "./bubblewrap.js";

vi.mock("../../host/index.js", async (original) => ({
  ...(await original<typeof import("../../host/index.js")>()),
  systemProgram: vi.fn(() => undefined),
}));

let bin: string;
beforeEach(() => {
  vi.mocked(systemProgram).mockReturnValue(undefined);
  bin = mkdtempSync(join(tmpdir(), "haft-bwrap-"));
  vi.stubEnv("PATH", bin);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(bin, { recursive: true, force: true });
});

const OTHERWISE = 'Without bubblewrap, use a container: "image:IMAGE". Nothing runs outside of the sandbox instead.';

/** A `bwrap` that acts so. */
function plant(script: string): string {
  const path = join(bin, "bwrap");
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  vi.mocked(systemProgram).mockReturnValue(path);
  return path;
}

describe.runIf(process.platform === "linux")("why bubblewrap does not work", () => {
  it("it is not installed: how to install it", async () => {
    expect(await findBubblewrap("/nowhere")).toEqual({
      problem: `the program bwrap is not installed. Install bubblewrap (\`apt install bubblewrap\`, \`dnf install bubblewrap\`). ${OTHERWISE}`,
    });
  });

  it("a bwrap of the workspace is not used", async () => {
    plant("exit 0");
    vi.mocked(systemProgram).mockReturnValue(undefined);
    expect(await findBubblewrap(bin)).toMatchObject({ problem: expect.stringContaining("is not installed") });
  });

  it("user namespaces are forbidden: what it printed, and no fallback", async () => {
    plant("echo 'bwrap: No permissions to create new namespace.' >&2; exit 1");
    const { problem } = (await findBubblewrap("/nowhere")) as { problem: string };
    expect(problem).toContain("bwrap: No permissions to create new namespace");
    expect(problem.endsWith(OTHERWISE)).toBe(true);
  });

  it("it fails without a message: its status", async () => {
    plant("exit 7");
    expect(await findBubblewrap("/nowhere")).toEqual({ problem: expect.stringContaining("it ended with status 7") });
  });

  it("an older version is used without the option that it does not have", async () => {
    const program = plant(
      'for word; do [ "$word" != --disable-userns ] || { echo "bwrap: Unknown option $word" >&2; exit 1; }; done',
    );
    expect(await findBubblewrap("/nowhere")).toEqual({ program, disablesUserNamespaces: false });
  });
});
