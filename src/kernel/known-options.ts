import { nearestNames } from "../text/index.js";
import { HaftError } from "./errors.js";

/** A misspelt option would be ignored. @throws `CONFIG_INVALID` that names the option of `caller` and those there are. */
export function requireKnownOptions(caller: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const [nearest] = nearestNames(unknown, known, 1);
  const hint = nearest === undefined ? `Its options: ${known.join(", ")}.` : `Did you mean \`${nearest}\`?`;
  throw new HaftError("CONFIG_INVALID", `\`${caller}\` has no option \`${unknown}\`. ${hint}`, {
    details: { option: unknown },
  });
}

/** What takes a box is easily given the toolkit, or the promise of one. @throws `CONFIG_INVALID` that says what to pass. */
export function requireBox(caller: string, box: unknown): void {
  const { descriptors, runner, box: boxOf, then } = (box ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof descriptors === "function" && typeof runner === "object" && runner !== null) return;
  const given = typeof boxOf === "function" ? "the toolkit" : typeof then === "function" ? "a promise" : typeof box;
  const message = `\`${caller}\` needs a box: pass \`toolkit.box("coding")\`, not ${given}.`;
  throw new HaftError("CONFIG_INVALID", message, { details: { parameter: "box" } });
}
