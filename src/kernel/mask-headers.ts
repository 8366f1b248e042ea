/** Hides credentials that arguments of a call carry as headers of a request, by their names: values have any form. */

const SECRET_HEADER =
  /^(?:(?:proxy-)?authorization|(?:set-)?cookie2?|x-(?:.+-)?key|(?:.+-)?(?:api-?key|token|secret|session(?:-id)?))$/i;
/** Names that arguments have too, such as the name of a secret. */
const ARGUMENTS = ["secret", "session", "token"];
/** A shorter value is not a secret, and may be all that explains an error. */
const MIN_LENGTH = 4;

/** Whether the value of a header of this name, sent or received, is a credential. */
export function isSecretHeader(name: string): boolean {
  return SECRET_HEADER.test(name);
}

/**
 * A copy of plain data in which the values of such headers are replaced: members of an object, and pairs of a name and a value.
 *
 * @param onHidden - Called with each value.
 */
export function maskHeaders(value: unknown, onHidden: (text: string) => void = () => {}): unknown {
  const masked = (name: unknown, text: unknown): unknown => {
    if (typeof name !== "string" || ARGUMENTS.includes(name) || !isSecretHeader(name))
      return maskHeaders(text, onHidden);
    if (Array.isArray(text)) return text.map((one) => masked(name, one));
    if (typeof text !== "string" || text.length < MIN_LENGTH) return maskHeaders(text, onHidden);
    onHidden(text);
    return `⟦redacted:${name.toLowerCase()}⟧`;
  };
  if (Array.isArray(value)) {
    const [name, text] = value as readonly unknown[];
    if (value.length === 2 && typeof text === "string") return [maskHeaders(name, onHidden), masked(name, text)];
    return value.map((one) => maskHeaders(one, onHidden));
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, masked(name, member)]));
}
