/** In the sandbox's own network, where nothing else listens. */
export const PROXY_PORT = 3128;

/**
 * Runs in the sandbox around a command: listens on its loopback address, and passes on what comes to the Unix socket of the proxy. It ends with
 * the command, and with its status. Signals are for the command; its streams are the command's alone.
 *
 * Arguments: the socket, the command.
 */
export const FORWARDER_SCRIPT = `
const { connect, createServer } = require("node:net"), { spawn } = require("node:child_process"), fs = require("node:fs");
const { basename, dirname } = require("node:path");
const [, socket, ...argv] = process.argv;
// The path of a socket may have 107 bytes.
const directory = fs.openSync(dirname(socket), "r");
for (const name of ["SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR2", "SIGALRM"]) process.on(name, () => {});
const server = createServer((inside) => {
  const outside = connect("/proc/self/fd/" + directory + "/" + basename(socket));
  const close = () => (inside.destroy(), outside.destroy());
  inside.on("error", close).pipe(outside).on("error", close).pipe(inside);
});
server.listen(PORT, "127.0.0.1", () => {
  const child = spawn(argv[0], argv.slice(1), { stdio: [0, 1, 2] });
  for (const descriptor of [0, 1, 2]) { fs.closeSync(descriptor); fs.openSync("/dev/null", "r+"); }
  child.on("error", () => process.exit(127));
  child.on("exit", (code, signal) => process.exit(signal ? 128 + require("node:os").constants.signals[signal] : code));
});
`.replace("PORT", String(PROXY_PORT));

/** How programs find the proxy. */
export function proxyEnvironment(): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${PROXY_PORT}`;
  const names = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "http_proxy",
    "https_proxy",
    "npm_config_proxy",
    "npm_config_https_proxy",
  ];
  const local = "localhost,127.0.0.1,::1";
  return {
    ...Object.fromEntries(names.map((name) => [name, url])),
    ...{ NO_PROXY: local, no_proxy: local, NODE_USE_ENV_PROXY: "1" },
  };
}
