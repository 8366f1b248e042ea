/** What the options of several commands mean. */
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Gate, messageOf } from "../../kernel/index.js";
import { type ToolkitOptions, workspaceProblem } from "../../toolkit/index.js";
import { DEFAULT_DIALECT, UsageError } from "./usage.js";

export interface CommonOptions {
  readonly workspace?: string;
  readonly on: string;
  readonly dialect: string;
  readonly state?: string;
  readonly env: readonly string[];
  readonly autonomy: string;
  readonly gate?: Gate;
}

/** The toolkit that the options ask for. @throws UsageError */
export function toolkitOptions(options: CommonOptions, workspace: string): ToolkitOptions {
  const { on, dialect, state, env, autonomy, gate } = options;
  if (autonomy !== "full") {
    throw new UsageError(
      `Did not start: --autonomy takes "full" for now, not "${autonomy}". Levels that ask a person come with a later version; until then leave the option out.`,
    );
  }
  return {
    workspace,
    on,
    dialect,
    env: environmentOf(env),
    ...(state === undefined ? {} : { stateDir: resolve(state) }),
    ...(gate === undefined ? {} : { gate }),
  };
}

/** How a command that is told to a person goes on with this dialect. */
export function dialectArgument(dialect: string): string {
  return dialect === DEFAULT_DIALECT ? "" : ` --dialect ${dialect}`;
}

/** The variables of these names. @throws UsageError for one that is not set, so that a misspelt name is noticed. */
function environmentOf(names: readonly string[]): Readonly<Record<string, string>> {
  const found = names.map((name): [string, string] => {
    const value = process.env[name];
    if (value === undefined)
      throw new UsageError(`--env ${name}: no such variable is set here. Set it, or leave it out.`);
    return [name, value];
  });
  return Object.fromEntries(found);
}

/** The real path of the workspace. @throws UsageError when there is no such folder, or none that may be one. */
export function workspaceOf(asked: string | undefined): string {
  const path = asked === undefined ? process.cwd() : resolve(asked);
  let real: string;
  try {
    real = realpathSync(path);
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === "ENOENT";
    const why = isAbsent ? "there is no such folder" : messageOf(error);
    throw new UsageError(`Did not find the workspace "${asked ?? path}": ${why}. Give an existing folder.`);
  }
  if (!statSync(real).isDirectory())
    throw new UsageError(`The workspace "${asked ?? path}" is no folder. Give an existing folder.`);
  const problem = workspaceProblem(real, homedir());
  if (problem !== undefined) throw new UsageError(problem);
  return real;
}
