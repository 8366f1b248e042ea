/** A command starts only in an authorized directory, whatever its path resolves to before, during and after the decision. */
import {
  type BoundCall,
  type Decision,
  EMPTY_GRANT,
  type GrantedCommand,
  HaftError,
  type Shell,
  type SpawnOptions,
} from "../../kernel/index.js";
import { on } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture, plant } from "../fixture.js";
import type { Suite } from "../plan.js";
import { expectExit, stdoutOf } from "./run.js";

const COMMAND = "echo ran > marker; pwd";
const ABOUT = { rule: "test:outside", risk: "high", reason: "It is outside." } as const;
const GRANT = { ...EMPTY_GRANT, id: "more" };

const denies: BoundCall["authorizeDirectory"] = async () => ({ effect: "deny", ...ABOUT });
const asks: BoundCall["authorizeDirectory"] = async () => ({ effect: "ask", ...ABOUT, remember: [], grant: GRANT });
const allows: Decision = { effect: "allow", ...ABOUT, grant: GRANT };

interface Places {
  readonly inside: string;
  readonly outside: string;
  readonly other: string;
  /** A shell whose one command is claimed in `cwd`. */
  bound(cwd: string, authorizeDirectory: BoundCall["authorizeDirectory"], real?: string): Shell;
  expectMarkers(...names: readonly string[]): Promise<void>;
}

/** `in` contains `build`, a symlink to `out`; `out` contains `sub`; `other` is a third directory. */
async function places(fixture: Fixture): Promise<Places> {
  const { fs } = bindAll(fixture);
  const [inside, outside, other] = ["in", "out", "other"].map((name) => `${fixture.directory}/${name}`) as [
    string,
    string,
    string,
  ];
  for (const path of [inside, `${outside}/sub`, other]) await fs.mkdir(path, true);
  await plant(fixture, { kind: "link", path: `${inside}/build`, target: "../out" });
  return {
    inside,
    outside,
    other,
    bound(cwd, authorizeDirectory, real) {
      const one: GrantedCommand = {
        command: COMMAND,
        cwd,
        background: "keep",
        ...(real === undefined ? {} : { real }),
      };
      return bindAll(fixture, { commands: [one] }, { authorizeDirectory }).shell;
    },
    async expectMarkers(...names) {
      const all = [`${inside}/real`, inside, outside, `${outside}/sub`, other, fixture.directory];
      const found: string[] = [];
      for (const path of all)
        if (await fs.exists(`${path}/marker`)) found.push(path.slice(fixture.directory.length + 1));
      expectEqual(found, names, "where the command ran");
    },
  };
}

/** Options whose directory is another one each `at`-th time it is read. */
function changing(cwd: string, other: string, at: number): { readonly cwd: string } {
  let reads = 0;
  return {
    get cwd() {
      reads += 1;
      return reads % at === 0 ? other : cwd;
    },
  };
}

/** The code of what it throws. */
async function refusalOf(act: Promise<unknown>): Promise<string> {
  try {
    await act;
    return "none";
  } catch (thrown) {
    return HaftError.is(thrown) ? thrown.code : String(thrown);
  }
}

