/** What the figures of a run depend on. */
import { execFileSync } from "node:child_process";
import { cpus, loadavg, release, totalmem } from "node:os";
import { PEERS } from "./peers/peers.mjs";
import { rgPath } from "./tools/ripgrep.mjs";

export function aboutRun({ size, rounds, peers, fd, loads }) {
  const withPeers = peers !== undefined;
  const named = Object.entries(PEERS).map(([name, peer]) => [peer, peers?.[name]]);
  const versions = [
    `ripgrep ${rgPath === undefined ? "none" : ripgrepVersion()}`,
    ...(fd.version === undefined ? [] : [fd.version]),
    ...named.filter(([, found]) => found?.entry).map(([{ package: name, version }]) => `${name} ${version}`),
  ];
  const missing = [
    ...(fd.missing === undefined ? [] : [`fd (${fd.missing})`]),
    ...named.filter(([, found]) => found?.missing).map(([{ title }, { missing: reason }]) => `${title} (${reason})`),
    ...(withPeers ? [] : ["the peers (`--peers` installs them into a scratch directory)"]),
  ];
  return {
    machine: `${cpus().length} cores (${cpus()[0]?.model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release().split("-")[0]}, Node ${process.version}`,
    date: new Date().toISOString().slice(0, 10),
    load: `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`,
    command: `npm run bench -- ${process.argv.slice(2).join(" ")}`
      .replace(/ -- $/, "")
      .replaceAll(/(--\w+ )\/\S+/g, "$1FILE"),
    size,
    rounds,
    versions,
    missing,
  };
}

/** The load of the last minute. */
export const loadNow = () => loadavg()[0];

function ripgrepVersion() {
  return execFileSync(rgPath, ["--version"], { encoding: "utf8" }).split(/\s/)[1];
}
