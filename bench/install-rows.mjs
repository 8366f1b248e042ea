/** A production install of the packed Haft into an empty directory with an empty cache, with and without optional parts. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { installCold } from "./peers/install.mjs";

const LIMITS = { seconds: 10, mb: 70, mbWithout: 46, packages: 90 };

/** The median of `rounds` installs, by seconds. */
export async function installHaft(scratch, rounds) {
  const root = fileURLToPath(new URL("..", import.meta.url));
  const place = join(scratch, "install");
  mkdirSync(place, { recursive: true });
  const options = { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] };
  const name = execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", place], options);
  const tarball = join(place, name.trim());
  const install = async (directory, flags) => {
    rmSync(join(place, directory), { recursive: true, force: true });
    return installCold(join(place, directory), tarball, flags);
  };
  const whole = [];
  for (let round = 0; round < rounds; round++) whole.push(await install("whole", []));
  const without = await install("without", ["--omit=optional"]);
  whole.sort((one, other) => one.seconds - other.seconds);
  return { whole: whole[rounds >> 1], without };
}

export function installGoals({ whole, without }) {
  return [
    [`≤ ${LIMITS.seconds} s`, whole.seconds <= LIMITS.seconds, `${whole.seconds.toFixed(1)} s`],
    [`≤ ${LIMITS.mb} MB`, whole.mb <= LIMITS.mb, `${whole.mb.toFixed(1)} MB`],
    [`≤ ${LIMITS.mbWithout} MB without optional parts`, without.mb <= LIMITS.mbWithout, `${without.mb.toFixed(1)} MB`],
    [`≤ ${LIMITS.packages} packages`, whole.packages <= LIMITS.packages, `${whole.packages}`],
  ];
}

export function installTable({ haft, peers }, titles) {
  const row = (title, { seconds, mb, packages }, note = "") =>
    `| ${title} | ${seconds.toFixed(1)} | ${mb.toFixed(1)} | ${packages} | ${note} |`;
  const goals = installGoals(haft);
  const missed = goals.filter(([, met]) => !met).map(([text, , shown]) => `${text}: **${shown}**`);
  const verdict = `${goals.map(([text]) => text).join(", ")}: ${missed.length === 0 ? "met" : `missed, ${missed.join("; ")}`}`;
  return [
    "A production install from the registry into an empty directory, with an empty cache and without install scripts; MB are the bytes of all files, in millions.",
    "",
    "| package | seconds | MB | packages | |",
    "| --- | --- | --- | --- | --- |",
    row("Haft", haft.whole, verdict),
    row("Haft without optional parts", haft.without),
    ...Object.entries(peers)
      .filter(([, peer]) => peer.missing === undefined)
      .map(([name, peer]) => row(titles[name], peer)),
  ].join("\n");
}
