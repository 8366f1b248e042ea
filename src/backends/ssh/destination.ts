/** Destinations: `user@host:port`, checked before ssh sees them. */
import { HaftError } from "../../kernel/index.js";
import { parseSshDestination, type SshDestination, showControls } from "../../text/index.js";

/** @throws `CONFIG_INVALID` for anything that ssh could take for an option or pass to a shell */
export function parseDestination(text: string): SshDestination {
  const parsed = parseSshDestination(text);
  if (typeof parsed !== "string") return parsed;
  throw new HaftError(
    "CONFIG_INVALID",
    `Did not connect to "${showControls(text)}": ${parsed}. Use user@host or user@host:port, or an alias of ~/.ssh/config.`,
    { details: { destination: text, why: parsed } },
  );
}
