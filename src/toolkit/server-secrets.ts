/** The secrets that a configuration passes to other MCP servers, which may repeat them in their answers. */
import { type NamedSecret, secretsIn } from "../policy/index.js";
import type { ServerConfig } from "./config/config.js";
import { withVariables } from "./configured-servers.js";

/**
 * The secret ones of their environment variables and HTTP headers, and of the variables that any of their texts refers to.
 *
 * @param lookUp - The value of an environment variable.
 */
export function serverSecrets(
  servers: Readonly<Record<string, ServerConfig>>,
  lookUp: (name: string) => string | undefined,
): ReturnType<typeof secretsIn> {
  const found: NamedSecret[] = [];
  const ignored: string[] = [];
  const add = (variables: Readonly<Record<string, string>>): void => {
    const { secrets, ignored: more } = secretsIn(variables);
    found.push(...secrets);
    ignored.push(...more);
  };
  for (const configured of Object.values(servers)) {
    const used: Record<string, string> = {};
    const filled = withVariables(configured, (name) => {
      const value = lookUp(name);
      if (value !== undefined) used[name] = value;
      return value;
    });
    add(used);
    if (!("server" in filled)) continue;
    const { server } = filled;
    add({ ...("env" in server ? server.env : {}), ...("headers" in server ? server.headers : {}) });
  }
  return { secrets: found, ignored: [...new Set(ignored)] };
}
