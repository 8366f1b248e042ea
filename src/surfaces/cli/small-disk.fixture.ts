/** A disk of a few bytes that can be filled: a tmpfs that only the programs started through it see. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { join } from "node:path";

export interface SmallDisk {
  /** Where it is, for programs started by `argv`. */
  readonly path: string;
  /** Where this process finds the same files. */
  readonly seenFrom: string;
  /** The command line that runs a program where the disk is. */
  argv(command: readonly string[]): readonly [program: string, ...args: string[]];
  /** Fills it with a file up to so many free bytes, after what filled it before is taken away. */
  fill(leaveBytes?: number): void;
  /** Takes away what fills it. */
  free(): void;
  /** Gone, with all that is on it. */
  end(): void;
}

/** How a process gets a mount of its own: as whoever runs the tests, and as root where that is not allowed. */
const WAYS = [
  { make: ["--user", "--map-root-user", "--mount"], enter: ["--user", "--preserve-credentials", "--mount"] },
  { make: ["--mount"], enter: ["--mount"] },
] as const;

/** Why no such disk can be made here; undefined where it can. */
export function whyNoSmallDisk(): string | undefined {
  return wayHere() === undefined ? "no tmpfs can be mounted here, not even with a user namespace" : undefined;
}

/** @param directory - An empty directory; other processes still see it empty. */
export async function smallDisk(directory: string, sizeBytes: number): Promise<SmallDisk> {
  const way = wayHere();
  if (way === undefined) throw new Error(whyNoSmallDisk());
  const script = `mount -t tmpfs -o size=${sizeBytes} none "$0" && echo ready && exec cat`;
  const holder = spawn("unshare", [...way.make, "sh", "-c", script, directory], { stdio: ["pipe", "pipe", "inherit"] });
  await ready(holder);
  const argv: SmallDisk["argv"] = (command) => ["nsenter", ...way.enter, `--target=${holder.pid}`, "--", ...command];
  const filler = join(directory, "filler");
  const sh = (script: string, ...args: string[]): void => {
    const [program, ...rest] = argv(["sh", "-c", script, ...args]);
    const { status, stderr } = spawnSync(program, rest, { encoding: "utf8" });
    if (status !== 0) throw new Error(`"${script}" failed: ${stderr}`);
  };
  return {
    path: directory,
    seenFrom: `/proc/${holder.pid}/root${directory}`,
    argv,
    fill(leaveBytes = 0) {
      // Page by page until there is no more, then back by what is to be left.
      sh(
        'rm -f "$0"; dd if=/dev/zero of="$0" bs=4096 2>/dev/null; truncate -s "-$1" "$0" || exit 1',
        filler,
        String(leaveBytes),
      );
    },
    free: () => sh('rm -f "$0"', filler),
    end: () => void holder.kill("SIGKILL"),
  };
}

function wayHere(): (typeof WAYS)[number] | undefined {
  return WAYS.find(({ make }) => spawnSync("unshare", [...make, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0);
}

function ready(holder: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    holder.stdout?.once("data", () => resolve());
    holder.once("error", reject);
    holder.once("exit", (status) => reject(new Error(`the disk could not be made: exit status ${status}`)));
  });
}
