/** How much happens without asking, from the least to the most. */
export const AUTONOMY_LEVELS = ["readonly", "supervised", "full"] as const;
/**
 * How much happens without asking. "readonly": reads and harmless commands, and nothing else. "supervised": also changes in the
 * workspace; the user is asked about deletions, most commands, secrets, the network and what other programs obey. "full":
 * everything but the destruction of the workspace, the home directory or `/` as a whole, and changes of Haft's own configuration.
 */
export type Autonomy = (typeof AUTONOMY_LEVELS)[number];

/** The one of the levels at which the least happens without asking; undefined where there is none. */
export function strictestLevel(...levels: readonly (Autonomy | undefined)[]): Autonomy | undefined {
  return AUTONOMY_LEVELS.find((level) => levels.includes(level));
}

/** The level where neither the session nor the host names one. */
export const DEFAULT_AUTONOMY: Autonomy = "supervised";

/** The levels in a sentence, for a help text. */
export const AUTONOMY_TEXT =
  "readonly: reads and harmless commands; supervised: also changes of files in the workspace; full: everything but the deletion of a whole root and Haft's own configuration.";
