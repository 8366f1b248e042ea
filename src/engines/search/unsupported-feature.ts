/** What other pattern languages have and the common one has not, so that every backend refuses it by the same name. */

const GROUPS: readonly (readonly [prefix: string, feature: string])[] = [
  ["(?=", "look-ahead"],
  ["(?!", "look-ahead"],
  ["(?<=", "look-behind"],
  ["(?<!", "look-behind"],
  ["(?>", "an atomic group"],
  ["(?#", "a comment group"],
  ["(?(", "a conditional group"],
  ["(?|", "a branch-reset group"],
  ["(?&", "a subroutine call"],
  ["(?R)", "recursion"],
  ["(?P=", "a back-reference"],
  ["(?P>", "a subroutine call"],
];

const ESCAPES: Readonly<Record<string, string>> = {
  k: "a back-reference",
  g: "a back-reference",
  G: "the anchor \\G",
  Z: "the anchor \\Z",
  K: "\\K",
  R: "\\R",
  X: "\\X",
  C: "\\C",
  h: "\\h",
  H: "\\H",
  N: "\\N",
};

/** The first feature in `source` that is not in the common language, by name; undefined when none is. Linear. */
export function unsupportedFeature(source: string): string | undefined {
  let isInClass = false;
  /** Where the latest quantifier ends, and where the latest brace opens. */
  let quantifierEnd = -1;
  let brace = -1;
  for (let at = 0; at < source.length; at += 1) {
    const sign = source[at] as string;
    if (sign === "\\") {
      const next = source[at + 1] ?? "";
      if (next === "Q") {
        const end = source.indexOf("\\E", at + 2);
        if (end === -1) return undefined;
        at = end + 1;
        continue;
      }
      if (!isInClass && /[1-9]/.test(next)) return "a back-reference";
      if (!isInClass && Object.hasOwn(ESCAPES, next)) return ESCAPES[next];
      at += 1;
    } else if (isInClass) {
      if (source.startsWith("[:", at)) at = Math.max(at, source.indexOf(":]", at) + 1);
      else if (sign === "]") isInClass = false;
    } else if (sign === "[") {
      isInClass = true;
      // A bracket right at the start of a class stands for itself.
      if (source[at + 1] === "^") at += 1;
      if (source[at + 1] === "]") at += 1;
    } else if (sign === "(") {
      const group = GROUPS.find(([prefix]) => source.startsWith(prefix, at));
      if (group !== undefined) return group[1];
    } else if (sign === "+" && at > 0 && quantifierEnd === at - 1) return "a possessive quantifier";
    else if (sign === "{") brace = at;
    else if (sign === "}") {
      if (brace !== -1 && COUNT.test(source.slice(brace, at + 1))) quantifierEnd = at;
      brace = -1;
    } else if ("*+?".includes(sign) && at > 0) quantifierEnd = at;
  }
  return undefined;
}

/** `{2}`, `{2,}` or `{2,5}`, whole. */
const COUNT = /^\{\d+(,\d*)?\}$/;
