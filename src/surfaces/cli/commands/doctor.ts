/** `haft doctor`: checks the installation, the configuration and the state directory. */
import type { Command } from "commander";
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import { haftVersion } from "../../installed-package.js";
import { withConfigOptions, withExamples, withJsonOption, withTargetOption } from "../command-parts.js";
import { printJson, printNotice } from "../output.js";
import { EXIT } from "../usage.js";
import type { DoctorOptions } from "./doctor/doctor-findings.js";
import type { DoctorFinding } from "./doctor/finding.js";

export function addDoctorCommand(program: Command): void {
  withExamples(
    withJsonOption(
      withTargetOption(
        withConfigOptions(
          program
            .command("doctor")
            .description("check what is installed and configured, and what is missing; opens each target")
            .option("--state <dir>", "the state directory to check")
            .option("--store <url>", "the PostgreSQL database to check"),
        ),
      ),
    ),
    "haft doctor",
    "haft doctor --json",
    "haft doctor --on local --on posix:dash=$HOME/project",
    "haft doctor --on ssh:build@host",
  )
    .addHelpText("after", "\nExit status: 0 Haft works, 1 a problem stops it from working.")
    .action(async (options: DoctorOptions & { readonly json?: boolean }) => {
      process.exitCode = await printFindings(options);
    });
}

async function printFindings(options: DoctorOptions & { readonly json?: boolean }): Promise<number> {
  const { doctorFindings } = await import("./doctor/doctor-findings.js");
  const version = haftVersion();
  const isText = options.json !== true;
  let title = `${pc.bold(`Haft ${version}`)}\n\n`;
  const onOpening = () => {
    if (isText && process.stderr.isTTY)
      printNotice("opening the targets; one that does not answer takes 10 s or more.");
  };
  const findings: DoctorFinding[] = [];
  for await (const group of doctorFindings(options, onOpening)) {
    findings.push(...group);
    if (isText) process.stdout.write(title + group.map((one) => `${findingText(one)}\n`).join(""));
    title = "";
  }
  const isWorking = findings.every(({ status }) => status !== "stops");
  if (isText) process.stdout.write(`\n${verdict(findings)}\n`);
  else printJson({ version, isWorking, findings });
  return isWorking ? EXIT.ok : EXIT.errorResult;
}

const STATUS_SYMBOLS: Readonly<Record<DoctorFinding["status"], (text: string) => string>> = {
  ok: pc.green,
  note: pc.cyan,
  limits: pc.yellow,
  stops: pc.red,
};
const SYMBOL_WIDTH = 6;
const ID_WIDTH = 10;

function findingText({ id, status, found, target, cost, next }: DoctorFinding): string {
  const indent = " ".repeat(SYMBOL_WIDTH + ID_WIDTH + 4);
  const head = `${STATUS_SYMBOLS[status](status.padEnd(SYMBOL_WIDTH))}  ${target === undefined ? pc.bold(id.padEnd(ID_WIDTH)) : `  ${id}`.padEnd(ID_WIDTH)}  `;
  const [first = "", ...more] = [found, cost, next]
    .filter((text) => text !== undefined)
    .join("\n")
    .split("\n")
    .map(showControls);
  return [head + first, ...more.map((line) => indent + line)].join("\n");
}

function verdict(findings: readonly DoctorFinding[]): string {
  const count = (status: DoctorFinding["status"]): number => findings.filter((one) => one.status === status).length;
  const [stops, limits] = [count("stops"), count("limits")];
  if (stops > 0) return pc.red(`Haft does not work: ${stops} ${stops === 1 ? "problem" : "problems"}.`);
  if (limits > 0) return `Haft works, with ${limits} ${limits === 1 ? "limitation" : "limitations"}.`;
  return pc.green("Haft works.");
}
