/** Values of the environment in the entry of a server, so that no secret has to stand in a file. */
import type { ServerConfig } from "./config.js";

/** The server with every `${NAME}` of its texts replaced, or the names that are not set. Keys stay as they are. */
export function withVariables(
  server: ServerConfig,
  lookUp: (name: string) => string | undefined,
): { readonly server: ServerConfig } | { readonly missing: readonly string[] } {
  const missing = new Set<string>();
  const filled = (text: string): string =>
    text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const value = lookUp(name);
      if (value === undefined) missing.add(name);
      return value ?? "";
    });
  const inAll = (value: unknown): unknown => {
    if (typeof value === "string") return filled(value);
    if (Array.isArray(value)) return value.map(inAll);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, inAll(one)]));
  };
  const whole = inAll(server) as ServerConfig;
  return missing.size === 0 ? { server: whole } : { missing: [...missing] };
}
