/** `copy` between two targets: each side is judged as a call on it, and what is shown and stored names both. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createMemoryBackend } from "../backends/memory/index.js";
import { type Approval, type ApprovalRequest, HaftError, type ToolOutcome } from "../kernel/index.js";
import { override, wrapBackend } from "../testing/fakes/wrap-backend.js";
import { auditAdmin, createToolkit, type Toolkit, type ToolkitOptions } from "./index.js";

let root: string;
let toolkit: Toolkit;
let shown: ApprovalRequest[];
const at = (...names: string[]) => join(root, ...names);

/** What the approver answers; it may change files before. */
let answer: () => Approval;
const approver = {
  async ask(request: ApprovalRequest) {
    shown.push(request);
    return answer();
  },
};

async function open(options: Partial<ToolkitOptions> = {}): Promise<void> {
  toolkit = await createToolkit({
    on: [
      { name: "here", target: "local", workspace: at("here") },
      { name: "there", target: "posix:sh", workspace: at("there") },
    ],
    stateDir: at("state"),
    approver,
    ...options,
  });
}

let count = 0;
async function copy(input: object): Promise<ToolOutcome> {
  return toolkit
    .session("s")
    .box()
    .runner.run({ id: `copy-${++count}`, name: "copy", input });
}

const toThere = (from: string, to: string, more: object = {}) =>
  copy({ from, to, on: "there", fromOn: "here", ...more });

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-copy-")));
  for (const name of ["here", "there", "outside"]) {
    mkdirSync(at(name));
    writeFileSync(at(name, "a.txt"), name);
    writeFileSync(at(name, ".env"), `TOKEN=${name}`);
  }
  shown = [];
  answer = () => ({ denied: "No." });
});
afterEach(async () => {
  await toolkit.close();
  rmSync(root, { recursive: true, force: true });
});

