/** What an open target has: its shell, programs, speed, clock and space. */
import { isSameKindOfMachine } from "../../../../host/index.js";
import { type Backend, type BackendFlags, messageOf } from "../../../../kernel/index.js";
import type { DoctorFinding } from "./finding.js";

const PROGRAMS = ["rg", "git", "setsid", "tmux", "stat", "ps", "bash", "python3", "node"] as const;
const COMMANDS = 20;
const PROBE_TIMEOUT_MS = 10_000;
const SLOW_MS = 150;
const SKEW_SECONDS = 5;
const LITTLE_KIB = 100 * 1024;

/**
 * Prints lines `NAME VALUE`. A child whose parent has ended belongs to PID 1, which has a second to collect it: "orphan" is its state
 * where it did not.
 */
const PROBE = `
echo "system $(uname -sm)"
echo "user $(id -un 2>/dev/null || id -u)"
echo "shell $(readlink /proc/$$/exe 2>/dev/null || echo sh)"
for name in ${PROGRAMS.join(" ")}; do command -v "$name" >/dev/null && echo "program $name"; done
echo "seconds $(date +%s)"
for at in . "\${TMPDIR:-/tmp}"; do df -Pk "$at" 2>/dev/null | tail -n 1 | { read -r _ all _ free _; echo "space $at $free $all"; }; done
orphan=$( (sh -c 'echo $$' &) )
for _ in 1 2 3 4 5; do
  [ -n "$orphan" ] && [ -e "/proc/$orphan/stat" ] || exit 0
  sleep 0.2 2>/dev/null || sleep 1
done
{ read -r state <"/proc/$orphan/stat" && echo "orphan $state"; } 2>/dev/null
exit 0
`;

/** What is known of a target beside its backend. */
interface ProbeOptions {
  /** Whether the user started it as a container. */
  readonly isContainer: boolean;
  /** Whether Haft's ripgrep is copied there where it has none. Absent: its kind of target has no such setting. */
  readonly copiesRipgrep?: boolean;
}

/** One finding for each kind of fact. What a backend without processes has is in its guide. */
export async function probedTarget(
  backend: Backend,
  { isContainer, copiesRipgrep }: ProbeOptions,
): Promise<readonly DoctorFinding[]> {
  if (backend.flags.processes !== true) return [missing(backend)];
  const { shell } = backend.root;
  const cwd = backend.cwd;
  const run = async (command: string) => {
    const { exit, stdout } = await shell.exec(command, { cwd, timeoutMs: PROBE_TIMEOUT_MS });
    if (exit.by !== "code" || exit.code !== 0) throw new Error(`\`sh\` did not run there: ${JSON.stringify(exit)}`);
    return new TextDecoder().decode(stdout.head);
  };
  const before = Date.now();
  const facts = factsOf(await run(PROBE));
  const after = Date.now();
  const times: number[] = [];
  for (let count = 0; count < COMMANDS; count++) {
    const start = performance.now();
    await run(":");
    times.push(performance.now() - start);
  }
  const median = times.sort((one, other) => one - other)[COMMANDS / 2]!;
  return [
    system(facts),
    programs(facts, backend, copiesRipgrep),
    latency(median),
    clock(countIn(facts.get("seconds")?.[0]), { before, after }),
    ...space(facts, cwd),
    ...reaping(facts, isContainer),
    ...wholeMachine(backend),
    ...(hasProgram(facts, "tmux") ? await terminal(backend) : []),
    missing(backend, hasProgram(facts, "tmux")),
  ];
}

type Facts = ReadonlyMap<string, readonly string[]>;

function factsOf(text: string): Facts {
  const facts = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const at = line.indexOf(" ");
    if (at === -1) continue;
    const name = line.slice(0, at);
    facts.set(name, [...(facts.get(name) ?? []), line.slice(at + 1)]);
  }
  return facts;
}

function hasProgram(facts: Facts, name: (typeof PROGRAMS)[number]): boolean {
  return facts.get("program")?.includes(name) === true;
}

/** A program that is missing leaves its field empty: that is not a zero. */
function countIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

