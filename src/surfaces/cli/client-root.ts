/** The folder that a client names as the one to work in. */
import { fileURLToPath } from "node:url";
import { messageOf } from "../../kernel/index.js";
import { workspaceOf } from "./common-options.js";
import { UsageError } from "./usage.js";

/** Bytes of the longest path that a system takes. */
const MAX_PATH_CHARACTERS = 4_096;
/** Of an address that is none, so much is shown. */
const SHOWN = 120;

/** A file address as a folder here. @throws UsageError when it is none, or may not be a workspace. */
export function rootFrom(root: string): string {
  return workspaceOf(pathOf(root));
}

function pathOf(root: string): string {
  let why: string;
  try {
    const path = fileURLToPath(root);
    if (Buffer.byteLength(path) > MAX_PATH_CHARACTERS) why = `its path has more than ${MAX_PATH_CHARACTERS} bytes`;
    else if (path.includes("\0")) why = "its path holds a NUL byte";
    else return path;
  } catch (error) {
    why = messageOf(error);
  }
  const shown = JSON.stringify(root.length > SHOWN ? `${root.slice(0, SHOWN)}…` : root);
  throw new UsageError(
    `Did not take the client's folder ${shown} as the workspace: ${why}. Open a folder of this machine in the client, or start with \`--workspace DIR\`.`,
  );
}
