/** What a user writes to allow, ask about or deny something. */

export const RULE_EFFECTS = ["allow", "ask", "deny"] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

/** Where a rule is written. */
export interface RuleSource {
  readonly by: "user" | "project" | "session";
  /** The path of the file. */
  readonly file?: string;
}

/** One rule, with exactly one of `tool`, `command`, `path` and `host`. A deny beats an ask, which beats an allow. */
export interface PolicyRule {
  readonly effect: RuleEffect;
  /** A tool by Haft's own name, or `server__tool`. `*` stands for any characters. */
  readonly tool?: string;
  /** Words of a command, as a shell would read them: "git status *". A `*` at the end stands for any further words. */
  readonly command?: string;
  /** Relative to the workspace, absolute, or `~/…`; with everything below it. `*` and `?` match in a name, `**` any directories. */
  readonly path?: string;
  /** A host name: "example.com", "*.example.com". */
  readonly host?: string;
  /**
   * For `path`. An allow without it opens a path for reading; "write" opens it for reading and writing. An ask or deny without it
   * holds for every access; "write" includes deleting.
   */
  readonly access?: "read" | "write";
  /** Commands, paths, tools or hosts that the rule must match, checked when it is loaded. */
  readonly match?: readonly string[];
  /** The same, that it must not match. */
  readonly notMatch?: readonly string[];
  /** Where it is written, for messages. Default: the session. */
  readonly source?: RuleSource;
}

export const RULE_SUBJECTS = ["tool", "command", "path", "host"] as const;
