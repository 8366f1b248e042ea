import type { Policy } from "../kernel/index.js";
import type { ZeroclawPolicyOptions } from "./zeroclaw/options.js";

/**
 * The policy of the dialect `zeroclaw`, with lists of your own. Only listed commands run; forbidden paths, paths outside the
 * workspace and high-risk commands are refused, and medium-risk commands are asked about. Haft's own policy decides as well, and
 * the strictest decision holds. Asynchronous because the parser of commands is loaded with it.
 *
 * @throws `CONFIG_INVALID` for a root that is not absolute, and for a domain that names no host.
 */
export async function zeroclawPolicy(options: ZeroclawPolicyOptions = {}): Promise<Policy> {
  const { validatingPolicy } = await import("./zeroclaw/index.js");
  return validatingPolicy(options);
}
