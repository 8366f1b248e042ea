/** The short table of the README: one column for each peer, medians, and how many times Haft's. */
import { ms, ratio } from "./figures.mjs";
import { markdown } from "./report.mjs";

const PEERS = { pi: "pi", gemini: "Gemini CLI", filesystem: "server-filesystem¹", commander: "Desktop Commander¹" };

/** What is compared, the row as a library, and the one over MCP. */
const ROWS = [
  ["search 20,000 files, 20 hits", "grep-rare", "mcp-grep"],
  ["search a log of 1 GiB, 9 hits", "grep-log", undefined],
  ["a name that none of 200,000 files has", "find-none", "mcp-find"],
  ["last 100 lines of 1 GiB", "read-last", "mcp-read-last"],
  ["100 lines in the middle of 1 GiB, again", "read-middle", "mcp-read-middle"],
  ["one edit of 10 MB", "edit-exact", "mcp-edit"],
  ["an edit with other blanks in 10 MB", "fuzzy-4", undefined],
  ["`true`, 200 times (over MCP 10 times)", "bash-true", "mcp-bash"],
  ["2 GiB of output", "bash-output", undefined],
  ["start an MCP server, list its tools", undefined, "mcp-start"],
  ["read a small file over MCP", undefined, "mcp-read"],
];

export function readmeTable({ results, install }) {
  const all = new Map(results.map((result) => [result.id, result.sides]));
  const rows = ROWS.map(([what, library, mcp]) => [what, all.get(library), all.get(mcp)])
    .filter(([, library, mcp]) => library !== undefined || mcp !== undefined)
    .map(([what, library, mcp]) => [
      what,
      library?.raw === undefined ? "" : time(library.raw),
      [library, mcp]
        .filter(Boolean)
        .map(({ ours }) => time(ours))
        .join("; MCP "),
      ...["pi", "gemini"].map((name) => beside(library?.[name], library?.ours)),
      ...["filesystem", "commander"].map((name) => beside(mcp?.[name], mcp?.ours)),
    ]);
  const tools = all.get("mcp-tools");
  if (tools !== undefined) rows.push(row("tokens of `tools/list`", tools, ({ values }) => values.tokens, ""));
  if (install !== undefined) {
    const sides = { ours: install.haft.whole, ...install.peers };
    rows.push(row("installed, MB", sides, ({ mb }) => mb, ""));
  }
  const note = "¹ over MCP, compared with Haft over MCP. In brackets: how many times Haft's figure.";
  return `${markdown(["", "raw tool", "Haft", ...Object.values(PEERS)], rows)}\n\n${note}`;
}

function row(what, sides, of) {
  const mine = of(sides.ours);
  const cellOf = (side) => {
    if (side === undefined || side.missing !== undefined || side.failed !== undefined) return "";
    const value = of(side);
    return `${Math.round(value).toLocaleString("en")}${side === sides.ours ? "" : ` (${ratio(value / mine)})`}`;
  };
  return [what, "", ...["ours", ...Object.keys(PEERS)].map((name) => cellOf(sides[name]))];
}

function time(side) {
  if (side.failed !== undefined) return "fails";
  return side.wallMs < 1
    ? `${(side.wallMs * 1000).toFixed(0)} µs`
    : side.wallMs < 10_000
      ? `${ms(side.wallMs)} ms`
      : `${(side.wallMs / 1000).toFixed(1)} s`;
}

/** A peer's figure and how many times ours it is, or that it cannot, or cannot rightly. */
function beside(side, ours) {
  if (side === undefined) return "";
  if (side.failed?.startsWith("not offered")) return "–";
  if (side.failed?.startsWith("not done")) return `> ${side.wallMs / 1000} s`;
  if (side.failed !== undefined) return "fails";
  const told = side.wrong ? `, ${side.say}` : "";
  return `${time(side)} (${ratio(side.wallMs / ours.wallMs)})${told}`;
}
