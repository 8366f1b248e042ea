/** The redactor of a toolkit. */
import { HaftError, type Redactor } from "../kernel/index.js";
import { MIN_SECRET_LENGTH, type NamedSecret, secretRedactor, secretsIn } from "../policy/index.js";
import { secretsOfStoreUrl } from "../stores/index.js";
import type { ToolkitOptions } from "./toolkit-options.js";
import { webSecrets } from "./web-options.js";

/** @throws `CONFIG_INVALID` for `secrets` that are not an array, for a value in them that is too short, and for `secrets` beside a redactor of the host. */
export function redactorOf({ redactor, secrets = [], env = {}, web, store }: ToolkitOptions): Redactor | undefined {
  if (!Array.isArray(secrets)) throw invalidOption("`secrets` must be an array of strings, or of `{ name, value }`");
  const own = secrets.map(checkedSecret);
  if (redactor === undefined)
    return secretRedactor({ secrets: [...own, ...webSecrets(web), ...secretsIn(env).secrets, ...storeSecrets(store)] });
  if (own.length > 0)
    throw invalidOption(
      `\`secrets\` is for the default redactor. ${redactor === false ? "Remove `redactor: false`" : "Pass it to `secretRedactor` in your own"}`,
    );
  return redactor === false ? undefined : redactor;
}

/** A short password is not hidden: ordinary text would be too. */
function storeSecrets(store: string | undefined): readonly NamedSecret[] {
  const found = store === undefined ? [] : secretsOfStoreUrl(store);
  return found.filter(({ length }) => length >= MIN_SECRET_LENGTH).map((value) => ({ name: "store", value }));
}

function checkedSecret(secret: string | NamedSecret, index: number): NamedSecret {
  const named = typeof secret === "string" ? { name: "secret", value: secret } : secret;
  const length = typeof named?.value === "string" ? named.value.length : undefined;
  if (length === undefined || typeof named.name !== "string")
    throw invalidOption(`\`secrets[${index}]\` must be a string, or \`{ name, value }\``);
  if (length >= MIN_SECRET_LENGTH) return named;
  throw invalidOption(
    `\`secrets[${index}]\` has ${length} characters, and ordinary text would be hidden too. Use at least ${MIN_SECRET_LENGTH}`,
  );
}

function invalidOption(why: string): HaftError {
  return new HaftError("CONFIG_INVALID", `Did not make a toolkit: ${why}.`);
}
