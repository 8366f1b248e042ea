/** How addresses of targets are written. Their backends, which are loaded later, check them again. */
import { HaftError } from "../kernel/index.js";
import { parseSshDestination, showControls } from "../text/index.js";

const CONTAINER = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const IMAGE = /^[a-zA-Z0-9][a-zA-Z0-9_.:/@-]*$/;

/** @throws `CONFIG_INVALID` */
export function requireContainerName(name: string): void {
  const hint = directoryHint("container", name);
  requireForm(CONTAINER.test(name), `Cannot open a container "${showControls(name)}": use its name or id`, hint);
}

/** @throws `CONFIG_INVALID` */
export function requireImageName(image: string): void {
  requireForm(IMAGE.test(image), `Cannot start a container of "${showControls(image)}": use the name of an image`);
}

/** @throws `CONFIG_INVALID` */
export function requireDestination(text: string): void {
  const host = parseSshDestination(text);
  // What follows "=" is a directory, which has to be absolute.
  const parsed = typeof host !== "string" && text.includes("=") ? 'a host has no "="' : host;
  if (typeof parsed === "string")
    throw new HaftError(
      "CONFIG_INVALID",
      `Cannot connect to "${showControls(text)}": ${parsed}. Use user@host or user@host:port, or an alias of ~/.ssh/config.${directoryHint("ssh", text)}`,
    );
}

function requireForm(isRight: boolean, problem: string, hint = ""): void {
  if (!isRight)
    throw new HaftError("CONFIG_INVALID", `${problem}, without a dash at its beginning or whitespace.${hint}`);
}

/** For an address as `scp` and `docker cp` take it, `host:/directory`. */
function directoryHint(scheme: string, text: string): string {
  const [, name, directory] = /^([^/:]+):?(\/[^/].*)$/.exec(text) ?? [];
  return name === undefined ? "" : showControls(` A directory goes behind "=": ${scheme}:${name}=${directory}.`);
}
