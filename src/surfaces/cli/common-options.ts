/** What the options of several commands mean. */
import { realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { type Gate, messageOf } from "../../kernel/index.js";
import { type ToolkitOptions, workspaceProblem } from "../../toolkit/index.js";
import { UsageError } from "./usage.js";

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
    throw new UsageError(`Did not find the workspace "${asked}": ${messageOf(error)}. Give an existing folder.`);
  }
  if (!statSync(real).isDirectory())
    throw new UsageError(`The workspace "${asked}" is no folder. Give an existing folder.`);
  const problem = workspaceProblem(real, homedir());
  if (problem !== undefined) throw new UsageError(problem);
  return real;
}
