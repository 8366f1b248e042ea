/** The MCP root that a client reports as its workspace. */
import { fileURLToPath } from "node:url";
import { messageOf } from "../../../../kernel/index.js";
import { workspaceOf } from "../../common-options.js";
import { UsageError } from "../../usage.js";

/** PATH_MAX of Linux. */
const MAX_PATH_BYTES = 4_096;
const MAX_SHOWN_CHARACTERS = 120;

/** The directory of a file URL. @throws UsageError if it is not a directory, or may not be a workspace */
export function rootFrom(root: string): string {
  return workspaceOf(pathOf(root));
}

function pathOf(root: string): string {
  let why: string;
  try {
    const path = fileURLToPath(root);
    if (Buffer.byteLength(path) > MAX_PATH_BYTES) why = `its path has more than ${MAX_PATH_BYTES} bytes`;
    else if (path.includes("\0")) why = "its path contains a NUL byte";
    else return path;
  } catch (error) {
    why = messageOf(error);
  }
  const shown = JSON.stringify(root.length > MAX_SHOWN_CHARACTERS ? `${root.slice(0, MAX_SHOWN_CHARACTERS)}…` : root);
  throw new UsageError(
    `Did not use the client's root ${shown} as the workspace: ${why}. Open a directory of this machine in the client, or start with \`--workspace DIR\`.`,
  );
}
