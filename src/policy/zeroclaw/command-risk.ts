/** The risk of a command by ZeroClaw's lists. */
import type { Risk } from "../../kernel/index.js";
import type { CommandJudgement, CommandSegment } from "../commands/index.js";
import { programsOf, subcommandOf } from "./allowed-commands.js";

const HIGH: ReadonlySet<string> = new Set([
  ...["rm", "mkfs", "dd", "shutdown", "reboot", "halt", "poweroff", "sudo", "su", "chown", "chmod", "useradd"],
  ...["userdel", "usermod", "passwd", "mount", "umount", "iptables", "ufw", "firewall-cmd", "curl", "wget", "nc"],
  ...["ncat", "netcat", "scp", "ssh", "ftp", "telnet", "del", "rmdir", "format", "reg", "net", "runas", "icacls"],
  ...["takeown", "powershell", "pwsh", "wmic", "sc", "netsh"],
]);

const MEDIUM: ReadonlySet<string> = new Set([
  ...["touch", "mkdir", "mv", "cp", "ln", "copy", "xcopy", "robocopy", "move", "ren", "rename", "mklink"],
]);

const PACKAGE_CHANGES = ["install", "add", "remove", "uninstall", "update", "publish"];

const MEDIUM_SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = {
  git: [
    ...["commit", "push", "reset", "clean", "rebase", "merge", "cherry-pick", "revert", "branch", "checkout"],
    ...["switch", "tag"],
  ],
  npm: PACKAGE_CHANGES,
  pnpm: PACKAGE_CHANGES,
  yarn: PACKAGE_CHANGES,
  cargo: ["add", "remove", "install", "clean", "publish"],
};

const FORK_BOMB = /:\s*\(\s*\)\s*\{/;

/** What makes the risk: the first of the parts of a command with the highest one. */
export interface CommandRisk {
  readonly risk: Risk;
  /** A sentence. */
  readonly why: string;
}

/** The highest risk that the lists or Haft's own analysis give to a part of the command. */
export function riskOf(command: string, { segments, risk, problems }: CommandJudgement): CommandRisk {
  if (FORK_BOMB.test(command)) return { risk: "high", why: "It starts copies of itself without end." };
  const all = segments.map((segment) => riskOfSegment(segment));
  const [problem] = problems;
  if (problem !== undefined) all.push({ risk, why: `\`${problem.text}\`: ${problem.detail}.` });
  const found = (wanted: Risk) => all.find((one) => one.risk === wanted);
  return found("high") ?? found("medium") ?? { risk, why: "It only reads." };
}

function riskOfSegment(segment: CommandSegment): CommandRisk {
  const { text, program, risk, reason } = segment;
  const listed = listedRisk(segment);
  if (listed === "low" || risk === "high" || risk === listed) return { risk, why: `\`${text}\` ${reason}.` };
  return { risk: listed, why: `\`${text}\`: \`${program}\` is listed as ${listed} risk.` };
}

function listedRisk(segment: CommandSegment): Risk {
  const names = programsOf(segment).map((name) => name.toLowerCase().split("/").at(-1) ?? name);
  if (names.some((name) => HIGH.has(name))) return "high";
  const program = names.at(-1) ?? "";
  const verbs = Object.hasOwn(MEDIUM_SUBCOMMANDS, program) ? (MEDIUM_SUBCOMMANDS[program] ?? []) : [];
  return MEDIUM.has(program) || verbs.includes(subcommandOf(segment) ?? "") ? "medium" : "low";
}
