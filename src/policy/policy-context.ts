/** By what every claim of a call is judged. */
import type { PolicyFiles } from "../kernel/index.js";
import type { PolicyRoot } from "./path-verdict.js";
import type { RuleBook } from "./rules/index.js";
import type { WebGuard } from "./web-guard.js";

export interface PolicyContext {
  readonly roots: readonly Required<PolicyRoot>[];
  readonly home: string;
  readonly rules: RuleBook;
  readonly sensitive: readonly string[];
  /** Whether the model was shown untrusted content in this session. */
  readonly isTainted: boolean;
  readonly web: WebGuard;
  /** As in `PolicyCall`. Absent: they do not. */
  readonly sandboxed?: boolean | undefined;
  /** As in `PolicyCall`. Absent: none. */
  readonly privatePaths?: readonly string[] | undefined;
  /** As in `PolicyCall`. */
  readonly commandLanguage?: string | undefined;
  /** As in `PolicyCall`. */
  readonly shownUrls?: ReadonlySet<string> | undefined;
  /** The names of the secrets that requests of the call may carry. Absent: none. */
  readonly secrets?: readonly string[] | undefined;
  /** What was looked up on the target. Absent: files are judged as they are written. */
  readonly files?: PolicyFiles | undefined;
}
