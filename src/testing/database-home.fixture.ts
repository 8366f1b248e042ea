import { userInfo } from "node:os";

/** The home directory that the user database has for the user of this process. Undefined for a user without an entry. */
export const databaseHome = ((): string | undefined => {
  try {
    return userInfo().homedir;
  } catch {
    return undefined;
  }
})();
