import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/** The home directory of the user. An empty or relative HOME counts as unset, because it would depend on the working directory. */
export function homeDirectory(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}