function system(facts: Facts): DoctorFinding {
  const [shell = "sh"] = facts.get("shell") ?? [];
  const found = `\`sh\` is ${shell}; ${facts.get("system")?.[0] || "unknown system"}, user ${facts.get("user")?.[0] || "unknown"}`;
  return { id: "shell", status: "ok", found };
}

function programs(facts: Facts, { flags }: Backend, copiesRipgrep: boolean | undefined): DoctorFinding {
  const there = facts.get("program") ?? [];
  const absent = PROGRAMS.filter((name) => !there.includes(name));
  const found = `${there.join(", ") || "none"}${absent.length === 0 ? "" : `; missing: ${absent.join(", ")}`}`;
  const lacks = [
    hasProgram(facts, "rg") ? [] : withoutRipgrep(facts, copiesRipgrep),
    hasProgram(facts, "tmux") ? [] : withoutTmux(flags.terminal === true),
  ].flat();
  const next = lacks.flatMap((one) => one.next ?? []);
  return {
    id: "programs",
    status: lacks.some(({ isLimit }) => isLimit) ? "limits" : "ok",
    found,
    ...(lacks.length === 0 ? {} : { cost: lacks.map(({ cost }) => cost).join("\n") }),
    ...(next.length === 0 ? {} : { next: next.join("\n") }),
  };
}

/** What does not work without a program. */
interface Lack {
  readonly isLimit: boolean;
  readonly cost: string;
  readonly next?: string;
}

function withoutRipgrep(facts: Facts, copiesRipgrep: boolean | undefined): Lack {
  const cost = "Without rg, searches are slower: grep searches, or files are read from here.";
  if (copiesRipgrep === undefined) return { isLimit: true, cost };
  if (!isSameKindOfMachine(facts.get("system")?.[0] ?? ""))
    return { isLimit: true, cost, next: "Install ripgrep there: Haft's own does not run on that kind of machine." };
  if (copiesRipgrep) return { isLimit: false, cost: "The first search copies Haft's own rg there, about 6 MB." };
  return { isLimit: true, cost, next: "Install ripgrep there, or set `copyRipgrep` of the target." };
}

function withoutTmux(hasTerminal: boolean): Lack {
  if (!hasTerminal) return { isLimit: false, cost: "Without tmux, the target cannot have a terminal (+tmux)." };
  const cost = "Without tmux, its terminal (+tmux) does not work: calls of the tools for panes fail.";
  return { isLimit: true, cost, next: "Install tmux there, or leave out `+tmux`." };
}

function latency(median: number): DoctorFinding {
  const found = `${median < 10 ? median.toFixed(1) : Math.round(median)} ms for a command, the median of ${COMMANDS}`;
  if (median <= SLOW_MS) return { id: "latency", status: "ok", found };
  return { id: "latency", status: "note", found, cost: "Each call takes at least that long." };
}

/** The remote clock was read between these two moments, in whole seconds. */
function clock(
  seconds: number | undefined,
  { before, after }: { readonly before: number; readonly after: number },
): DoctorFinding {
  if (seconds === undefined)
    return { id: "clock", status: "note", found: "unknown: `date` is missing or does not print seconds" };
  const ahead = seconds > after / 1_000 ? seconds - after / 1_000 : Math.min(0, seconds + 1 - before / 1_000);
  const skew = Math.round(Math.abs(ahead));
  const found = skew < 1 ? "as here" : `${skew} s ${ahead > 0 ? "ahead of" : "behind"} this machine`;
  if (skew <= SKEW_SECONDS) return { id: "clock", status: "ok", found };
  return { id: "clock", status: "note", found, cost: "Modification times are those of its clock." };
}

