/** A copy of plain data with every text of it changed; keys and bytes stay. */
export function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  // A date, for one, is its text in JSON.
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") {
    return mapTexts((value as { toJSON(): unknown }).toJSON(), change);
  }
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapTexts(member, change)]));
}
