/** Dialects by the names that users type. */
import { haftDialect } from "../dialects/haft/haft-dialect.js";
import { type Dialect, HaftError } from "../kernel/index.js";
import { nearestNames } from "../text/index.js";

// Only the default is loaded at once: a program that speaks one dialect does not wait for the others.
const DIALECTS = {
  haft: async () => haftDialect,
  indusagi: async () => (await import("../dialects/indusagi/indusagi-dialect.js")).indusagiDialect,
  "indusagi-python": async () =>
    (await import("../dialects/indusagi/indusagi-dialect.js")).indusagi({ edition: "python" }),
  zeroclaw: async () => (await import("../dialects/zeroclaw/zeroclaw-dialect.js")).zeroclawDialect,
  buddy: async () => (await import("../dialects/buddy/buddy-dialect.js")).buddyDialect,
} as const satisfies Readonly<Record<string, () => Promise<Dialect>>>;

/** A dialect of Haft. */
export type DialectName = keyof typeof DIALECTS;

/** The names that `dialectNamed` takes. */
export const DIALECT_NAMES: readonly DialectName[] = Object.freeze(Object.keys(DIALECTS) as DialectName[]);

/** The dialect of this name. Rejects with `CONFIG_INVALID` and the names that there are. */
export async function dialectNamed(name: DialectName | (string & {})): Promise<Dialect> {
  const make = Object.hasOwn(DIALECTS, name) ? DIALECTS[name as DialectName] : undefined;
  if (make !== undefined) return make();
  const nearest = nearestNames(name, DIALECT_NAMES, 1)[0];
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw new HaftError(
    "CONFIG_INVALID",
    `There is no dialect "${name}".${hint} Use one of ${DIALECT_NAMES.join(", ")}.`,
  );
}
