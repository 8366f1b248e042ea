import type { Policy } from "../../kernel/index.js";
import type { PolicyRoot } from "../path-verdict.js";

/** The lists and switches of `zeroclawPolicy`; each has the default of the seed. */
export interface ZeroclawPolicyOptions {
  /** Names of programs, paths of programs, or "*" for every program. Default: 20 programs such as git, npm, cargo, ls and cat. */
  readonly allowedCommands?: readonly string[];
  /** Directories that nothing may touch, with all below them; the workspace and the `roots` in them are exempt. `~` is the home directory. */
  readonly forbiddenPaths?: readonly string[];
  /** Whether paths outside the workspace and the `roots` are refused. Default: at every level but "full". */
  readonly workspaceOnly?: boolean;
  /** Refuses high-risk commands instead of asking. Default true. */
  readonly blockHighRiskCommands?: boolean;
  /** Asks about medium-risk commands at the level "supervised". Default true. */
  readonly requireApprovalForMediumRisk?: boolean;
  /**
   * Domains that `http_request`, and any tool of yours that can change something, may reach, with their subdomains; "*" is every
   * host. Default: none, which disables `http_request`. Tools that read, such as `web_fetch`, are not limited by it.
   */
  readonly allowedDomains?: readonly string[];
  /** Directories beside the workspace that calls may use. */
  readonly roots?: readonly PolicyRoot[];
  /** Haft's policy, which decides as well: the strictest decision holds. Default: that of the levels, with the `roots`. */
  readonly base?: Policy;
}
