/** Prints the home directory of its user, or why there is none. */
import { homeDirectory } from "./command-environment.js";

try {
  console.log(homeDirectory());
} catch (error) {
  console.log(String((error as { code?: string }).code), (error as Error).message);
}
