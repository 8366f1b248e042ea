/** Names that a grant excepts are refused wherever they are below a tree, unless they are granted themselves. */
import type { Fs } from "../../kernel/index.js";
import { on } from "../case-setup.js";
import { expectEqual, expectError } from "../expect.js";
import { bindAll, type Fixture, plant, treeGrant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { ALL, READS, refuseEach, WRITES } from "./operations.js";

const EXCEPT_NAMES = [".env", ".Env.*", "*.pem", ".ssh", "[a-z].txt"];

async function setUp(fixture: Fixture): Promise<{ all: Fs; inside: string }> {
  const all = bindAll(fixture).fs;
  const inside = `${fixture.directory}/in`;
  await all.mkdir(inside, false);
  return { all, inside };
}

export const fsExceptedNames: Suite<Fixture> = [
  on(
    "fs:grant:except-names",
    "A name that the grant excepts is not covered anywhere below a tree, in any case, nor is what it contains",
    async (fixture) => {
      const { all, inside } = await setUp(fixture);
      await all.mkdir(`${inside}/sub/.ssh/deep`, true);
      const secrets = [".env", ".ENV.local", "sub/Key.PEM", "sub/.ssh/config", "sub/.ssh/deep/file"];
      const open = ["env", "sub/a.pem.txt", ".envrc", "[a].txt"];
      for (const name of [...secrets, ...open]) await all.writeFile(`${inside}/${name}`, name);
      const { fs } = bindAll(fixture, treeGrant(inside, undefined, { exceptNames: EXCEPT_NAMES }));
      for (const name of secrets) await refuseEach(ALL, fs, `${inside}/${name}`, "CALL_UNCLAIMED");
      await refuseEach(ALL, fs, `${inside}/sub/.ssh`, "CALL_UNCLAIMED");
      await refuseEach(WRITES, fs, `${inside}/sub/new.pem`, "CALL_UNCLAIMED");
      for (const name of open) expectEqual(await fs.readText(`${inside}/${name}`), name, "a name that no glob matches");
      for (const name of secrets) expectEqual(await all.readText(`${inside}/${name}`), name, "the secret");
      const names = (await fs.readDir(`${inside}/sub`)).children.map((child) => child.name);
      expectEqual(names, [".ssh", "Key.PEM", "a.pem.txt"], "the listing");
    },
  ),
  on(
    "fs:grant:except-names-granted",
    "A file or directory that is granted itself is covered whatever its name, and the names below it are excepted again",
    async (fixture) => {
      const { all, inside } = await setUp(fixture);
      await all.mkdir(`${inside}/.ssh`, false);
      for (const name of [".env", ".env.old", ".ssh/config", ".ssh/key.pem"])
        await all.writeFile(`${inside}/${name}`, name);
      const file = { path: `${inside}/.env`, access: ["read"], scope: "self" } as const;
      const directory = { path: `${inside}/.ssh`, access: ["read"], scope: "tree" } as const;
      const files = [...(treeGrant(inside).files ?? []), file, directory];
      const { fs } = bindAll(fixture, { files, exceptNames: EXCEPT_NAMES });
      expectEqual(await fs.readText(`${inside}/.env`), ".env", "the file");
      await refuseEach(WRITES, fs, `${inside}/.env`, "CALL_UNCLAIMED");
      await refuseEach(READS, fs, `${inside}/.env.old`, "CALL_UNCLAIMED");
      expectEqual(await fs.readText(`${inside}/.ssh/config`), ".ssh/config", "a file of the directory");
      await refuseEach(READS, fs, `${inside}/.ssh/key.pem`, "CALL_UNCLAIMED");
    },
  ),
  on(
    "fs:grant:except-names-inside-a-tree",
    "A directory that contains a name that the grant excepts can be moved and removed",
    async (fixture) => {
      const { all, inside } = await setUp(fixture);
      await all.mkdir(`${inside}/top/.ssh`, true);
      await all.writeFile(`${inside}/top/.env`, "secret");
      const { fs } = bindAll(fixture, treeGrant(inside, undefined, { exceptNames: EXCEPT_NAMES }));
      await fs.rename(`${inside}/top`, `${inside}/moved`, { replace: false });
      expectEqual(await all.readText(`${inside}/moved/.env`), "secret", "the file in the moved directory");
      await refuseEach(READS, fs, `${inside}/moved/.env`, "CALL_UNCLAIMED");
      await fs.rm(`${inside}/moved`, { recursive: true, ignoreMissing: false });
      expectEqual(await all.exists(`${inside}/moved`), false, "the directory is there");
    },
  ),
  on(
    "fs:grant:except-names-through-a-symlink",
    "A symlink to a name that the grant excepts is authorized by the real path",
    async (fixture) => {
      const { all, inside } = await setUp(fixture);
      await all.mkdir(`${inside}/.ssh`, false);
      await all.writeFile(`${inside}/.ssh/config`, "secret");
      await all.writeFile(`${inside}/.env`, "secret");
      await plant(fixture, { kind: "link", path: `${inside}/notes`, target: ".env" });
      await plant(fixture, { kind: "link", path: `${inside}/dir`, target: ".ssh" });
      const grant = treeGrant(inside, undefined, { exceptNames: EXCEPT_NAMES });
      const { fs } = bindAll(fixture, grant);
      for (const name of ["notes", "dir/config"]) {
        await refuseEach(READS, fs, `${inside}/${name}`, "POLICY_DENIED");
        await expectError(fs.writeFile(`${inside}/${name}`, "x"), "POLICY_DENIED", "writeFile");
      }
      expectEqual(await all.readText(`${inside}/.env`), "secret", "the file");
      const granted = { path: `${inside}/.env`, access: ["read"], scope: "self" } as const;
      const both = bindAll(fixture, { ...grant, files: [...(grant.files ?? []), granted] });
      expectEqual(await both.fs.readText(`${inside}/notes`), "secret", "the file that is granted itself");
    },
  ),
];
