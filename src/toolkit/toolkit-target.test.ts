import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { DEFAULT_DEADLINE_MS } from "../kernel/deadline.js";
import type { Backend } from "../kernel/index.js";
import { plainWriter } from "../kernel/writer-tool.fixture.js";
import { bareContext, bareHost } from "../testing/fakes/bare-host.fixture.js";
import { fakeClock } from "../testing/index.js";
import { gate } from "./gate.fixture.js";
import { createToolkit, parseTarget, TARGETS, type TargetScheme, type Toolkit } from "./index.js";
import { schemeOf } from "./target-schemes.js";
import { OPEN_TIMEOUT_MS, ToolkitTarget } from "./toolkit-target.js";

let root: string;
let toolkit: Toolkit | undefined;
beforeEach(() => {
  root = realpathSync.native(mkdtempSync(join(tmpdir(), "haft-target-")));
});
afterEach(async () => {
  await toolkit?.close();
  toolkit = undefined;
  rmSync(root, { recursive: true, force: true });
});

describe("a target", () => {
  const targetOf = (open: TargetScheme["open"]) => {
    const clock = fakeClock();
    const machine = { home: "/home/t", currentDirectory: () => undefined };
    const target = new ToolkitTarget(
      { target: "box:x" },
      { scheme: { open }, address: "x", machine, options: {}, clock },
    );
    return { clock, target };
  };

  it("that does not answer fails at its time limit, is tried again, and is closed if it answers late", async () => {
    const gates = [gate<Backend>(), gate<Backend>()];
    let attempts = 0;
    const { clock, target } = targetOf(() => gates[attempts++]!.promise);
    const [first, joined] = [target.open(), target.open()];
    expect(attempts).toBe(1);
    const failed = Promise.all([
      expect(first).rejects.toThrow(/"box:x": no answer within 25000 ms/),
      expect(joined).rejects.toThrow(),
    ]);
    await clock.advance(OPEN_TIMEOUT_MS);
    await failed;
    expect(attempts).toBe(1);
    const again = target.open();
    const [late, good] = [createMemoryBackend(), createMemoryBackend()];
    gates[0]?.pass(late);
    gates[1]?.pass(good);
    expect(await again).toBe(good);
    expect([attempts, late.state(), target.open()]).toEqual([2, "closed", good]);
  });

  it("that does not answer fails its calls, which read that the next one tries again", async () => {
    const begun = gate<undefined>();
    const { clock, target } = targetOf(() => {
      begun.pass(undefined);
      return new Promise<Backend>(() => {});
    });
    const outcome = plainWriter.invoke(
      { id: "c", name: "writer", input: { path: "a" } },
      bareContext(bareHost({ clock }), { target }),
    );
    await begun.promise;
    await clock.advance(DEFAULT_DEADLINE_MS);
    expect(await outcome).toMatchObject({
      status: "failed",
      code: "BACKEND_UNAVAILABLE",
      output: expect.stringMatching(/no answer within 25000 ms. The next call on it tries again/),
    });
  });

  it("whose scheme returns no backend is unavailable, and is tried again", async () => {
    const backend = createMemoryBackend();
    const answers: unknown[] = [undefined, {}, backend];
    const { target } = targetOf(() => answers.shift() as Backend);
    for (const _ of [1, 2])
      await expect(target.open()).rejects.toMatchObject({
        code: "BACKEND_UNAVAILABLE",
        message: 'Did not open "box:x": the `open` of its scheme returned no backend.',
      });
    expect(await target.open()).toBe(backend);
  });

  it("that is closed while it opens does not hold the end, and is closed once it is there", async () => {
    const answer = gate<Backend>();
    const { target } = targetOf(() => answer.promise);
    const opening = target.open();
    expect(await target.close()).toBeUndefined();
    const backend = createMemoryBackend();
    answer.pass(backend);
    await expect(opening).rejects.toThrow("the toolkit was closed");
    expect(backend.state()).toBe("closed");
    expect(() => target.open()).toThrow("the toolkit was closed");
  });

  it("is not opened again once its toolkit is closed", async () => {
    let attempts = 0;
    const { target } = targetOf(() => {
      attempts += 1;
      return createMemoryBackend();
    });
    const backend = await target.open();
    await target.close();
    expect([target.open(), backend.state(), attempts]).toEqual([backend, "closed", 1]);
  });

  // Not those with an address, nor one that needs a program beside Node.js and a shell.
  it.each(TARGETS.filter((name) => !/[A-Z]|busybox|sandbox/.test(name)))(
    "%s knows its workspace and home before it opens",
    async (name) => {
      toolkit = await createToolkit({ workspace: root, stateDir: join(root, "state"), on: name });
      const session = toolkit.session("s");
      const { target } = await session.context();
      const { workspace, home } = target;
      expect((target as ToolkitTarget).backend).toBeUndefined();
      await session.box().runner.run({ id: "c", name: "bash", input: { command: "true" } });
      const backend = await target.open();
      expect([workspace, home]).toEqual([backend.cwd, backend.home]);
    },
  );

  it("has its workspace after the first =/", () => {
    expect(parseTarget("ssh:b@h+tmux=main=/srv/a=/b")).toEqual({ target: "ssh:b@h+tmux=main", workspace: "/srv/a=/b" });
    expect(parseTarget("ssh:b@h+tmux=main")).toEqual({ target: "ssh:b@h+tmux=main" });
    expect(parseTarget("api=ssh:b@h+tmux=main=/srv")).toEqual({
      name: "api",
      target: "ssh:b@h+tmux=main",
      workspace: "/srv",
    });
    expect(parseTarget("memory=a")).toEqual({ target: "memory=a" });
    expect(schemeOf("posix:dash").address).toBe("dash");
  });
});
