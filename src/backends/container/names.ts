/** Names that end up in a command line of the engine: none of them can be an option, or more than one argument of it. */
import { HaftError } from "../../kernel/index.js";
import type { InContainer } from "./container-transport.js";

const CONTAINER = /^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,254}$/;
const IMAGE = /^[a-zA-Z0-9][a-zA-Z0-9_.:/@-]{0,510}$/;
const USER = /^[a-zA-Z0-9_][a-zA-Z0-9_.-]*\$?(:[a-zA-Z0-9_][a-zA-Z0-9_.-]*)?$/;
const VARIABLE = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

/** @throws `CONFIG_INVALID` */
export function checkContainerName(name: string): void {
  if (name === "") throw invalid("Cannot open a container without a name. Name one that runs, such as container:web.");
  if (CONTAINER.test(name)) return;
  throw invalid(
    `Cannot open a container ${JSON.stringify(name)}: its name or id begins with a letter or digit and has only letters, digits, "_", "." and "-".`,
  );
}

/** @throws `CONFIG_INVALID` */
export function checkImageName(image: string): void {
  if (image === "") throw invalid("Cannot start a container without an image. Name one, such as image:node:22.");
  if (IMAGE.test(image)) return;
  throw invalid(
    `Cannot start a container of ${JSON.stringify(image)}: the name of an image begins with a letter or digit and has only letters, digits and "_.:/@-".`,
  );
}

/** Checks as whom, with what and where programs run. @throws `CONFIG_INVALID` */
export function checkInContainer({
  user,
  env,
  cwd,
}: {
  readonly user: string | undefined;
  readonly env: InContainer["env"] | undefined;
  readonly cwd: string | undefined;
}): InContainer {
  if (user !== undefined && !USER.test(user)) {
    throw invalid(`Cannot run as ${JSON.stringify(user)} in a container. Use USER, UID, USER:GROUP or UID:GID.`);
  }
  if (cwd !== undefined && (!cwd.startsWith("/") || cwd.includes("\0"))) {
    throw invalid(`Cannot start in ${JSON.stringify(cwd)}: a directory of a container is an absolute path.`);
  }
  for (const [name, value] of Object.entries(env ?? {})) {
    if (VARIABLE.test(name) && !value.includes("\0")) continue;
    throw invalid(`Cannot set ${JSON.stringify(name)} in a container: not a variable, or a NUL in its value.`);
  }
  return { ...(user === undefined ? {} : { user }), ...(env === undefined ? {} : { env }) };
}

function invalid(message: string): HaftError {
  return new HaftError("CONFIG_INVALID", message);
}
