/** Whether programs of this machine run on another one, by what `uname` prints there. */
import { arch, platform } from "node:os";

/** What `uname -s` and `uname -m` print on machines that run the programs of this one. */
const SYSTEMS: Readonly<Record<string, string>> = { linux: "Linux", darwin: "Darwin" };
const MACHINES: Readonly<Record<string, readonly string[]>> = { x64: ["x86_64", "amd64"], arm64: ["aarch64", "arm64"] };

/** @param uname - What `uname -s -m` prints there: "Linux x86_64". */
export function isSameKindOfMachine(uname: string): boolean {
  const [system, machine = ""] = uname.trim().split(" ");
  return system !== undefined && system === SYSTEMS[platform()] && MACHINES[arch()]?.includes(machine) === true;
}