describe("a copy between targets", () => {
  it("is offered where there are several, with both parameters", async () => {
    await open();
    const names = (box: Toolkit) =>
      box
        .box()
        .descriptors()
        .map(({ name }) => name);
    const found = toolkit
      .box()
      .descriptors()
      .find(({ name }) => name === "copy");
    expect(found?.parameters.properties).toMatchObject({
      fromOn: { enum: ["here", "there"], description: "Where `from` is. Default: as `on`." },
      on: { enum: ["here", "there"] },
    });
    const single = await createToolkit({ on: "memory", persist: false });
    expect([names(toolkit).includes("copy"), names(single).includes("copy")]).toEqual([true, false]);
    await single.close();
    for (const dialect of ["zeroclaw", "indusagi", "buddy"] as const) {
      const imitated = await createToolkit({ on: ["memory", "local"], dialect, persist: false });
      expect([dialect, names(imitated).includes("copy")]).toEqual([dialect, false]);
      await imitated.close();
    }
  });

  it("goes both ways and within one; the result, the audit log and the undo log name both", async () => {
    await open({ autonomy: "full" });
    expect((await toThere("a.txt", "new/b.txt")).output).toMatch(
      /^Copied "a.txt" on "here" to "new\/b.txt" on "there": 4 bytes, sha256 [0-9a-f]{12}\.$/,
    );
    expect((await copy({ from: "new/b.txt", to: "back.txt", fromOn: "there" })).output).toContain('on "here"');
    expect((await copy({ from: "a.txt", to: "b.txt", on: "there" })).output).toMatch(/^Copied "a.txt" to "b.txt": 5 b/);
    expect(["there/new/b.txt", "here/back.txt", "there/b.txt"].map((name) => readFileSync(at(name), "utf8"))).toEqual([
      "here",
      "here",
      "there",
    ]);
    const source = { target: "here", spec: "local" };
    const [changed] = (await toolkit.changes()).calls;
    expect(changed).toMatchObject({ tool: "copy", target: "there", spec: "posix:sh", source, workspace: at("there") });
    const [audited] = (await auditAdmin({ stateDir: at("state") })).calls;
    expect(audited).toMatchObject({ target: "there", spec: "posix:sh", source });
    expect(audited?.end?.claims).toContainEqual({
      kind: "file",
      path: at("here/a.txt"),
      access: ["read"],
      scope: "self",
      target: "here",
    });
    const undone = await toolkit.undo({ call: changed!.id });
    expect([undone.status, existsSync(at("there/new"))]).toEqual(["done", false]);
  });

  it("is undone where it replaced a file", async () => {
    await open({ autonomy: "full", gate: "off" });
    expect((await toThere("a.txt", "a.txt", { overwrite: true })).output).toContain(
      "Replaced the existing file. Old content:",
    );
    expect(readFileSync(at("there/a.txt"), "utf8")).toBe("here");
    expect((await toolkit.undo()).status).toBe("done");
    expect(readFileSync(at("there/a.txt"), "utf8")).toBe("there");
  });

  it("says which target cannot be reached, and why; nothing is written", async () => {
    const schemes = {
      lost: {
        open() {
          throw new Error("no route to host");
        },
      },
    };
    await open({ on: [{ target: "local", workspace: at("here") }, "lost:x"], schemes, autonomy: "full" });
    for (const [from, to] of [
      ["lost:x", "local"],
      ["local", "lost:x"],
    ]) {
      const failed = await copy({ from: "a.txt", to: "sub/b.txt", on: to, fromOn: from });
      expect(failed).toMatchObject({
        status: "failed",
        code: "BACKEND_UNAVAILABLE",
        output: expect.stringMatching(
          /^Did not run `copy`: the target "lost:x" could not be opened: no route to host\./,
        ),
      });
    }
    expect(readdirSync(at("here")).sort()).toEqual([".env", "a.txt"]);
    const unknown = await copy({ from: "a.txt", to: "b.txt", from_on: "local", target: "local" });
    expect(unknown).toMatchObject({ status: "invalid", output: expect.stringContaining("`from_on`") });
    const wrong = await copy({ from: "a.txt", to: "b.txt", fromOn: "locl" });
    expect(wrong.output).toContain('`fromOn` was "locl" (did you mean "local"?); it takes one of "local", "lost:x"');
  });

  it("that is cut off half-way leaves the old file or none", async () => {
    const backend = createMemoryBackend({ files: { "a.bin": new Uint8Array(3_000_000) } });
    const cut = wrapBackend(backend, {
      fs: (fs) =>
        override(fs, {
          async *openRead(path, io) {
            let left = 1_500_000;
            for await (const chunk of fs.openRead(path, io)) {
              yield chunk;
              left -= chunk.length;
              if (left <= 0) throw new HaftError("BACKEND_UNAVAILABLE", 'The connection to "far" was lost.');
            }
          },
        }),
    });
    await open({
      on: [
        { name: "here", target: "local", workspace: at("here") },
        { name: "there", target: "posix:sh", workspace: at("there") },
        "far",
      ],
      backends: { far: cut },
      autonomy: "full",
      gate: "off",
    });
    for (const on of ["here", "there"])
      for (const to of ["a.txt", "new.bin"]) {
        const failed = await copy({ from: "a.bin", to, on, fromOn: "far", overwrite: true });
        expect(failed).toMatchObject({ status: "failed", code: "BACKEND_UNAVAILABLE" });
        expect(failed.output).toContain('The connection to "far" was lost.');
        expect([readdirSync(at(on)).sort(), readFileSync(at(on, "a.txt"), "utf8")]).toEqual([[".env", "a.txt"], on]);
      }
  });
});

