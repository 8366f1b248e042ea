import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";

/** The home directory of the user. An empty or relative HOME counts as unset: it would lead to wherever Haft was started. */
export function homeDirectory(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}
