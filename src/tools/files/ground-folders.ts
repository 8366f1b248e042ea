import { fail, isWithin, type Look, type ToolResult } from "../../kernel/index.js";
import { quoted } from "../path-input.js";

type Ground = Pick<Look, "workspace" | "cwd" | "home">;

/**
 * Refuses the folders that the work itself stands on: the root, the workspace, the working folder, home, and those that hold
 * one of them.
 *
 * @param verb - What is not done, as in "Did not delete".
 */
export function refuseGround(
  path: string,
  verb: string,
  spelled: string,
  { workspace, cwd, home }: Ground,
): ToolResult<never> | undefined {
  const grounds = [
    [workspace, "the workspace"],
    [cwd, "the working folder"],
    [home, "the home folder"],
  ] as const;
  const ground = grounds.find(([folder]) => isWithin(path, folder));
  if (ground === undefined && path !== "/") return undefined;
  const [folder, name] = ground ?? ["/", "the root"];
  const why = path === "/" ? "it is the root" : path === folder ? `it is ${name}` : `it holds ${name}`;
  const message = `Did not ${verb} ${quoted(spelled)}: ${why}. Name what is inside instead.`;
  return fail("FS_BAD_PATH", message, { details: { path: spelled, why } });
}
