import { type Backend, HaftError } from "../../kernel/index.js";
import type { TmuxOptions } from "./options.js";

/**
 * Adds a `Terminal` to a backend. tmux starts with the first use of it. Files and searches remain those of the backend.
 *
 * @throws `CONFIG_INVALID` for `current` outside of tmux or on another machine, and on a backend with a sandbox.
 */
export function withTmux(backend: Backend, _options: TmuxOptions): Backend {
  throw new HaftError("BACKEND_UNSUPPORTED", `Did not open tmux on "${backend.name}": it is not implemented.`);
}
