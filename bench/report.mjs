/** The tables of a run, in Markdown, with each goal met or missed by how much. */
import { cell } from "./figures.mjs";
import { installGoals, installTable } from "./install-rows.mjs";

const TITLES = {
  raw: "raw",
  fd: "fd",
  plain: "plain loop",
  one: "one-tool server",
  ours: "Haft",
  pi: "pi",
  turndown: "turndown",
  gemini: "Gemini CLI",
  filesystem: "server-filesystem",
  commander: "Desktop Commander",
  opencode: "opencode",
};

const TABLES = {
  library: ["As a library, in one process", ["raw", "fd", "plain", "ours", "pi", "gemini", "turndown"]],
  mcp: ["Over MCP, on standard input and output", ["one", "ours", "filesystem", "commander"]],
  program: ["As a program, one process a call", ["ours", "opencode"]],
};

export function report({ about, results, install }) {
  const all = new Map(results.map((result) => [result.id, result]));
  const parts = [headOf(about)];
  for (const [table, [title, columns]] of Object.entries(TABLES)) {
    const rows = results.filter((result) => result.table === table);
    if (rows.length > 0) parts.push(`## ${title}`, tableOf(rows, columns, all));
  }
  if (install !== undefined) parts.push("## Installed", installTable(install, TITLES));
  parts.push("## Missed", missedOf(results, all, install));
  return parts.join("\n\n");
}

function headOf({ machine, date, size, rounds, command, load, versions, missing }) {
  return [
    `Machine: ${machine}. Load while it ran: ${load}. Corpus: ${size}. Date: ${date}. Command: \`${command}\`.`,
    `Rounds: ${rounds}, interleaved, each side in a process of its own; medians. A cell is wall ms / CPU ms (of the process and the children it has waited for) / most memory in MB (over MCP the server's).`,
    `Versions: ${versions.join(", ")}.`,
    ...missing.map((line) => `Not here: ${line}.`),
  ].join("\n\n");
}

function tableOf(rows, columns, all) {
  const used = columns.filter((column) => rows.some(({ sides }) => sides[column] !== undefined));
  const head = ["case", ...used.map((column) => TITLES[column]), "goals", ""];
  const lines = rows.map(({ id, what, unit, sides, goals }) => {
    const cells = used.map((column) => cell(sides[column], unit));
    const judged = goals.map((goal) => ({ goal, ...goal.judge(sides, all) }));
    const verdicts = judged
      .map(({ goal, shown }) => (goal.text === "right" ? "" : `${goal.text}: ${shown}`))
      .filter(Boolean);
    return [`**${id}** ${what}`, ...cells, verdicts.join("; "), verdictOf(judged)];
  });
  return markdown(head, lines);
}

function verdictOf(judged) {
  if (judged.some(({ met }) => met === false)) return "**missed**";
  if (judged.every(({ goal }) => goal.text === "right")) return "right";
  return judged.some(({ met }) => met) ? "met" : "";
}

function missedOf(results, all, install) {
  const lines = results.flatMap(({ id, sides, goals }) =>
    goals
      .map((goal) => ({ goal, ...goal.judge(sides, all) }))
      .filter(({ met }) => met === false)
      .map(({ goal, shown }) => `- **${id}**: ${shown} for a goal of ${goal.text}`),
  );
  const installed = install === undefined ? [] : installGoals(install.haft).filter(([, met]) => !met);
  lines.push(...installed.map(([text, , shown]) => `- **install**: ${shown} for a goal of ${text}`));
  return lines.length === 0 ? "Nothing." : lines.join("\n");
}

export function markdown(head, rows) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
