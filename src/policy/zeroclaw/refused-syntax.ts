/** Shell syntax that no list of programs sees through. */

/** `2>&1`, `>&2`, `>/dev/null` and the like: what such a redirection writes to keeps nothing. */
const HARMLESS_OUTPUT = /^(?:&\d+(?![\w/.-])|&?>?[|]?\s*\/dev\/(?:null|stdout|stderr|zero)(?![\w/.-]))/;

const EXPANSION = /^\$[\w{(@*#?!$-]/;

/**
 * Whether the text has a command substitution, an expansion outside single quotes, a redirection of output to a file or of input
 * from one, a process substitution, or a command in the background. Here-documents pass.
 */
export function hasRefusedSyntax(command: string): boolean {
  let isQuoted = false;
  for (let index = 0; index < command.length; index++) {
    const char = command[index];
    if (char === "\\") index++;
    else if (char === "'" && !isQuoted) {
      const end = command.indexOf("'", index + 1);
      if (end === -1) return true;
      index = end;
    } else if (char === '"') isQuoted = !isQuoted;
    else if (char === "`" || (char === "$" && isExpansion(command.slice(index, index + 2), isQuoted))) return true;
    else if (!isQuoted && (char === ">" || char === "<" || char === "&")) {
      const length = lengthOfHarmless(command.slice(index));
      if (length === 0) return true;
      index += length - 1;
    }
  }
  return isQuoted;
}

function isExpansion(text: string, isQuoted: boolean): boolean {
  return EXPANSION.test(text) || (!isQuoted && /^\$['"]/.test(text));
}

/** Of an operator that begins with `>`, `<` or `&`; 0 for one that is refused. */
function lengthOfHarmless(rest: string): number {
  if (rest.startsWith("&&")) return 2;
  if (rest.startsWith("<<<")) return 3;
  if (rest.startsWith("<<")) return 2;
  if (/^<&\d/.test(rest)) return 2;
  const operator = /^&?>/.exec(rest)?.[0];
  if (operator === undefined) return 0;
  const target = HARMLESS_OUTPUT.exec(rest.slice(operator.length))?.[0];
  return target === undefined ? 0 : operator.length + target.length;
}
