/** Places where `scripts/cases.mjs` plays cases beside this machine: what has to be there, and how the runner is started for it. */
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Root may read and write whatever the modes say; without these two capabilities the permission cases mean something. */
const DROPPED = "-dac_override,-dac_read_search";

/**
 * @typedef {object} Place
 * @property {string[]} prefix - The words before the command of the runner.
 * @property {object} [env] - Variables of the runner.
 * @property {() => void} [end]
 * @property {Record<string, { outcome: string, why: string }>} [differs] - Cases whose outcome here is this other one, and why.
 * @type {Record<string, (scratch: string) => Place | { cannot: string }>}
 */
export const PLACES = {
  local: () => ({ prefix: withoutOverride() }),
  sandbox() {
    const works = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"]).status === 0;
    if (!works) return { cannot: "bwrap does not work here" };
    const placeholder =
      "an open sandbox keeps an empty .git in the workspace, so that no command can create one that git obeys";
    return {
      prefix: withoutOverride(),
      env: placeVariable({ target: "sandbox" }),
      differs: { "WRITE-17": { outcome: 'sh: expected "" from ls -A, got .git\\n', why: placeholder } },
    };
  },
  container() {
    const { podman, absent } = services();
    if (podman === undefined) return { cannot: absent };
    const name = `haft-cases-${process.pid}`;
    const engine = { env: { ...process.env, ...podman.env }, encoding: "utf8" };
    // The programs of this machine, so that only the way to them differs. /tmp is where the runner makes the files of a case.
    const mounts = ["/tmp:/tmp", "/usr:/usr:ro", "/usr/bin:/bin:ro", "/usr/lib:/lib:ro", "/lib64:/lib64:ro"];
    const volumes = mounts.flatMap((mount) => ["-v", mount]);
    const caps = ["--cap-drop", "DAC_OVERRIDE"];
    // One table of processes, as the runner looks for what a command left.
    execFileSync("podman", ["run", "-d", "--pid=host", "--name", name, ...caps, ...volumes, podman.image], engine);
    return {
      prefix: withoutOverride(),
      env: placeVariable({ target: `podman:${name}` }, podman.env),
      end: () => execFileSync("podman", ["rm", "-f", "-t", "0", name], engine),
    };
  },
  ssh(scratch) {
    const { ssh, absent } = services();
    if (ssh === undefined) return { cannot: absent };
    // The runner is the same user as the server's, who may not read root's key.
    const own = join(scratch, "ssh");
    mkdirSync(own);
    for (const file of ["id", "known_hosts"]) cpSync(join(ssh.config, "..", file), join(own, file));
    const config = join(own, "config");
    writeFileSync(config, readFileSync(ssh.config, "utf8").replaceAll(join(ssh.config, ".."), own));
    execFileSync("chown", ["-R", ssh.user, scratch]);
    return {
      prefix: ["setpriv", `--reuid=${ssh.user}`, `--regid=${ssh.user}`, "--clear-groups"],
      env: placeVariable({ target: `ssh:${ssh.hosts.box}`, ssh: { config } }),
    };
  },
};

const placeVariable = (on, env = {}) => ({ CASES_PLACE: JSON.stringify({ on, env }) });

function services() {
  const file = join(process.env.HAFT_SERVICES ?? "", "services.json");
  if (process.env.HAFT_SERVICES && existsSync(file)) {
    const found = JSON.parse(readFileSync(file, "utf8"));
    return { ...found, absent: Object.values(found.absent ?? {}).join("; ") };
  }
  return { absent: "run `.ci/services up DIR` as root and set HAFT_SERVICES=DIR" };
}

function withoutOverride() {
  const words = ["setpriv", `--bounding-set=${DROPPED}`, `--inh-caps=${DROPPED}`];
  if (process.getuid?.() !== 0) return [];
  return spawnSync(words[0], [...words.slice(1), "true"]).status === 0 ? words : [];
}
