import { statSync } from "node:fs";

/** Why this path cannot be worked in, as a sentence with what to do; undefined when it is a folder of this machine. */
export function folderProblem(path: string): string | undefined {
  const cause = absence(path);
  return cause && `Did not find the workspace "${path}": ${cause}. Give an existing folder.`;
}

function absence(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : "it is no folder";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "there is no such folder" : (code ?? "it cannot be looked at");
  }
}