export const shellDirectory: Suite<Fixture> = [
  on(
    "shell:directory:read-once",
    "The directory that was checked is the one that a command starts in, also where the options change when read again",
    async (fixture) => {
      const { inside, outside, bound, expectMarkers } = await places(fixture);
      const shell = bound(inside, denies);
      expectEqual(
        await refusalOf(shell.exec(COMMAND, changing(inside, outside, 1))),
        "CALL_UNCLAIMED",
        "the other one",
      );
      for (const at of [2, 3, 4, 5, 6])
        expectExit(await shell.exec(COMMAND, changing(inside, outside, at)), 0, `${at}`);
      await expectMarkers("in");
    },
  ),
  on("shell:directory:read-once-by-spawn", "The same holds for a command that outlives its call", async (fixture) => {
    const { inside, outside, bound, expectMarkers } = await places(fixture);
    const shell = bound(inside, denies);
    for (const at of [1, 2, 3, 4, 5, 6]) {
      const options = changing(inside, outside, at);
      const started = shell.spawn(
        COMMAND,
        Object.defineProperty(options, "lifetime", { value: "session", enumerable: true }) as SpawnOptions,
      );
      expectEqual(await refusalOf(started.then((job) => job.result)), at === 1 ? "CALL_UNCLAIMED" : "none", `${at}`);
    }
    await expectMarkers("in");
  }),
  on(
    "shell:directory:deny",
    "A command does not start if policy denies its real directory, whichever part of the path is a symlink",
    async (fixture) => {
      const { inside, bound, expectMarkers } = await places(fixture);
      for (const cwd of [`${inside}/build`, `${inside}/build/sub`, `${inside}/build/sub/..`]) {
        await expectError(bound(cwd, denies).exec(COMMAND, { cwd }), "POLICY_DENIED", `exec in ${cwd}`);
      }
      await expectMarkers();
    },
  ),
  on("shell:directory:ask", "A real directory that needs approval is POLICY_APPROVAL_REQUIRED", async (fixture) => {
    const { inside, bound, expectMarkers } = await places(fixture);
    const cwd = `${inside}/build`;
    await expectError(bound(cwd, asks).exec(COMMAND, { cwd }), "POLICY_APPROVAL_REQUIRED", `exec in ${cwd}`);
    await expectMarkers();
  }),
  on(
    "shell:directory:spawn",
    "A command that outlives its call does not start if policy denies its real directory or requires approval",
    async (fixture) => {
      const { inside, bound, expectMarkers } = await places(fixture);
      const cwd = `${inside}/build`;
      for (const lifetime of ["session", "keep"] as const) {
        const start = (answer: BoundCall["authorizeDirectory"]) => bound(cwd, answer).spawn(COMMAND, { cwd, lifetime });
        await expectError(start(denies), "POLICY_DENIED", `spawn, ${lifetime}`);
        await expectError(start(asks), "POLICY_APPROVAL_REQUIRED", `spawn, ${lifetime}`);
      }
      await expectMarkers();
    },
  ),
  on(
    "shell:directory:allow",
    "If policy allows the real directory the command starts there, asked once with both paths",
    async (fixture) => {
      const { inside, outside, bound, expectMarkers } = await places(fixture);
      const asked: string[] = [];
      const cwd = `${inside}/build`;
      const shell = bound(cwd, async (command, path, real) => {
        asked.push(command, path, real);
        return allows;
      });
      const result = await shell.exec(COMMAND, { cwd });
      expectExit(result, 0, "the command");
      expectEqual(stdoutOf(result), `${outside}\n`, "pwd");
      expectEqual(asked, [COMMAND, cwd, outside], "what was asked");
      await expectMarkers("out");
    },
  ),
  on(
    "shell:directory:approved",
    "A command granted in one real directory starts there without a question, and in no other",
    async (fixture) => {
      const { inside, outside, other, bound, expectMarkers } = await places(fixture);
      const cwd = `${inside}/build`;
      const shell = bound(cwd, denies, outside);
      expectExit(await shell.exec(COMMAND, { cwd }), 0, "where it was granted");
      const { fs } = bindAll(fixture);
      await fs.rm(`${outside}/marker`, { recursive: false, ignoreMissing: false });
      await plant(fixture, { kind: "link", path: cwd, target: other });
      await expectError(shell.exec(COMMAND, { cwd }), "POLICY_DENIED", `exec in ${cwd}`);
      // A new directory at the claimed path was not granted either.
      await fs.rm(cwd, { recursive: false, ignoreMissing: false });
      await fs.mkdir(cwd, false);
      await expectError(shell.exec(COMMAND, { cwd }), "POLICY_DENIED", `exec in ${cwd}`);
      expectEqual(await fs.exists(`${cwd}/marker`), false, "the marker under the claimed path");
      await expectMarkers();
    },
  ),
  on(
    "shell:directory:replaced-by-a-symlink",
    "A directory that was replaced by a symlink after the claim is authorized again",
    async (fixture) => {
      const { inside, outside, bound, expectMarkers } = await places(fixture);
      const { fs } = bindAll(fixture);
      const cwd = `${inside}/real`;
      await fs.mkdir(cwd, false);
      const shell = bound(cwd, denies);
      expectExit(await shell.exec(COMMAND, { cwd }), 0, "before");
      await fs.rm(cwd, { recursive: true, ignoreMissing: false });
      await plant(fixture, { kind: "link", path: cwd, target: outside });
      await expectError(shell.exec(COMMAND, { cwd }), "POLICY_DENIED", `exec in ${cwd}`);
      await expectMarkers();
    },
  ),
  on(
    "shell:directory:swapped-after-the-question",
    "A symlink swapped while policy decides does not start the command in an unauthorized directory",
    async (fixture) => {
      const { inside, outside, other, bound, expectMarkers } = await places(fixture);
      const cwd = `${inside}/build`;
      const shell = bound(cwd, async (_command, _path, real) => {
        await plant(fixture, { kind: "link", path: cwd, target: other });
        return real === outside ? allows : { effect: "deny", ...ABOUT };
      });
      const ran = await shell.exec(COMMAND, { cwd }).then(
        () => ["out"],
        () => [],
      );
      await expectMarkers(...ran);
    },
  ),
  on(
    "shell:directory:swapped-during-the-start",
    "A symlink swapped repeatedly while commands start never lets one start outside",
    async (fixture) => {
      const { inside, outside, bound, expectMarkers } = await places(fixture);
      await bindAll(fixture).fs.mkdir(`${inside}/real`, false);
      const cwd = `${inside}/way`;
      await plant(fixture, { kind: "link", path: cwd, target: "real" });
      const shell = bound(cwd, async (_command, _path, real) =>
        real === `${inside}/real` ? allows : { effect: "deny", ...ABOUT },
      );
      let swapping = true;
      const swaps = (async () => {
        for (let round = 0; swapping; round += 1) {
          await plant(fixture, { kind: "link", path: cwd, target: round % 2 === 0 ? outside : "real" });
          // Planting may be synchronous: let the commands run too.
          if (round % 8 === 7) await new Promise<void>((resolve) => void fixture.clock.timer(0, resolve));
        }
      })();
      swaps.catch(() => undefined); // A failure is met below; until then it is not unhandled.
      let started = 0;
      for (let round = 0; round < 30; round += 1) {
        await shell.exec(COMMAND, { cwd }).then(
          (result) => {
            started += result.began === "yes" ? 1 : 0;
          },
          () => undefined,
        );
      }
      swapping = false;
      await swaps;
      await expectMarkers(...(started > 0 ? ["in/real"] : []));
    },
  ),
  on(
    "shell:directory:root-is-unguarded",
    "The unguarded shell of the backend starts at the target of the path",
    async (fixture) => {
      const { inside, outside } = await places(fixture);
      const { shell } = fixture.backend.root;
      expectEqual(stdoutOf(await shell.exec("pwd", { cwd: `${inside}/build` })), `${outside}\n`, "pwd");
      expectThat(
        (await shell.exec("pwd", { cwd: `${inside}/gone` })).problem?.includes("does not exist") === true,
        "a directory that does not exist is named",
      );
    },
  ),
];
