import { type ClaimContext, fail, isWithin, type ToolResult } from "../../kernel/index.js";
import { quoted } from "./path-input.js";

type ProtectedPlaces = Pick<ClaimContext, "workspace" | "cwd" | "home">;

/**
 * Refuses the root, the workspace, the working directory, home, and directories that contain
 * one of them.
 *
 * @param verb - The verb after "Did not".
 */
export function refuseProtectedDirectory(
  path: string,
  verb: string,
  givenPath: string,
  { workspace, cwd, home }: ProtectedPlaces,
): ToolResult<never> | undefined {
  const protectedDirectories = [
    [workspace, "the workspace"],
    [cwd, "the working directory"],
    [home, "the home directory"],
  ] as const;
  const match = protectedDirectories.find(([directory]) => isWithin(path, directory));
  if (match === undefined && path !== "/") return undefined;
  const [directory, name] = match ?? ["/", "the root"];
  const why = path === "/" ? "it is the root" : path === directory ? `it is ${name}` : `it contains ${name}`;
  const message = `Did not ${verb} ${quoted(givenPath)}: ${why}. Name what is inside instead.`;
  return fail("FS_BAD_PATH", message, { details: { path: givenPath, why } });
}
