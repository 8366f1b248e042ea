/** Programs that print about the machine, its users and its processes. */
import { hasOption } from "../call-options.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";

const READS: ProgramSpec = {};
const PRINTS: ProgramSpec = { operands: "text*" };

export const MACHINE: ProgramTable = {
  date: {
    operands: "text*",
    options: {
      "-d --date --rfc-3339 -v": "text",
      "-I --iso-8601": "text glued",
      "-f --file": "read",
      "-r --reference": "read",
      "-s --set": "high text",
      "-j": "",
    },
    info: "",
    judge: setsClock,
  },
  cal: PRINTS,
  ncal: PRINTS,
  uname: PRINTS,
  arch: PRINTS,
  nproc: PRINTS,
  uptime: PRINTS,
  hostname: { operands: "text*", options: { "-F --file": "high read", "-b --boot": "high" }, judge: setsName },
  hostnamectl: {
    does: "medium",
    operands: "text*",
    commands: { status: PRINTS },
    otherwise: { does: "high", operands: "text*" },
  },
  whoami: PRINTS,
  id: PRINTS,
  groups: PRINTS,
  who: READS,
  w: PRINTS,
  users: READS,
  last: { options: { "-n -p -s -t": "text", "-f": "read" } },
  logname: PRINTS,
  tty: PRINTS,
  getconf: PRINTS,
  getent: { operands: "text*", judge: asksNameServer },
  locale: PRINTS,
  printenv: PRINTS,
  free: { operands: "text*", options: { "-s -c": "text" } },
  vmstat: PRINTS,
  iostat: PRINTS,
  lscpu: PRINTS,
  lsblk: PRINTS,
  lsmod: PRINTS,
  lsusb: PRINTS,
  lspci: PRINTS,
  lsof: { operands: "read*", options: { "-i -p -u -c -g -d -F -s -a": "text", "+D +d": "read", "-D": "medium" } },
  ps: { operands: "text*", judge: printsEnvironments },
  pgrep: PRINTS,
  pidof: PRINTS,
  pstree: PRINTS,
  top: { operands: "text*", options: { "-n -d -p -u -o": "text" } },
  htop: PRINTS,
  ss: { operands: "text*", options: { "-K --kill": "high", "-D --diag": "write", "-F --filter": "read" } },
  netstat: PRINTS,
  ifconfig: { operands: "text*", judge: setsInterface },
  dmesg: {
    operands: "text*",
    options: {
      "-C --clear -c --read-clear -D --console-off -E --console-on -n --console-level": "high",
      "-F --file -K --kmsg-file": "read",
      "-f --facility -l --level --since --until --time-format": "text",
    },
  },
  journalctl: {
    operands: "text*",
    options: {
      "-u --unit -n --lines -S --since -U --until -p --priority -o --output -g --grep -t": "text",
      "-D --directory -i --file --root --image": "read",
      "--cursor-file": "medium change",
      "-M --machine": "high text",
      "--rotate --vacuum-size --vacuum-time --vacuum-files --flush --sync --relinquish-var --smart-relinquish-var --setup-keys --update-catalog":
        "high",
    },
  },
  sw_vers: PRINTS,
  sysctl: {
    operands: "text*",
    options: { "-w --write -p --load -f --system": "high", "-r --pattern": "text" },
    judge: setsParameter,
  },
  vm_stat: PRINTS,
};

function asksNameServer({ parsed, facts }: ProgramCall): void {
  const [database, ...keys] = parsed.operands;
  const isLocal =
    database !== undefined &&
    /^(passwd|group|shadow|gshadow|services|protocols|rpc|aliases|initgroups)$/.test(database.value);
  if (isLocal || (database?.isUnresolved !== true && keys.length === 0)) return;
  facts.connects(undefined);
  facts.raise("medium", "asks a name server");
}

/** The options of `ps` whose value may be the next word. */
const PS_VALUES = { BSD: "OUkopqt", POSIX: "CGOUgopqstu" };
const PS_LONG = /^--(pid|ppid|quick-pid|sort|format|user|User|group|Group|tty|sid|cols|columns|lines|rows|width)$/;

/** In options without a hyphen `e` adds the environment of each process, as `-E` does on macOS. */
function printsEnvironments({ args, facts }: ProgramCall): void {
  let isValue = false;
  for (const { value, isUnresolved, text } of args) {
    const isTaken = isValue && !value.startsWith("-");
    isValue = PS_LONG.test(value);
    if (/environ/i.test(value)) facts.raise("medium", "prints the environment of processes");
    if (isTaken || value.startsWith("--")) continue;
    if (isUnresolved) facts.problem("unresolved", `\`${text}\` is not known before the command runs`);
    const isBsd = !value.startsWith("-");
    const values = isBsd ? PS_VALUES.BSD : PS_VALUES.POSIX;
    const end = [...value].findIndex((letter) => values.includes(letter));
    const flags = end === -1 ? value : value.slice(0, end);
    // `-aux` is read as `aux` where there is no user `x`.
    const isRead = isBsd ? flags.includes("e") : flags.includes("E") || /u.*e/.test(value);
    if (isRead) facts.raise("medium", "prints the environment of processes");
    isValue = end !== -1 && end === value.length - 1;
  }
}

/** A word that does not begin with `+` is the time to set. With `-j` of macOS it is only shown. */
function setsClock(call: ProgramCall): void {
  if (hasOption(call, "-j")) return;
  for (const word of call.parsed.operands) {
    if (word.prefix.startsWith("+")) continue;
    if (word.isUnresolved) call.facts.unresolved(word);
    else call.facts.raise("high", "sets the clock");
  }
}

function setsParameter({ parsed, facts }: ProgramCall): void {
  for (const word of parsed.operands) {
    if (word.isUnresolved) facts.unresolved(word);
    else if (word.value.includes("=")) facts.raise("high", "sets a parameter of the kernel");
  }
}

function setsName({ parsed, facts }: ProgramCall): void {
  if (parsed.operands.length > 0) facts.raise("high", "sets the name of the machine");
}

function setsInterface({ parsed, facts }: ProgramCall): void {
  if (parsed.operands.length > 1) facts.raise("high", "changes a network interface");
}
