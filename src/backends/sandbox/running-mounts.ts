/** What commands that run now have mounted, in any sandbox: also in one whose host has ended, or has another directory of temporary files. */
import { readFileSync, readlinkSync } from "node:fs";
import { allProcesses } from "../../host/index.js";

/** Places of mounts. One set for each mount namespace but that of this process. Those of other users may be missing. */
export function runningMounts(): readonly ReadonlySet<string>[] {
  const namespaces = new Map<string, ReadonlySet<string>>();
  const own = namespaceOf("self");
  for (const { pid } of allProcesses()) {
    const namespace = namespaceOf(pid);
    if (namespace === undefined || namespace === own || namespaces.has(namespace)) continue;
    const places = placesOf(pid);
    if (places.size > 0) namespaces.set(namespace, places);
  }
  return [...namespaces.values()];
}

function namespaceOf(pid: number | "self"): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    // It has ended, or is another user's.
    return undefined;
  }
}

function placesOf(pid: number): ReadonlySet<string> {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`).toString("latin1").split("\n");
    const places = lines.map((line) => line.split(" ")[4] ?? "");
    return new Set(places.filter((place) => place !== "").map(unescaped));
  } catch {
    return new Set();
  }
}

/** White space and backslashes are octal numbers there. */
function unescaped(place: string): string {
  const bytes = place.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return Buffer.from(bytes, "latin1").toString();
}
