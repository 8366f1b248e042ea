/** Reads arguments by type; a wrong type counts as absent. */

export type Arguments = Readonly<Record<string, unknown>>;

/** `decode` of a presenter that shows the tool's own schema: the pipeline has validated the arguments against it. */
export function asInput<Input>(args: Arguments): { readonly input: Input } {
  return { input: args as Input };
}

export function textArgument(args: Arguments, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" ? value : undefined;
}

export function numberArgument(args: Arguments, name: string): number | undefined {
  const value = args[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

export function booleanArgument(args: Arguments, name: string): boolean | undefined {
  const value = args[name];
  return typeof value === "boolean" ? value : undefined;
}

/** The members that are not undefined: optional input fields are absent, never undefined. */
export function omitUndefined<T extends object>(members: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  const kept = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [K in keyof T]: Exclude<T[K], undefined> };
}

/** The problem of a missing parameter, without a full stop; the pipeline completes the sentence. */
export function missing(parameter: string, accepts: string) {
  return { problem: `\`${parameter}\` is required (${accepts})`, parameter, missing: true } as const;
}

/** The arguments of a write that takes a path and a content, both of them text. */
export function pathAndContent(
  args: Arguments,
): { readonly input: { readonly path: string; readonly content: string } } | ReturnType<typeof missing> {
  const path = textArgument(args, "path");
  const content = textArgument(args, "content");
  if (path === undefined) return missing("path", "string");
  return content === undefined ? missing("content", "string") : { input: { path, content } };
}

/** A value as JSON, at most 60 characters. */
export function shownValue(value: unknown): string {
  const text = jsonOrName(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** Never throws, even if `toJSON` does. */
function jsonOrName(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}
