/** Machines that are reached through a POSIX shell at the other end of a pipe. */
export {
  type Channel,
  clauseOf,
  type OpenChannel,
  type ProcessChannelOptions,
  processChannel,
} from "./channel/channel.js";
export { loginShellCommand } from "./channel/quote-words.js";
export { type OpenLocalPosixOptions, openLocalPosix } from "./open-local-posix.js";
export { type PosixBackendOptions, REMOTE_CONNECT_MS } from "./options.js";
export { createPosixBackend } from "./posix-backend.js";
export { IS_MINE } from "./remote/mine.sh.js";
export type { ClientEnd, Transport } from "./transport.js";
