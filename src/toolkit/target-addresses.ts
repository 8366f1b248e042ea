/** How addresses of targets are written. Their backends, which are loaded later, check them again. */
import { HaftError } from "../kernel/index.js";

const CONTAINER = /^[a-zA-Z0-9][a-zA-Z0-9_.-]*$/;
const IMAGE = /^[a-zA-Z0-9][a-zA-Z0-9_.:/@-]*$/;
const HOST = /^(?:[^\s@-][^\s@]*@)?[^\s@-][^\s@]*$/;

/** @throws `CONFIG_INVALID` */
export function requireContainerName(name: string): void {
  requireForm(CONTAINER.test(name), `Cannot open a container ${JSON.stringify(name)}: use its name or id`);
}

/** @throws `CONFIG_INVALID` */
export function requireImageName(image: string): void {
  requireForm(IMAGE.test(image), `Cannot start a container of ${JSON.stringify(image)}: use the name of an image`);
}

/** @throws `CONFIG_INVALID` */
export function requireDestination(text: string): void {
  requireForm(HOST.test(text), `Cannot connect to ${JSON.stringify(text)}: use user@host or user@host:port`);
}

function requireForm(isRight: boolean, problem: string): void {
  if (!isRight) throw new HaftError("CONFIG_INVALID", `${problem}, without a dash at its beginning or whitespace.`);
}
