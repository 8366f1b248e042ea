/** What a row has to reach. `met` is undefined where the side to compare with is not there. */

const has = (...sides) => sides.every((side) => side !== undefined && side.failed === undefined);
const shownRatio = (value) => `${value.toFixed(value < 10 ? 2 : 0)}x`;

/** Wall (or `of: "cpuMs"`) of `side` at most `factor` times that of `beside`; `plusMs` more where that is under 100 ms. */
export function atMostTimes(factor, { beside = "raw", side = "ours", of = "wallMs", plusMs = 0, name } = {}) {
  const word = of === "cpuMs" ? "CPU" : "wall";
  const slack = plusMs === 0 ? "" : ` (+${plusMs} ms under 100 ms)`;
  return {
    text: `${word} ≤ ${factor}x ${name ?? (beside === "raw" ? "raw" : beside)}${slack}`,
    judge(sides) {
      const [anchor, mine] = [sides[beside], sides[side]];
      if (!has(anchor, mine)) return { shown: "nothing to compare with" };
      const limit = anchor[of] * factor + (anchor.wallMs < 100 ? plusMs : 0);
      return { met: mine[of] <= limit, shown: shownRatio(mine[of] / anchor[of]) };
    },
  };
}

/** `side` is at least `factor` times as fast as `beside`, or takes so much less CPU. */
export function atLeastTimes(factor, { beside, side = "ours", of = "wallMs", name = beside } = {}) {
  return {
    text: `${of === "cpuMs" ? "CPU" : "speed"} ≥ ${factor}x ${of === "cpuMs" ? "less than " : ""}${name}`,
    judge(sides) {
      if (!has(sides[beside], sides[side])) return { shown: "nothing to compare with" };
      const ratio = sides[beside][of] / sides[side][of];
      return { met: ratio >= factor, shown: shownRatio(ratio) };
    },
  };
}

/** A figure of `side` at most so much; `of` may be a key or a function of the side. */
export function atMost(limit, { of = "wallMs", unit = "ms", what = "", side = "ours" } = {}) {
  return {
    text: `${what === "" ? "" : `${what} `}≤ ${limit} ${unit}`,
    judge(sides) {
      if (!has(sides[side])) return { met: false, shown: "failed" };
      const value = typeof of === "function" ? of(sides[side]) : sides[side][of];
      return { met: value <= limit, shown: `${value < 10 ? value.toFixed(2) : Math.round(value)} ${unit}` };
    },
  };
}

export const memory = (limit) => atMost(limit, { of: "peakMb", unit: "MB", what: "memory" });

/** At most so many milliseconds more than the raw tool. */
export function atMostMore(limit, beside = "raw") {
  return {
    text: `≤ ${beside} + ${limit} ms`,
    judge(sides) {
      if (!has(sides[beside], sides.ours)) return { shown: "nothing to compare with" };
      const more = sides.ours.wallMs - sides[beside].wallMs;
      return { met: more <= limit, shown: `+${more.toFixed(1)} ms` };
    },
  };
}

/** The answer itself is right: the row fails by what its run has said. */
export const right = {
  text: "right",
  judge: (sides) => ({ met: has(sides.ours) && sides.ours.wrong !== true, shown: sides.ours.say ?? "" }),
};
