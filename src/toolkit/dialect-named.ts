/** Dialects by the names that people type. */
import { buddyDialect, haftDialect, indusagi, zeroclawDialect } from "../dialects/index.js";
import { type Dialect, HaftError } from "../kernel/index.js";
import { nearestNames } from "../text/index.js";

const DIALECTS: Readonly<Record<string, () => Dialect>> = {
  haft: () => haftDialect,
  indusagi: () => indusagi(),
  "indusagi-python": () => indusagi({ edition: "python" }),
  zeroclaw: () => zeroclawDialect,
  buddy: () => buddyDialect,
};

/** The names that `dialectNamed` takes. */
export const DIALECT_NAMES: readonly string[] = Object.freeze(Object.keys(DIALECTS));

/** The dialect of this name. @throws `CONFIG_INVALID` with the names that there are. */
export function dialectNamed(name: string): Dialect {
  const make = Object.hasOwn(DIALECTS, name) ? DIALECTS[name] : undefined;
  if (make !== undefined) return make();
  const nearest = nearestNames(name, DIALECT_NAMES, 1)[0];
  const hint = nearest === undefined ? "" : ` The nearest is "${nearest}".`;
  throw new HaftError(
    "CONFIG_INVALID",
    `There is no dialect "${name}".${hint} Take one of ${DIALECT_NAMES.join(", ")}.`,
  );
}
