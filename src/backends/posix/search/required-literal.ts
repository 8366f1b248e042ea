/** A text that every match of a pattern contains, by which files can be selected before they are transferred. */

/** Shorter texts select too many files. */
const MIN_LENGTH = 3;

/**
 * The longest such text of ASCII letters, digits and signs within one line; "" if none is obvious. Only what stands outside of
 * groups and classes counts, so that no alternative and no flag can take it back.
 */
export function requiredLiteral(source: string): string {
  let best = "";
  let run = "";
  let depth = 0;
  const end = (): void => {
    if (run.length > best.length) best = run;
    run = "";
  };
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!;
    // An alternative outside of groups, and flags and quotes for the rest of the pattern.
    if ((character === "|" && depth === 0) || source.startsWith("(?", at) || source.startsWith("\\Q", at)) return "";
    if (character === "[") {
      at = endOfClass(source, at);
      if (at === -1) return "";
      end();
    } else if (character === "(" || character === ")") {
      depth += character === "(" ? 1 : -1;
      end();
    } else if (character === "\\") {
      const escaped = source[++at] ?? "";
      // Braces and digits belong to some escapes: nothing is known about what follows.
      if (/[pPx0-9]/.test(escaped)) return "";
      if (/[a-zA-Z]/.test(escaped) || depth > 0) end();
      else run += escaped;
    } else if ("*?{".includes(character)) {
      // What stands before may be absent.
      run = run.slice(0, -1);
      end();
      if (character === "{") at = Math.max(at, source.indexOf("}", at));
    } else if ("+.^$".includes(character) || depth > 0 || !/[ -~]/.test(character)) end();
    else run += character;
  }
  end();
  return best.length < MIN_LENGTH ? "" : best;
}

/** Where a class ends; -1 if it does not, or contains another one. */
function endOfClass(source: string, start: number): number {
  let at = source[start + 1] === "^" ? start + 2 : start + 1;
  // A bracket that comes first stands for itself.
  if (source[at] === "]") at++;
  for (; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") return -1;
    else if (source[at] === "]") return at;
  }
  return -1;
}
