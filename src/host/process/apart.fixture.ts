/** Runs a program in a session and PID namespace of its own, so that stray signals cannot hit other processes. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const APART = ["-w", "unshare", "--pid", "--fork", "--mount-proc", "--kill-child"];
/** The first process of the namespace, which `kill(-1)` spares; the witness is a process that must not be signalled. */
const FIRST = `
  ulimit -n "$1"; shift
  sleep 600 & witness=$!
  "$@" & wait $!; status=$?
  kill -0 $witness || { echo "the witness was killed" >&2; status=99; }
  exit $status`;

interface RanApart {
  /** 99: a process that the program did not start was killed. */
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /**
   * The strace line of each signal whose target was never one of the program's processes. Undefined if strace cannot be
   * used.
   */
  readonly stray: readonly string[] | undefined;
}

function works(argv: readonly [string, ...string[]]): boolean {
  return spawnSync(argv[0], argv.slice(1), { stdio: "ignore" }).status === 0;
}

const TRACED = "trace=kill,tkill,tgkill,pidfd_send_signal,fork,vfork,clone,clone3";
const isApartPossible = works(["setsid", ...APART, "true"]);
const isTraced = isApartPossible && works(["strace", "-qq", "-e", TRACED, "-o", "/dev/null", "true"]);

/** Why programs cannot be isolated here, for the title of a skipped test; undefined if they can. */
export const cannotRunApart = isApartPossible ? undefined : "no PID namespace can be made here";
/** Suffix of a test title when signals cannot be traced. */
export const untraced = isTraced ? "" : " (signals not traced: no strace that may trace here)";

/** @param limit - Maximum open descriptors of the program. */
export function runApart(limit: number, argv: readonly string[], env: Readonly<Record<string, string>> = {}): RanApart {
  const directory = mkdtempSync(join(tmpdir(), "haft-apart-"));
  const log = join(directory, "log");
  const traced = isTraced ? ["strace", "-f", "-qq", "--seccomp-bpf", "-o", log, "-e", TRACED, "-e", "signal=none"] : [];
  try {
    const { status, stdout, stderr } = spawnSync(
      "setsid",
      [...APART, "sh", "-c", FIRST, "sh", String(limit), ...traced, ...argv],
      { encoding: "utf8", env: { PATH: process.env.PATH ?? "", ...env }, timeout: 60_000, killSignal: "SIGKILL" },
    );
    return { status, stdout, stderr, stray: isTraced ? straySignals(readFileSync(log, "latin1")) : undefined };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Exported for its own test. Lines begin with the pid of the caller; what starts a process returns its pid. */
export function straySignals(log: string): string[] {
  const lines = log.split("\n");
  const own = new Set<number>();
  for (const line of lines) {
    const [, caller] = /^(\d+) /.exec(line) ?? [];
    const [, child] = /(?:fork|clone3?)(?:\(| resumed>).* = (\d+)$/.exec(line) ?? [];
    for (const pid of [caller, child]) if (pid !== undefined) own.add(Number(pid));
  }
  return lines.filter((line) => {
    const [, name, first] = /^\d+ +(kill|tkill|tgkill|pidfd_send_signal)\((-?\d+)/.exec(line) ?? [];
    if (name === undefined) return false;
    // 0 and -1 are not a process; signal 0 sends nothing.
    if (name === "kill" && / 0\)/.test(line)) return false;
    return !own.has(Math.abs(Number(first))) || Math.abs(Number(first)) <= 1;
  });
}
