/** Programs that change the machine: packages, services, users, processes, devices. */
import { hasOption } from "../call-options.js";
import type { ProgramSpec, ProgramTable } from "../program-spec.js";
import { everywhere } from "./everywhere.js";

const LOOKS: ProgramSpec = { operands: "text*" };
const high = (why: string): ProgramSpec => ({ does: "high", why, operands: "maybe*" });

/** A package manager of the system: some verbs show, the others change the machine. */
const packages = (reads: string): ProgramSpec => ({
  info: "--version -v --help -h",
  operands: "text*",
  // Other options, such as `-o` of apt, can name programs.
  commands: {
    [reads]: {
      closed: true,
      operands: "text*",
      options: {
        "-a -n -q -qq -v -vv -1 -l -r --installed --upgradable --all-versions --names-only --versions --cask --formula --full-name --json":
          "",
      },
    },
  },
  otherwise: { does: "high network", why: "changes the packages of the machine", operands: "maybe*" },
});

const POWER = high("stops the machine");
const ACCOUNTS = high("changes users of the machine");
const MODULES = high("changes the kernel");
const MOUNTS = high("changes what paths mean");
const SIGNALS: ProgramSpec = {
  does: "medium",
  why: "sends a signal to processes",
  operands: "text*",
  options: { "-l --list -L": "" },
};

export const SYSTEM: ProgramTable = {
  apt: packages("list search show policy depends rdepends"),
  "apt-get": packages("check"),
  "apt-cache": packages("search show showpkg policy depends rdepends stats pkgnames"),
  dpkg: {
    operands: "text*",
    judge: ({ facts, parsed }) => {
      const isShown =
        parsed.options.length > 0 &&
        parsed.options.every(({ name }) =>
          /^(-l|-L|-s|-S|-p|--list|--listfiles|--status|--search|--print-architecture)$/.test(name),
        );
      if (!isShown) facts.raise("high", "changes the packages of the machine");
    },
  },
  "dpkg-query": LOOKS,
  yum: packages("repolist"),
  dnf: packages("repolist"),
  rpm: {
    operands: "text*",
    closed: true,
    options: {
      "--qf --queryformat": "text",
      "-q --query -a --all -i -l -f -c -d -R -V -s --list --info --changelog": "",
    },
    judge: (call) => {
      if (!hasOption(call, "-q", "--query", "-V")) call.facts.raise("high", "changes the packages of the machine");
    },
  },
  apk: packages("info search list stats"),
  pacman: high("changes the packages of the machine"),
  zypper: packages("repos"),
  brew: packages("list ls config deps leaves uses"),
  port: packages("list search info installed"),
  snap: packages("list"),
  flatpak: packages("list"),
  nix: high("changes the packages of the machine"),
  "nix-shell": { does: "high workspace network", operands: "text*" },
  asdf: packages("list current where which"),
  mise: { does: "medium workspace network", operands: "text*", stopsAtOperand: true },
  systemctl: everywhere({
    info: "--version --help",
    operands: "text*",
    options: {
      "-t --type -p --property -n --lines -o --output --state": "text",
      "-H --host -M --machine": "high text",
    },
    commands: {
      "status show list-units list-unit-files list-timers list-sockets is-active is-enabled is-failed cat list-dependencies get-default":
        LOOKS,
    },
    otherwise: { does: "high", why: "changes services", operands: "text*" },
  }),
  service: { does: "high", why: "changes services", operands: "text*", options: { "--status-all": "" } },
  launchctl: high("changes services"),
  crontab: {
    does: "high",
    why: "changes scheduled commands",
    operands: "read",
    options: { "-u": "text" },
    info: "-l --version",
  },
  at: high("schedules a command"),
  batch: high("schedules a command"),
  killall: SIGNALS,
  pkill: { ...SIGNALS, options: { ...SIGNALS.options, "-u -U -P -t -g -s -G": "text", "-F --pidfile": "read" } },
  xkill: SIGNALS,
  fuser: { operands: "read*", options: { "-k --kill": "high", "-n -s": "text" } },
  renice: { does: "medium", operands: "text*" },
  shutdown: POWER,
  reboot: POWER,
  halt: POWER,
  poweroff: POWER,
  init: POWER,
  telinit: POWER,
  useradd: ACCOUNTS,
  userdel: ACCOUNTS,
  usermod: ACCOUNTS,
  adduser: ACCOUNTS,
  deluser: ACCOUNTS,
  groupadd: ACCOUNTS,
  groupdel: ACCOUNTS,
  passwd: ACCOUNTS,
  chpasswd: ACCOUNTS,
  chsh: ACCOUNTS,
  visudo: ACCOUNTS,
  mount: { ...MOUNTS, info: "--version --help -l" },
  umount: MOUNTS,
  losetup: MOUNTS,
  swapon: MOUNTS,
  swapoff: MOUNTS,
  insmod: MODULES,
  rmmod: MODULES,
  modprobe: MODULES,
  setenforce: MODULES,
  "update-alternatives": high("changes which program a name means"),
  ldconfig: high("changes which libraries programs load"),
  defaults: {
    does: "high",
    operands: "text*",
    commands: { read: { operands: "maybe*" } },
    otherwise: high("changes settings of the machine"),
  },
  open: high("starts the program of a file type"),
  "xdg-open": high("starts the program of a file type"),
  pbcopy: { does: "medium", why: "changes the clipboard", operands: "text*" },
  pbpaste: { does: "medium", why: "reads the clipboard", operands: "text*" },
  xclip: { does: "medium", operands: "read*" },
  xsel: { does: "medium", operands: "text*" },
  // Even a list may run commands: in its format, or after a semicolon.
  tmux: { does: "high", why: "starts commands in a terminal", operands: "text*", info: "-V" },
  screen: { does: "high", why: "starts commands in a terminal", operands: "text*", info: "-v --version -ls" },
  gdb: { does: "high", why: "runs a program and commands", operands: "script maybe*" },
  lldb: { does: "high", why: "runs a program and commands", operands: "script maybe*" },
  haft: { does: "high", why: "changes what calls may do", operands: "maybe*", info: "--version --help" },
};
