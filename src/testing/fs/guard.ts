/** Files are accessed only as the grant allows: by the requested path, by the real path, and only during the call. */
import { type BoundCall, type Decision, EMPTY_GRANT, type Fs } from "../../kernel/index.js";
import { on, utf8 } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture, plant, treeGrant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { ALL, changingPath, LOOKS, type Operation, READS, REMOVALS, refuseEach, WRITES } from "./operations.js";

const denies: BoundCall["authorizeRealPath"] = async () => ({
  effect: "deny",
  rule: "test:outside",
  risk: "high",
  reason: "It is outside.",
});
const allows =
  (asked: string[]): BoundCall["authorizeRealPath"] =>
  async (path, real): Promise<Decision> => {
    asked.push(`${path} -> ${real.path}`);
    return {
      effect: "allow",
      rule: "test:outside",
      risk: "low",
      reason: "It may.",
      grant: { ...EMPTY_GRANT, id: "more", files: [real] },
    };
  };

/** The grant covers `in`; `out` is beside it and contains `secret` and `dir/file`. */
async function inAndOut(fixture: Fixture): Promise<{ all: Fs; inside: string; outside: string }> {
  const all = bindAll(fixture).fs;
  const inside = `${fixture.directory}/in`;
  const outside = `${fixture.directory}/out`;
  await all.mkdir(inside, false);
  await all.mkdir(`${outside}/dir`, true);
  await all.writeFile(`${inside}/file`, "inside");
  await all.writeFile(`${outside}/secret`, "secret");
  await all.writeFile(`${outside}/dir/file`, "secret");
  return { all, inside, outside };
}

async function expectUntouched(all: Fs, outside: string): Promise<void> {
  const names = (await all.readDir(outside)).children.map((child) => child.name);
  expectEqual(names, ["dir", "secret"], "what is outside");
  expectEqual(await all.readText(`${outside}/secret`), "secret", "the file outside");
  expectEqual(
    (await all.readDir(`${outside}/dir`)).children.map((child) => child.name),
    ["file"],
    "the directory outside",
  );
  expectEqual(await all.readText(`${outside}/dir/file`), "secret", "the file in the directory outside");
}

