/** A file of any bytes reaches each kind of target and comes back as it was, and none of them passes through a pane. */
import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ChosenTarget, createToolkit, type Toolkit } from "../src/index.js";
import { LONG } from "../src/testing/long.fixture.js";
import { withPrograms } from "../src/testing/programs.fixture.js";
import { service, withServices } from "../src/testing/services.fixture.js";
import { verifies } from "../src/testing/verifies.fixture.js";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const MIB = 1024 * 1024;
/** Where the same files are sent as without it: a pane is only where commands run. */
const BESIDE_A_PANE = LONG ? 20 * MIB : 2 * MIB;

let directory: string;
let toolkit: Toolkit | undefined;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-exact-")));
});
afterEach(async () => {
  await toolkit?.close();
  toolkit = undefined;
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

/** Calls tools, which have to succeed. */
async function open(there: ChosenTarget) {
  const opened = await createToolkit({
    on: [
      { name: "here", target: "local" },
      { ...there, name: "there" },
    ],
    workspace: directory,
    autonomy: "full",
    gate: "off",
    persist: false,
  });
  toolkit = opened;
  const { runner } = opened.box();
  return async (name: string, input: object) => {
    const outcome = await runner.run({ id: name, name, input });
    expect([name, outcome.status, String(outcome.output)]).toEqual([name, "ok", expect.anything()]);
    return { data: outcome.data as Record<string, unknown>, text: String(outcome.output) };
  };
}

async function thereAndBack(call: Awaited<ReturnType<typeof open>>, sizeBytes = 20 * MIB): Promise<void> {
  const bytes = randomBytes(sizeBytes);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  writeFileSync(join(directory, "sent.bin"), bytes);
  const name = `exact-${randomBytes(4).toString("hex")}.bin`;
  await call("copy", { from: "sent.bin", to: name, fromOn: "here", on: "there" });
  try {
    // The machine's own view of the file.
    expect((await call("bash", { command: `sha256sum ${name}`, on: "there" })).text).toContain(sha256);
    await call("copy", { from: name, to: "back.bin", fromOn: "there", on: "here" });
    expect(readFileSync(join(directory, "back.bin")).equals(bytes)).toBe(true);
  } finally {
    await call("bash", { command: `rm ${name}`, on: "there" });
  }
}

const BOTH = "echo out; echo err >&2";
const headOf = (stream: unknown) => (stream as { head: string }).head;

/** Of a target with panes. */
function throughNoPane(title: string, place: () => ChosenTarget): void {
  verifies("W11", `${title}: 20 MiB are exact, and stderr is apart`, async () => {
    const { target, ...more } = place();
    const call = await open({ ...more, target: `${target}+tmux` });
    const { data } = await call("bash", { command: BOTH, on: "there" });
    expect([headOf(data.stdout), headOf(data.stderr)]).toEqual(["out\n", "err\n"]);
    await call("capture_pane", { on: "there" });
    await thereAndBack(call);
    // The line about the pane, and a prompt.
    const { text } = await call("capture_pane", { on: "there" });
    expect([text.length < 500, text]).toEqual([true, expect.not.stringMatching(/exact-[0-9a-f]{8}|\ufffd/)]);
  });

  verifies(
    "W11",
    `${title}, where commands run in a pane: files are exact, and the pane shows none of it`,
    async () => {
      const { target, ...more } = place();
      const call = await open({ ...more, target: `${target}+tmux,shell=pane` });
      const { data } = await call("bash", { command: BOTH, on: "there" });
      expect([headOf(data.stdout), headOf(data.stderr)]).toEqual(["out\nerr\n", ""]);
      await thereAndBack(call, BESIDE_A_PANE);
      const { text } = await call("capture_pane", { on: "there" });
      // The prompt, the commands and their output.
      expect(text).toMatch(/\nout\nerr\n/);
      expect(text).toMatch(/\n[0-9a-f]{64} {2}exact-/);
      expect(text.length).toBeLessThan(2_000);
      expect(text).not.toContain("\ufffd");
    },
  );
}

withPrograms("files of this machine, with panes", ["tmux"], () => {
  throughNoPane("local", () => ({ target: "local" }));
});

withServices(["podman"], "files of containers", () => {
  beforeEach(() => {
    for (const [name, value] of Object.entries(service("podman").env)) vi.stubEnv(name, value);
  });
  // Its programs are those of busybox.
  throughNoPane("a container", () => ({ target: `podman:${service("podman").container}`, workspace: "/tmp" }));

  it("20 MiB are exact in a container of an image", async () => {
    await thereAndBack(await open({ target: `image:${service("podman").image}`, workspace: directory }));
  });
});

withServices(["ssh"], "files over ssh", () => {
  throughNoPane("a host", () => {
    const { config, hosts } = service("ssh");
    return { target: `ssh:${hosts.box}`, ssh: { config } };
  });
});

withServices(["ssh", "links"], "files of a host with busybox", () => {
  it("20 MiB are exact", async () => {
    const { config, hosts } = service("ssh");
    await thereAndBack(await open({ target: `ssh:${hosts.busybox}`, ssh: { config } }));
  });
});
