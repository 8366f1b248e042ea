/** Terminals that a user can watch: adds panes of tmux to a backend. */
export type { TmuxOptions } from "./options.js";
export { withTmux } from "./with-tmux.js";
