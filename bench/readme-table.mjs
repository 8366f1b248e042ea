/** The short table of the README: one column for each peer, medians, and how many times Haft's. */
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
  ["search a log of 1 GiB, 9 hits", { library: "grep-log" }],
  ["a name that none of 200,000 files has", { library: "find-none", mcp: "mcp-find" }],
  ["last 100 lines of 1 GiB", { library: "read-last", mcp: "mcp-read-last" }],
  ["100 lines in the middle of 1 GiB, again", { library: "read-middle", mcp: "mcp-read-middle" }],
  ["one edit of 10 MB", { library: "edit-exact", mcp: "mcp-edit" }],
  ["an edit with other blanks in 10 MB", { library: "fuzzy-4" }],
  ["run `true`", { library: "bash-true", mcp: "mcp-bash", program: "program-bash" }],
  ["2 GiB of output", { library: "bash-output" }],
  ["start an MCP server, list its tools", { mcp: "mcp-start" }],
  ["read a small file over MCP", { mcp: "mcp-read" }],
];
/** Cases whose run is so many calls. */
const EACH = { "bash-true": 200, "mcp-bash": 10 };
const FORMS = { pi: "library", gemini: "library", filesystem: "mcp", commander: "mcp", opencode: "program" };
const MARKS = { library: "", mcp: "¹", program: "²" };

export function readmeTable({ results, install }) {
  const all = new Map(results.map(({ id, sides }) => [id, each(sides, EACH[id] ?? 1)]));
  const used = Object.keys(PEERS).filter((name) => results.some(({ sides }) => sides[name] !== undefined));
  const rows = ROWS.map(([what, ids]) => [what, mapped(ids, (id) => all.get(id))])
    .filter(([, forms]) => Object.keys(forms).length > 0)
    .map(([what, forms]) => rowOf(what, forms, used));
  const tools = all.get("mcp-tools");
  if (tools !== undefined) rows.push(counts("tokens of `tools/list`", tools, ({ values }) => values?.tokens, used));
  if (install !== undefined) {
    const sides = { ours: install.haft.whole, ...install.peers };
    rows.push(counts("installed, MB", sides, ({ mb }) => mb, used));
  }
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

function counts(what, sides, of, used) {
  const mine = of(sides.ours);
  const cellOf = (name) => {
    const value = sides[name] === undefined ? undefined : of(sides[name]);
    if (value === undefined) return "";
    return `${Math.round(value).toLocaleString("en")}${name === "ours" ? "" : ` (${ratio(value / mine)})`}`;
  };
  return [what, "", ...["ours", ...used].map(cellOf)];
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
  const told = side.wrong ? `, ${side.say}` : "";
  return `${time(side)} (${ratio(side.wallMs / ours.wallMs)})${told}`;
}
