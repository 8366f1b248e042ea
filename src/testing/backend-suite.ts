import type { BackendFlags } from "../kernel/index.js";
import { collect, on } from "./case-setup.js";
import { expectEqual, expectError, expectThat } from "./expect.js";
import { bindAll, type Fixture } from "./fixture.js";
import type { Suite } from "./plan.js";
import { until } from "./shell/run.js";

const FLAG_NAMES: Readonly<Record<keyof BackendFlags, true>> = {
  processes: true,
  signals: true,
  symlinks: true,
  jobs: true,
  detach: true,
  terminal: true,
  sandbox: true,
};

/** What every backend guarantees besides its ports: its flags, and how it closes. The latter needs `openAnother` of the fixture. */
export const backendSuite: Suite<Fixture> = [
  on(
    "backend:flags:declared",
    "The flags have only declared names, and booleans as values",
    async ({ backend: { flags } }) => {
      const undeclared = Object.keys(flags).filter((name) => !Object.hasOwn(FLAG_NAMES, name));
      expectEqual(undeclared, [], "undeclared flags");
      const odd = Object.entries(flags).filter(([, value]) => value !== undefined && typeof value !== "boolean");
      expectEqual(odd, [], "flags that are not booleans");
    },
  ),
  on("backend:machine:named", "The machine has a name", async ({ backend }) => {
    expectThat(typeof backend.machine === "string" && backend.machine !== "", "the machine has a name");
  }),
  on(
    "backend:ports:sealed",
    "A bound port leads to no class that could create another one, and its methods cannot be replaced",
    async (fixture) => {
      for (const [name, port] of Object.entries(bindAll(fixture))) {
        if (port === undefined) continue;
        expectThat(!isClass(port.constructor), `the class of ${name} is not reachable`);
        for (let proto = Object.getPrototypeOf(port); proto !== null; proto = Object.getPrototypeOf(proto)) {
          if (proto === Object.prototype) break;
          expectThat(!isClass(proto.constructor), `the class of a prototype of ${name} is not reachable`);
          expectThat(Object.isFrozen(proto), `the prototype of ${name} is frozen`);
        }
      }
    },
  ),
  on(
    "backend:close:refuses-everything",
    "After close, bind and all ports reject with BACKEND_UNAVAILABLE",
    async (fixture) => {
      expectThat(fixture.openAnother !== undefined, "the fixture can open another backend");
      const backend = await fixture.openAnother();
      const cwd = fixture.directory;
      const another = { ...fixture, backend };
      const commands = [{ command: "true", cwd, background: "keep" as const }];
      const { fs, shell, search } = bindAll(another, { commands });
      const { root } = backend;
      await backend.close();
      expectEqual(backend.state(), "closed", "state");
      await expectError(async () => bindAll(another), "BACKEND_UNAVAILABLE", "bind");
      const walk = { root: cwd, includeIgnored: true, prune: [], order: "found", offset: 0, limit: 10 } as const;
      const pattern = { source: "x", syntax: "literal", ignoreCase: false, multiline: false } as const;
      const grep = { ...walk, pattern, mode: "content", context: 0, maxLineBytes: 100, binary: "any-nul" } as const;
      const operations: readonly (readonly [string, () => Promise<unknown>])[] = [
        ...[root.fs, fs].flatMap((files) => [
          ["stat", () => files.stat(cwd)] as const,
          ["readDir", () => files.readDir(cwd)] as const,
          ["writeFile", () => files.writeFile(`${cwd}/file`, "text")] as const,
          ["mkdir", () => files.mkdir(`${cwd}/made`, true)] as const,
        ]),
        ...[root.shell, shell].flatMap((commands) => [
          ["exec", () => commands.exec("true", { cwd })] as const,
          ["spawn", () => commands.spawn("true", { cwd, lifetime: "session" })] as const,
          ["attach", () => commands.attach("no-such-id")] as const,
        ]),
        ["walk", () => collect(search.walk(walk))],
        ["grep", () => collect(search.grep(grep))],
      ];
      for (const [name, operation] of operations) await expectError(operation, "BACKEND_UNAVAILABLE", name);
    },
  ),
  on(
    "backend:close:kept-job",
    "A job that is to be kept outlives its backend; another one lists it with its command, stops it, and still lists it then",
    async (fixture) => {
      expectThat(fixture.openAnother !== undefined, "the fixture can open another backend");
      const command = "echo 'it''s \"this\"'; exec sleep 600";
      const cwd = fixture.directory;
      const claimed = { commands: [{ command, cwd, background: "keep" as const }] };
      const first = await fixture.openAnother();
      const { id } = await bindAll({ ...fixture, backend: first }, claimed, { owner: "one" }).shell.spawn(command, {
        cwd,
        lifetime: "keep",
      });
      await first.close();
      const second = await fixture.openAnother();
      const as = (owner: string, backend = second) =>
        bindAll({ ...fixture, backend }, claimed, { sessionId: "another", owner }).shell;
      const listed = async (backend = second) => {
        const info = (await as("one", backend).jobs()).find((one) => one.id === id);
        return [info?.command, info?.cwd, info?.lifetime, info?.adopted, info?.status, info?.endedBy];
      };
      const found = [command, cwd, "keep", "host"];
      expectEqual(await listed(), [...found, "running", undefined], "what the second backend lists");
      const theirs = (await as("two").jobs()).filter((one) => one.id === id);
      expectEqual([theirs, await as("two").attach(id)], [[], null], "for another owner");
      const job = await as("one").attach(id);
      expectThat(job !== null, "it can be attached to");
      const printed = async () => new TextDecoder().decode((await job.output("stdout", 0, 100)).bytes);
      await until(fixture, "its output is there", async () => (await printed()) === 'its "this"\n');
      expectEqual((await job.kill("KILL")).state, "gone", "its processes");
      await job.result;
      await second.close();
      const third = await fixture.openAnother();
      expectEqual(await listed(third), [...found, "ended", "stopped"], "what the third backend lists");
      const ended = await as("one", third).attach(id);
      const output = await ended?.output("stdout", 0, 3);
      expectEqual(new TextDecoder().decode(output?.bytes), "its", "its output");
      await ended?.forget?.();
      expectEqual(await as("one", third).attach(id), null, "once it is forgotten");
      await third.close();
    },
  ),
  on("backend:close:twice", "close can be called again", async (fixture) => {
    expectThat(fixture.openAnother !== undefined, "the fixture can open another backend");
    const backend = await fixture.openAnother();
    const [first, second] = await Promise.all([backend.close(), backend.close()]);
    expectEqual([first.left, second.left, (await backend.close()).left], [[], [], []], "what remains");
  }),
];

/** Whether it can create ports: `Object` cannot. */
function isClass(value: unknown): boolean {
  return value !== undefined && value !== Object;
}
