/** How figures are written. */

/** Milliseconds with about three digits. */
export const ms = (value) => {
  if (value === undefined || Number.isNaN(value)) return "–";
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(value >= 1 ? 1 : 2);
};

export const ratio = (value) => `${value.toFixed(value < 10 ? 2 : 0)}x`;

/** One side of a row: wall / CPU / memory, or why there is none. */
export function cell(side, unit) {
  if (side === undefined) return "";
  if (side.failed !== undefined) return failure(side);
  const remark = side.say === undefined ? "" : side.wrong ? `, **${side.say}**` : `, ${side.say}`;
  if (side.wallMs === undefined) return side.say ?? "–";
  const once = side.once ? ", once" : "";
  if (unit === "call")
    return `${us(side.wallMs)} µs (${rate(side.wallMs)}/s) / ${us(side.cpuMs)} µs / ${side.peakMb}${remark}`;
  return `${ms(side.wallMs)} / ${ms(side.cpuMs)} / ${side.peakMb}${once}${remark}`;
}

/** Short enough for a cell, without the places of one machine. */
export function failure({ failed, wallMs }) {
  if (/^not offered/.test(failed)) return failed;
  if (/^not done/.test(failed)) return failed;
  const said = failed.replaceAll(/(?<![\w.])\/[\w./-]+/g, "…").replaceAll(/\s+/g, " ");
  return `fails after ${ms(wallMs)} ms: “${said.slice(0, 90)}”`.replaceAll("|", "\\|");
}

const us = (wallMs) => (wallMs === undefined ? "–" : (wallMs * 1000).toFixed(0));
const rate = (wallMs) => Math.round(1000 / wallMs).toLocaleString("en");