function space(facts: Facts, cwd: string): readonly DoctorFinding[] {
  const all = (facts.get("space") ?? []).flatMap((line) => {
    const [at = "", free, whole] = line.split(" ");
    const [freeKib, allKib] = [countIn(free), countIn(whole)];
    if (freeKib === undefined || allKib === undefined) return [];
    return [{ at: at === "." ? cwd : at, freeKib, allKib }];
  });
  const rows = all.filter(({ at }, index) => all.findIndex((one) => one.at === at) === index);
  if (rows.length === 0)
    return [{ id: "space", status: "note", found: "unknown: `df` is missing or does not print sizes" }];
  const found = rows.map(({ at, freeKib, allKib }) => `${gibText(freeKib)} of ${gibText(allKib)} free in ${at}`);
  const full = rows.filter(({ freeKib }) => freeKib < LITTLE_KIB);
  if (full.length === 0) return [{ id: "space", status: "ok", found: found.join(", ") }];
  const cost = "Writes fail when it is full, and so do commands whose output does not fit.";
  return [{ id: "space", status: "limits", found: found.join(", "), cost, next: "Free some space there." }];
}

function gibText(kib: number): string {
  return kib < 1024 * 1024 ? `${Math.round(kib / 1024)} MiB` : `${(kib / 1024 / 1024).toFixed(1)} GiB`;
}

function reaping(facts: Facts, isContainer: boolean): readonly DoctorFinding[] {
  if (!/\) Z/.test(facts.get("orphan")?.[0] ?? "")) return [];
  return [
    {
      id: "init",
      status: "note",
      found: "PID 1 does not collect ended processes",
      cost: "Background commands leave entries in the process table after they have ended.",
      ...(isContainer ? { next: "Start the container with `--init`." } : {}),
    },
  ];
}

const WITHOUT: readonly (readonly [flag: keyof BackendFlags, text: string])[] = [
  ["processes", "processes: commands run in a small shell of Haft's own"],
  ["symlinks", "symlinks and file modes"],
  ["jobs", "background commands"],
  ["detach", "commands that continue in the background when they take long"],
  ["signals", "signals other than as an exit code over 128"],
];

/** Without a directory of its own, a container or host works in all of its files, or in a home directory. */
function wholeMachine({ cwd, home, machine }: Backend): readonly DoctorFinding[] {
  if (machine === "local" || (cwd !== "/" && cwd !== home)) return [];
  const what = cwd === "/" ? "all of its files" : "the home directory";
  const next = "Name a directory: TARGET=/DIR, or `workspace` of the target in the configuration.";
  return [{ id: "whole", status: "note", found: `${what}: ${cwd}`, cost: "Calls may change anything in it.", next }];
}

/** Starts the terminal for a moment. The socket of a server of its own is another one each time. */
async function terminal(backend: Backend): Promise<readonly DoctorFinding[]> {
  if (backend.flags.terminal !== true) return [];
  try {
    const { attachCommand, createdSession } = (await backend.startTerminal?.()) ?? {};
    const command = attachCommand?.replace(/ -S \S+/, " -S SOCKET");
    if (createdSession !== undefined) {
      const found = `there is no tmux session "${createdSession}"; the first use of the terminal creates it`;
      const next = command === undefined ? {} : { next: `You can watch it then: \`${command}\`` };
      return [{ id: "terminal", status: "note", found, ...next }];
    }
    if (command === undefined) return [];
    const where = command.includes(" -S SOCKET") ? "; `haft serve` and the tool `panes` print the SOCKET" : "";
    return [{ id: "terminal", status: "ok", found: `you can watch it: \`${command}\`${where}` }];
  } catch (error) {
    const cost = "Calls of the tools for panes fail.";
    return [{ id: "terminal", status: "limits", found: messageOf(error), cost }];
  }
}

function missing({ flags, guard }: Backend, hasTmux = true): DoctorFinding {
  const without = WITHOUT.filter(([flag]) => flags[flag] !== true).map(([, text]) => text);
  const has = [
    ...(flags.sandbox === true ? ["commands run in a sandbox"] : []),
    ...(flags.terminal === true && hasTmux ? ["it has a terminal"] : []),
    `files are ${guard} between check and use`,
  ];
  const found = `${has.join("; ")}${without.length === 0 ? "" : `; not supported: ${without.join(", ")}`}`;
  return { id: "features", status: "ok", found };
}