describe("the policy of a copy between targets", () => {
  it("judges the paths of each side on its own target, and the level of each", async () => {
    await open({
      on: [
        { name: "here", target: "local", workspace: at("here"), autonomy: "readonly" },
        { name: "there", target: "posix:sh", workspace: at("there") },
      ],
    });
    const outside = await toThere("../outside/a.txt", "b.txt");
    expect(outside).toMatchObject({ status: "denied", code: "POLICY_DENIED", decision: { rule: "outside-roots" } });
    expect(outside.output).toContain(`On "here": "${at("outside/a.txt")}" is outside the workspace "${at("here")}".`);
    expect((await toThere(at("there/a.txt"), "b.txt")).output).toContain('On "here": ');
    expect((await toThere("a.txt", at("here/b.txt"))).output).toContain(`is outside the workspace "${at("there")}".`);
    expect((await copy({ from: "a.txt", to: "b.txt", fromOn: "there" })).output).toContain(
      'The target "here" is read-only',
    );
    expect(await toThere("a.txt", "b.txt")).toMatchObject({ status: "ok" });
    expect(shown).toEqual([]);
  });

  it("asks about files that hold secrets on both sides, and the question names both targets", async () => {
    await open();
    await toThere(".env", "b.txt");
    await toThere("a.txt", "new/.env");
    await toThere(".env", "new/.env");
    expect(shown.map(({ reason }) => reason)).toEqual([
      `On "here": "${at("here/.env")}" usually holds secrets.`,
      `"${at("there/new/.env")}" usually holds secrets.`,
      `"${at("there/new/.env")}" usually holds secrets. On "here": "${at("here/.env")}" usually holds secrets.`,
    ]);
    expect(shown[0]).toMatchObject({
      call: { target: "there", spec: "posix:sh", workspace: at("there") },
      source: { target: "here", spec: "local" },
      preview: { kind: "copy", path: at("here/.env"), to: at("there/b.txt"), entry: "file", sizeBytes: 10 },
    });
    expect(shown[0]?.claims).toContainEqual(expect.objectContaining({ path: at("here/.env"), target: "here" }));
    expect(shown.map(({ canRemember }) => canRemember)).toEqual([undefined, undefined, undefined]);
    expect(readdirSync(at("there")).sort()).toEqual([".env", "a.txt"]);
  });

  it("runs what was approved: not once a symlink on the source leads elsewhere", async () => {
    await open();
    answer = () => ({ by: "ada", scope: "once" });
    expect(await toThere(".env", "b.txt")).toMatchObject({ status: "ok", decision: { approver: "ada" } });
    expect(readFileSync(at("there/b.txt"), "utf8")).toBe("TOKEN=here");
    mkdirSync(at("here/one"));
    mkdirSync(at("here/two"));
    for (const name of ["one", "two"]) writeFileSync(at("here", name, ".env"), name);
    symlinkSync("one", at("here/link"));
    answer = () => {
      rmSync(at("here/link"));
      symlinkSync("two", at("here/link"));
      return { by: "ada", scope: "session" };
    };
    const moved = await toThere("link/.env", "c.txt");
    expect(moved).toMatchObject({ status: "denied", output: expect.stringContaining("other than what was approved") });
    expect(existsSync(at("there/c.txt"))).toBe(false);
    expect(shown[1]?.touches).not.toBe(shown[0]?.touches);
  });

  it("binds an approval that waits to both targets", async () => {
    await open({
      on: [
        { name: "here", target: "local", workspace: at("here") },
        { name: "there", target: "posix:sh", workspace: at("there") },
        { name: "third", target: "posix:dash", workspace: at("outside") },
      ],
    });
    answer = () => ({ pending: true });
    const run = (input: object, resume?: string) =>
      toolkit
        .session("s")
        .box()
        .runner.run({ id: "c", name: "copy", input, ...(resume === undefined ? {} : { resume }) });
    const input = { from: ".env", to: "b.txt", on: "there", fromOn: "here" };
    const token = (await run(input)).inputRequired?.token ?? "";
    await toolkit.approvals.decide(token, { granted: "ada" });
    for (const other of [{ fromOn: "third" }, { on: "third" }])
      expect(await run({ ...input, ...other }, token)).toMatchObject({ status: "denied" });
    await toolkit.close();
    // The source of this name is another directory now.
    await open({
      on: [
        { name: "there", target: "posix:sh", workspace: at("there") },
        { name: "here", target: "posix:sh", workspace: at("outside") },
      ],
    });
    expect(await run(input, token)).toMatchObject({ status: "denied" });
    expect(existsSync(at("there/b.txt")) || existsSync(at("outside/b.txt"))).toBe(false);
  });

  it("keeps the state of Haft, and what symlinks hide, out of reach on both sides", async () => {
    await open({ stateDir: at("here/state"), autonomy: "full", gate: "off" });
    await copy({ from: "a.txt", to: "b.txt" });
    const [file = ""] = readdirSync(at("here/state"));
    expect(await toThere(`state/${file}`, "c.txt")).toMatchObject({ status: "denied" });
    expect(await copy({ from: "a.txt", to: at("here/state/x"), on: "there" })).toMatchObject({ status: "denied" });
    symlinkSync(at("here/state", file), at("here/link"));
    expect(await toThere("link", "c.txt")).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect(existsSync(at("there/c.txt"))).toBe(false);
  });

  it("refuses a symlink on the source that leads out of its workspace", async () => {
    await open();
    symlinkSync(at("outside/a.txt"), at("here/link"));
    const refused = await toThere("link", "c.txt");
    expect(refused).toMatchObject({ status: "denied", code: "POLICY_DENIED" });
    expect(refused.output).toContain(`On "here": "${at("outside/a.txt")}" is outside`);
    expect(existsSync(at("there/c.txt"))).toBe(false);
  });

  it("counts a file from outside of the source's workspace as untrusted content", async () => {
    await open({ rules: [`allow path:${at("outside")}`] });
    const taint = () => toolkit.session("s").session.trust.taint;
    expect(await toThere("a.txt", "b.txt")).toMatchObject({ status: "ok" });
    expect(taint()).toEqual([]);
    expect(await toThere("../outside/a.txt", "c.txt")).toMatchObject({ status: "ok" });
    expect(taint()).toEqual([{ from: "outside", ref: "here:../outside/a.txt" }]);
  });
});
