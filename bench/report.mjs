/** The table of a bench run, with each goal met or missed by how much. */

const ms = (value) => (value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3));

export function report(about, results) {
  const head = [
    `Machine: ${about.machine}. Corpus: ${about.size}. Rounds: ${about.rounds}, interleaved; medians. Date: ${about.date}.`,
    `Command: \`${about.command}\``,
    "",
    "| case | raw: wall / CPU ms | Haft: wall / CPU ms | ratio wall | peak MB | goal | |",
    "| --- | --- | --- | --- | --- | --- | --- |",
  ];
  return [...head, ...results.map(rowOf)].join("\n");
}

function rowOf({ id, what, goal, sides, verdict }) {
  const { raw, ours, again } = sides;
  const pair = (side) => (side === undefined ? "–" : `${ms(side.wallMs)} / ${ms(side.cpuMs)}`);
  const ratio = raw === undefined ? "–" : `${(ours.wallMs / raw.wallMs).toFixed(2)}x`;
  const second = again === undefined ? "" : `; then ${pair(again)}`;
  const judged = verdict === undefined ? "" : verdict(sides) ? "met" : "**missed**";
  return `| ${id}: ${what} | ${pair(raw)} | ${pair(ours)}${second} | ${ratio} | ${ours.peakMb} | ${goal ?? ""} | ${judged} |`;
}
