import type { Config } from "./config.js";

/** One configuration file, checked. */
export interface ConfigLayer {
  /** `person`: their own file, or one that they named on the command line. `project`: what lies in the workspace. */
  readonly by: "person" | "project";
  /** Absolute. */
  readonly path: string;
  /** Absolute, without links; what its relative paths count from. */
  readonly folder: string;
  readonly config: Config;
}
