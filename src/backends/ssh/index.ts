/** Other machines, through the OpenSSH client of this one. */
export { type OpenSshOptions, openSsh, openSshMachine, type SshMachine } from "./open-ssh.js";
export { openSshConnection, type SshConnectionOptions } from "./ssh-connection.js";