export const fsGuard: Suite<Fixture> = [
  on(
    "fs:grant:path-is-a-string",
    "An object in place of a path is FS_BAD_PATH, whatever it is read as",
    async (fixture) => {
      const { all, inside, outside } = await inAndOut(fixture);
      const { fs } = bindAll(fixture, treeGrant(inside));
      for (const times of [0, 1, 2, 3, 5, 8])
        for (const [name, operation] of Object.entries(ALL)) {
          const path = changingPath(`${inside}/file`, `${outside}/secret`, times);
          await expectError(() => operation(fs, path), "FS_BAD_PATH", `${name}, changed after ${times}`);
        }
      const to = changingPath(`${inside}/moved`, `${outside}/moved`, 2);
      await expectError(fs.rename(`${inside}/file`, to, { replace: false }), "FS_BAD_PATH", "renameTo");
      expectEqual(await fs.exists(changingPath(`${outside}/secret`, `${outside}/secret`, 0)), false, "exists");
      expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
      await expectUntouched(all, outside);
    },
  ),
  on("fs:grant:nothing", "An empty grant rejects every operation", async (fixture) => {
    const { all, inside } = await inAndOut(fixture);
    const { fs } = bindAll(fixture, { files: [] });
    await refuseEach(ALL, fs, `${inside}/file`, "CALL_UNCLAIMED");
    await refuseEach(ALL, fs, inside, "CALL_UNCLAIMED");
    await refuseEach(ALL, fs, `${inside}/new`, "CALL_UNCLAIMED");
    expectEqual(await fs.exists(`${inside}/file`), false, "exists");
    expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
  }),
  on(
    "fs:grant:outside-the-tree",
    "A tree covers its contents and nothing beside it, not even a longer name",
    async (fixture) => {
      const { all, inside, outside } = await inAndOut(fixture);
      await all.writeFile(`${inside}side`, "beside");
      const { fs } = bindAll(fixture, treeGrant(inside));
      expectEqual(await fs.readText(`${inside}/file`), "inside", "the file inside");
      await refuseEach(ALL, fs, `${outside}/secret`, "CALL_UNCLAIMED");
      await refuseEach(READS, fs, `${inside}side`, "CALL_UNCLAIMED");
      await refuseEach(LOOKS, fs, fixture.directory, "CALL_UNCLAIMED");
      await expectUntouched(all, outside);
    },
  ),
  on("fs:grant:self-is-not-the-tree", "A grant for one directory does not cover its contents", async (fixture) => {
    const { all, inside } = await inAndOut(fixture);
    const { fs } = bindAll(fixture, {
      files: [{ path: inside, access: ["read", "write", "create", "delete"], scope: "self" }],
    });
    expectEqual((await fs.readDir(inside)).children.length, 1, "children of the directory itself");
    await refuseEach(READS, fs, `${inside}/file`, "CALL_UNCLAIMED");
    await refuseEach(WRITES, fs, `${inside}/file`, "CALL_UNCLAIMED");
    await expectError(fs.rm(inside, { recursive: true, ignoreMissing: false }), "CALL_UNCLAIMED", "rm recursive");
    expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
  }),
  on("fs:grant:read-is-not-write", "A read grant rejects every change", async (fixture) => {
    const { all, inside } = await inAndOut(fixture);
    const { fs } = bindAll(fixture, treeGrant(inside, ["read"]));
    await refuseEach({ ...WRITES, ...REMOVALS }, fs, `${inside}/file`, "CALL_UNCLAIMED");
    await refuseEach(WRITES, fs, `${inside}/new`, "CALL_UNCLAIMED");
    expectEqual(await all.exists(`${inside}/new`), false, "a new file is there");
    expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
  }),
  on(
    "fs:grant:create-is-not-write",
    "A create grant makes new files and directories and changes no existing one",
    async (fixture) => {
      const { all, inside } = await inAndOut(fixture);
      const { fs } = bindAll(fixture, treeGrant(inside, ["create"]));
      await fs.replaceAtomic(`${inside}/new`, utf8("new"), "absent");
      await fs.mkdir(`${inside}/dir`, false);
      await expectError(fs.writeFile(`${inside}/file`, "x"), "CALL_UNCLAIMED", "writeFile");
      await expectError(fs.replaceAtomic(`${inside}/file`, utf8("x"), "any"), "CALL_UNCLAIMED", "replaceAtomic");
      await expectError(fs.replaceAtomic(`${inside}/file`, utf8("x"), "absent"), "FS_STALE", "replaceAtomic absent");
      await refuseEach(READS, fs, `${inside}/file`, "CALL_UNCLAIMED");
      expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
    },
  ),
  on("fs:grant:write-is-not-delete", "A write grant does not remove or move", async (fixture) => {
    const { all, inside } = await inAndOut(fixture);
    const { fs } = bindAll(fixture, treeGrant(inside, ["read", "write"]));
    await refuseEach(REMOVALS, fs, `${inside}/file`, "CALL_UNCLAIMED");
    expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
  }),
  on("fs:grant:rename-needs-both-ends", "rename needs a grant at both ends", async (fixture) => {
    const { all, inside, outside } = await inAndOut(fixture);
    const { fs } = bindAll(fixture, treeGrant(inside));
    await expectError(
      fs.rename(`${inside}/file`, `${outside}/taken`, { replace: true }),
      "CALL_UNCLAIMED",
      "moving out",
    );
    await expectError(
      fs.rename(`${outside}/secret`, `${inside}/taken`, { replace: true }),
      "CALL_UNCLAIMED",
      "moving in",
    );
    await expectUntouched(all, outside);
    expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
  }),
  on("fs:grant:except", "An excepted path and its contents are rejected inside a covered tree", async (fixture) => {
    const { all, inside } = await inAndOut(fixture);
    await all.mkdir(`${inside}/private`, false);
    await all.writeFile(`${inside}/private/key`, "key");
    await all.writeFile(`${inside}/private.txt`, "public");
    const { fs } = bindAll(fixture, treeGrant(inside, undefined, { except: [`${inside}/private`] }));
    await refuseEach(ALL, fs, `${inside}/private/key`, "CALL_UNCLAIMED");
    await refuseEach(ALL, fs, `${inside}/private`, "CALL_UNCLAIMED");
    expectEqual(await fs.exists(`${inside}/private/key`), false, "exists");
    expectEqual(await fs.readText(`${inside}/private.txt`), "public", "a longer name");
    expectEqual(await all.readText(`${inside}/private/key`), "key", "the key");
  }),
  on(
    "fs:grant:except-inside-a-tree",
    "A directory that contains an excepted path is neither removed nor moved",
    async (fixture) => {
      const { all, inside } = await inAndOut(fixture);
      await all.mkdir(`${inside}/top/private`, true);
      await all.writeFile(`${inside}/top/private/key`, "key");
      const { fs } = bindAll(fixture, treeGrant(inside, undefined, { except: [`${inside}/top/private`] }));
      const codes = ["CALL_UNCLAIMED", "POLICY_DENIED"] as const;
      await expectError(fs.rm(`${inside}/top`, { recursive: true, ignoreMissing: false }), codes, "rm recursive");
      await expectError(fs.rename(`${inside}/top`, `${inside}/elsewhere`, { replace: false }), codes, "rename");
      expectEqual(await all.readText(`${inside}/top/private/key`), "key", "the key");
    },
  ),
  on(
    "fs:grant:except-through-a-symlink",
    "A symlink to an excepted path does not give access to it",
    async (fixture) => {
      const { all, inside } = await inAndOut(fixture);
      await all.mkdir(`${inside}/private`, false);
      await all.writeFile(`${inside}/private/key`, "key");
      await plant(fixture, { kind: "link", path: `${inside}/link`, target: "private" });
      const { fs } = bindAll(fixture, treeGrant(inside, undefined, { except: [`${inside}/private`] }), {
        authorizeRealPath: denies,
      });
      await refuseEach(READS, fs, `${inside}/link/key`, ["POLICY_DENIED", "CALL_UNCLAIMED"]);
      await expectError(fs.writeFile(`${inside}/link/key`, "x"), ["POLICY_DENIED", "CALL_UNCLAIMED"], "writeFile");
      expectEqual(await all.readText(`${inside}/private/key`), "key", "the key");
    },
  ),
  on(
    "fs:real-path:deny",
    "A symlink out of the grant is POLICY_DENIED and nothing outside is changed",
    async (fixture) => {
      const { all, inside, outside } = await inAndOut(fixture);
      await plant(fixture, { kind: "link", path: `${inside}/link`, target: `${outside}/secret` });
      await plant(fixture, { kind: "link", path: `${inside}/dir`, target: "../out/dir" });
      const { fs } = bindAll(fixture, treeGrant(inside), { authorizeRealPath: denies });
      await refuseEach(READS, fs, `${inside}/link`, "POLICY_DENIED");
      await expectError(fs.writeFile(`${inside}/link`, "x"), "POLICY_DENIED", "writeFile");
      await refuseEach(
        { ...READS, ...WRITES, ...REMOVALS, stat: LOOKS.stat as Operation },
        fs,
        `${inside}/dir/file`,
        "POLICY_DENIED",
      );
      await refuseEach(WRITES, fs, `${inside}/dir/new`, "POLICY_DENIED");
      await expectError(fs.readDir(`${inside}/dir`), "POLICY_DENIED", "readDir");
      await expectError(
        fs.rename(`${inside}/file`, `${inside}/dir/taken`, { replace: true }),
        "POLICY_DENIED",
        "rename into",
      );
      expectEqual(await fs.exists(`${inside}/link`), false, "exists");
      await expectUntouched(all, outside);
    },
  ),
  on(
    "fs:real-path:stat-does-not-look-outside",
    "stat and readDir return a symlink out of the grant as kind link with its target",
    async (fixture) => {
      const { inside, outside } = await inAndOut(fixture);
      await plant(fixture, { kind: "link", path: `${inside}/link`, target: `${outside}/secret` });
      const { fs } = bindAll(fixture, treeGrant(inside), { authorizeRealPath: denies });
      const info = await fs.stat(`${inside}/link`);
      expectEqual([info.kind, info.size, info.target], ["link", 0, `${outside}/secret`], "stat");
      const child = (await fs.readDir(inside)).children.find((one) => one.name === "link");
      expectEqual([child?.kind, child?.size, child?.target], ["link", 0, `${outside}/secret`], "readDir");
    },
  ),
  on(
    "fs:real-path:allow",
    "If policy allows the real path the operation continues, asked once with both paths",
    async (fixture) => {
      const { all, inside, outside } = await inAndOut(fixture);
      await plant(fixture, { kind: "link", path: `${inside}/link`, target: `${outside}/secret` });
      const asked: string[] = [];
      const { fs } = bindAll(fixture, treeGrant(inside), { authorizeRealPath: allows(asked) });
      expectEqual(await fs.readText(`${inside}/link`), "secret", "text");
      expectEqual(asked, [`${inside}/link -> ${outside}/secret`], "what was asked");
      await fs.writeFile(`${inside}/link`, "changed");
      expectEqual(await all.readText(`${outside}/secret`), "changed", "text outside");
      expectEqual((await all.stat(`${inside}/link`)).target, `${outside}/secret`, "the link");
    },
  ),
  on("fs:real-path:ask", "A real path that needs approval is POLICY_APPROVAL_REQUIRED", async (fixture) => {
    const { all, inside, outside } = await inAndOut(fixture);
    await plant(fixture, { kind: "link", path: `${inside}/link`, target: `${outside}/secret` });
    const { fs } = bindAll(fixture, treeGrant(inside), {
      authorizeRealPath: async (_asked, real) => ({
        effect: "ask",
        rule: "test:ask",
        risk: "medium",
        reason: "A user decides.",
        remember: [],
        grant: { ...EMPTY_GRANT, id: "more", files: [real] },
      }),
    });
    await refuseEach(READS, fs, `${inside}/link`, "POLICY_APPROVAL_REQUIRED");
    await expectError(fs.writeFile(`${inside}/link`, "x"), "POLICY_APPROVAL_REQUIRED", "writeFile");
    await expectUntouched(all, outside);
  }),
  on(
    "fs:real-path:approved-pair",
    "An approved pair of path and real path needs no question, and nothing else does",
    async (fixture) => {
      const { all, inside, outside } = await inAndOut(fixture);
      await plant(fixture, { kind: "link", path: `${inside}/link`, target: `${outside}/secret` });
      const moved = [{ asked: `${inside}/link`, real: `${outside}/secret` }];
      const { fs } = bindAll(fixture, treeGrant(inside, undefined, { symlinkTargets: moved }), {
        authorizeRealPath: denies,
      });
      expectEqual(await fs.readText(`${inside}/link`), "secret", "text");
      await plant(fixture, { kind: "link", path: `${inside}/link`, target: `${outside}/dir/file` });
      await expectError(fs.readText(`${inside}/link`), "POLICY_DENIED", "the same path with another target");
      await expectUntouched(all, outside);
    },
  ),
  on(
    "fs:real-path:inside-is-not-asked",
    "A symlink within the grant is followed without a question",
    async (fixture) => {
      const { inside } = await inAndOut(fixture);
      await plant(fixture, { kind: "link", path: `${inside}/link`, target: "file" });
      const { fs } = bindAll(fixture, treeGrant(inside), { authorizeRealPath: denies });
      expectEqual(await fs.readText(`${inside}/link`), "inside", "text");
      await fs.writeFile(`${inside}/link`, "changed");
      expectEqual(await fs.readText(`${inside}/file`), "changed", "text of the target");
    },
  ),
  on(
    "fs:guard:swapped-before-the-act",
    "A directory replaced by a symlink after the claim is not followed",
    async (fixture) => {
      const { all, inside, outside } = await inAndOut(fixture);
      await all.mkdir(`${inside}/dir`, false);
      const { fs } = bindAll(fixture, treeGrant(inside), { authorizeRealPath: denies });
      await fs.writeFile(`${inside}/dir/first`, "x");
      await all.rm(`${inside}/dir`, { recursive: true, ignoreMissing: false });
      await plant(fixture, { kind: "link", path: `${inside}/dir`, target: `${outside}/dir` });
      await refuseEach({ ...WRITES, ...REMOVALS, ...READS }, fs, `${inside}/dir/file`, "POLICY_DENIED");
      await expectUntouched(all, outside);
    },
  ),
  on(
    "fs:guard:swapped-during-the-act",
    "A symlink swapped repeatedly while operations run never lets one out",
    async (fixture) => {
      const { all, inside, outside } = await inAndOut(fixture);
      await all.mkdir(`${inside}/real`, false);
      await plant(fixture, { kind: "link", path: `${inside}/way`, target: "real" });
      const { fs } = bindAll(fixture, treeGrant(inside), { authorizeRealPath: denies });
      let swapping = true;
      const swaps = (async () => {
        for (let round = 0; swapping; round += 1) {
          await plant(fixture, {
            kind: "link",
            path: `${inside}/way`,
            target: round % 2 === 0 ? `${outside}/dir` : "real",
          });
          // Planting may be synchronous: let the operations run too.
          if (round % 8 === 7) await new Promise<void>((resolve) => void fixture.clock.timer(0, resolve));
        }
      })();
      swaps.catch(() => undefined); // A failure is met below; until then it is not unhandled.
      for (let round = 0; round < 60; round += 1) {
        await fs.writeFile(`${inside}/way/file`, "written").catch(() => undefined);
        const text = await fs.readText(`${inside}/way/file`).catch(() => "refused");
        expectThat(text !== "secret", "what was read did not come from outside");
        await fs.rm(`${inside}/way/file`, { recursive: false, ignoreMissing: true }).catch(() => undefined);
      }
      swapping = false;
      await swaps;
      await expectUntouched(all, outside);
    },
  ),
  on(
    "fs:revoked:everything-refuses",
    "After the end of the call every operation fails, and exists is false",
    async (fixture) => {
      const { all, inside } = await inAndOut(fixture);
      const controller = new AbortController();
      const { fs } = bindAll(fixture, {}, { signal: controller.signal });
      expectEqual(await fs.readText(`${inside}/file`), "inside", "text before");
      controller.abort();
      await refuseEach(ALL, fs, `${inside}/file`, "CALL_REVOKED");
      expectEqual(await fs.exists(`${inside}/file`), false, "exists");
      expectEqual(await all.readText(`${inside}/file`), "inside", "the file");
    },
  ),
  on("fs:root:is-unguarded", "The unguarded ports of the backend access paths outside every grant", async (fixture) => {
    const { inside } = await inAndOut(fixture);
    expectEqual(await fixture.backend.root.fs.readText(`${inside}/file`), "inside", "text");
  }),
];
