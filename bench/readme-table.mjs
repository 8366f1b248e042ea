/** The short table of the README, five rows: one column for each peer, medians, and how many times Haft's. */
import { ms, ratio } from "./figures.mjs";
import { markdown } from "./report.mjs";

const PEERS = {
  pi: "pi",
  gemini: "Gemini CLI",
  filesystem: "server-filesystem¹",
  commander: "Desktop Commander¹",
  opencode: "opencode²",
};
const NOTE =
  "In brackets: how many times Haft's figure in the same form. ¹ over MCP, beside Haft over MCP. ² as a program, one process a call, beside `haft call`.";

/** What is compared, and its case in each form. */
const ROWS = [
  ["search 20,000 files, 20 hits", { library: "grep-rare", mcp: "mcp-grep", program: "program-grep" }],
  ["read the last 100 lines of 1 GiB", { library: "read-last", mcp: "mcp-read-last" }],
  ["edit one line of 10 MB", { library: "edit-exact", mcp: "mcp-edit" }],
  ["run `true`", { library: "bash-true", mcp: "mcp-bash", program: "program-bash" }],
];
/** Cases whose run is so many calls. */
const EACH = { "bash-true": 200, "mcp-bash": 10 };
const FORMS = { pi: "library", gemini: "library", filesystem: "mcp", commander: "mcp", opencode: "program" };
const MARKS = { library: "", mcp: "¹", program: "²" };

export function readmeTable({ results }) {
  const all = new Map(results.map(({ id, sides }) => [id, each(sides, EACH[id] ?? 1)]));
  const used = Object.keys(PEERS).filter((name) => results.some(({ sides }) => sides[name] !== undefined));
  const rows = ROWS.map(([what, ids]) => [what, mapped(ids, (id) => all.get(id))])
    .filter(([, forms]) => Object.keys(forms).length > 0)
    .map(([what, forms]) => rowOf(what, forms, used));
  const tools = all.get("mcp-tools");
  if (tools !== undefined) rows.push(tokensRow(tools, used));
  return `${markdown(["", "raw tool", "Haft", ...used.map((name) => PEERS[name])], rows)}\n\n${NOTE}`;
}

function rowOf(what, forms, used) {
  const { library } = forms;
  const ours = Object.entries(forms).map(([form, sides]) => `${time(sides.ours)}${MARKS[form]}`);
  const theirs = used.map((name) => beside(forms[FORMS[name]]?.[name], forms[FORMS[name]]?.ours));
  return [what, library?.raw === undefined ? "" : time(library.raw), ours.join(", "), ...theirs];
}

function mapped(ids, of) {
  return Object.fromEntries(
    Object.entries(ids)
      .map(([form, id]) => [form, of(id)])
      .filter(([, sides]) => sides !== undefined),
  );
}

/** The sides with the wall of one of `count` calls. */
function each(sides, count) {
  return Object.fromEntries(
    Object.entries(sides).map(([name, side]) => [name, { ...side, wallMs: side.wallMs / count }]),
  );
}

function tokensRow(sides, used) {
  const mine = sides.ours.values.tokens;
  const cellOf = (name) => {
    const value = sides[name]?.values?.tokens;
    if (value === undefined) return "";
    return `${Math.round(value).toLocaleString("en")}${name === "ours" ? "" : ` (${ratio(value / mine)})`}`;
  };
  return ["tokens of the MCP `tools/list` answer", "", ...["ours", ...used].map(cellOf)];
}

function time({ failed, wallMs }) {
  if (failed !== undefined) return "fails";
  if (wallMs < 1) return `${(wallMs * 1000).toFixed(0)} µs`;
  return wallMs < 1_000 ? `${ms(wallMs)} ms` : `${(wallMs / 1000).toFixed(1)} s`;
}

/** A peer's figure and how many times ours it is, or that it cannot, or cannot rightly. */
function beside(side, ours) {
  if (side === undefined) return "";
  if (side.failed?.startsWith("not offered")) return "–";
  if (side.failed?.startsWith("not done")) return `> ${side.wallMs / 1000} s`;
  if (side.failed !== undefined) return "fails";
  const why = side.wrong ? `, ${side.say}` : "";
  return `${time(side)} (${ratio(side.wallMs / ours.wallMs)})${why}`;
}
