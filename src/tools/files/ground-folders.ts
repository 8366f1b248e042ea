import {
  type Claim,
  fail,
  HaftError,
  isWithin,
  type Look,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
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

/** What `realGround` needs: to see where the workspace and the working folder really are. */
export function groundClaims({ workspace, cwd }: Ground): readonly Claim[] {
  return [...new Set([workspace, cwd])].map((path) => ({
    kind: "file",
    path,
    access: ["read"],
    scope: "self",
    optional: true,
  }));
}

/** The same directories by their real paths, for one that is reached through a symlink has two. By its spelling where policy hides it. */
export async function realGround(ctx: ToolContext): Promise<Ground> {
  const real = async (path: string): Promise<string> => {
    try {
      return (await ctx.fs.resolve([path]))[0]?.real ?? path;
    } catch (thrown) {
      if (HaftError.is(thrown, "CALL_UNCLAIMED") || HaftError.is(thrown, "POLICY_DENIED")) return path;
      throw thrown;
    }
  };
  const [workspace, cwd] = await Promise.all([real(ctx.workspace), real(ctx.cwd)]);
  return { workspace, cwd, home: ctx.home };
}
