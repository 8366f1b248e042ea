/**
 * Tools on another machine beside its client by hand, in the same run: over ssh with one shared connection, and in a container.
 * The machines are those of `.ci/services up DIR`, in HAFT_SERVICES=DIR; without it these cases are skipped.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { largeTree } from "../corpus.mjs";
import { atMostTimes, right } from "../goals.mjs";
import { openBox } from "../tools/haft.mjs";
import { countNeedles, RARE } from "./grep.mjs";

const services =
  process.env.HAFT_SERVICES === undefined
    ? {}
    : JSON.parse(readFileSync(join(process.env.HAFT_SERVICES, "services.json"), "utf8"));
for (const name of ["ssh", "podman"])
  if (services[name] === undefined)
    console.error(`skipped: cases over ${name}: run .ci/services up DIR and set HAFT_SERVICES=DIR`);

const SMALL_FILES = 100;
const COMMANDS = 20;

/** The path of a socket has to be short. */
function sshClient({ scratch }) {
  const { config, hosts } = services.ssh;
  const shared = ["-o", "ControlMaster=auto", "-o", `ControlPath=${join(scratch, "..")}/%C`, "-o", "ControlPersist=60"];
  return ["ssh", "-F", config, ...shared, hosts.box];
}

const sshTarget = (workspace) => ({
  target: `ssh:${services.ssh.hosts.box}`,
  workspace,
  ssh: { config: services.ssh.config },
});

/** The bytes that a client prints. ripgrep exits with 1 if it finds nothing. */
function outputOf([program, ...args], env = {}) {
  return new Promise((done, failed) => {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], env: { ...process.env, ...env } });
    const chunks = [];
    child.stdout.on("data", (chunk) => chunks.push(chunk));
    child.on("error", failed);
    child.on("close", (code) =>
      code > 1 ? failed(new Error(`${program} ended with ${code}`)) : done(Buffer.concat(chunks)),
    );
  });
}

async function openTarget(target, scratch) {
  const { name = target.target, ...on } = target;
  const box = await openBox(undefined, `${scratch}/state`, { on: [on] });
  // Connects.
  await box.must("bash", { command: "true" });
  return { ...box, name };
}

async function repeat(count, act) {
  for (let turn = 0; turn < count; turn++) await act();
  return { calls: count };
}

/** A small command again and again, beside one client for each. */
function commandCase(id, what, factor, client, target, env) {
  return {
    id,
    table: "library",
    what,
    unit: "call",
    goals: [atMostTimes(factor)],
    sides: {
      raw: async (place) => () => repeat(COMMANDS, () => outputOf([...client(place), "true"], env)),
      ours: async ({ scratch }) => {
        if (env !== undefined) Object.assign(process.env, env);
        const box = await openTarget(target(), scratch);
        return { run: () => repeat(COMMANDS, () => box.must("bash", { command: "true" })), close: box.close };
      },
    },
  };
}

/** The answer is the first page of more. */
const isPage = (text) => (/limit of 200 hits/.test(text) ? {} : { say: "no full page", wrong: true });

/** A search beside ripgrep by hand, whose output goes through `filter`. */
function grepCase(id, what, pattern, check, filter, treeOf = ({ tree }) => tree) {
  return {
    id,
    table: "library",
    what,
    goals: [atMostTimes(1.3), right],
    sides: {
      raw: async (place) => {
        const command = `cd ${treeOf(place.layout)} && rg --no-config --hidden --json -e '${pattern}' .${filter}`;
        return () => outputOf([...sshClient(place), command]).then(() => ({}));
      },
      ours: async ({ layout, scratch }) => {
        const box = await openTarget(sshTarget(treeOf(layout)), scratch);
        return { run: async () => check(await box.must("grep", { pattern, path: "." })), close: box.close };
      },
    },
  };
}

const sshCases = () => [
  commandCase("remote-ssh-command", "`true` over ssh", 0.75, sshClient, () => sshTarget("/tmp")),
  grepCase(
    "remote-ssh-grep",
    "20 hits among the files of the tree over ssh",
    RARE.pattern,
    countNeedles(RARE.hits),
    "",
  ),
  grepCase(
    "remote-ssh-grep-large",
    "20 hits among 129,000 files over ssh",
    RARE.pattern,
    countNeedles(RARE.hits),
    "",
    largeTree,
  ),
  grepCase("remote-ssh-grep-frequent", "the first 200 of very many hits over ssh", "const", isPage, ""),
  grepCase("remote-ssh-grep-page", "the same, beside `rg | head -200`", "const", isPage, " | head -200"),
  {
    id: "remote-ssh-reads",
    table: "library",
    what: "100 files of 4 KB read at once over ssh",
    goals: [atMostTimes(4)],
    sides: {
      raw: async (place) => {
        const directory = smallFiles(place);
        return () => outputOf([...sshClient(place), `cat ${directory}/*`]).then(() => ({}));
      },
      ours: async (place) => {
        const directory = smallFiles(place);
        const box = await openTarget(sshTarget(directory), place.scratch);
        const read = (_, number) => box.must("read", { path: `f${number}` });
        const run = () => Promise.all(Array.from({ length: SMALL_FILES }, read)).then(() => ({}));
        return { run, close: box.close };
      },
    },
  },
];

const containerCases = () => {
  const { env, container } = services.podman;
  const client = () => ["podman", "exec", container];
  const target = () => ({ target: `podman:${container}`, workspace: "/tmp" });
  return [commandCase("remote-container-command", "`true` in a container", 0.04, client, target, env)];
};

/** The user of the machine reads them too. */
function smallFiles({ scratch }) {
  const directory = join(scratch, "small");
  mkdirSync(directory, { recursive: true });
  for (let number = 0; number < SMALL_FILES; number++)
    writeFileSync(join(directory, `f${number}`), "a line of text\n".repeat(270));
  for (let above = scratch; above !== "/tmp"; above = join(above, "..")) execFileSync("chmod", ["a+rx", above]);
  return directory;
}

export const cases = [
  ...(services.ssh === undefined ? [] : sshCases()),
  ...(services.podman === undefined ? [] : containerCases()),
];
