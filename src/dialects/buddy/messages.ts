/** The texts that this dialect keeps letter for letter. */

/** BD-003 */
export const invalidArguments = (problem: string): string => `invalid arguments: ${problem}`;
export const executionFailed = (reason: string): string => `execution failed: ${reason}`;

/** BD-007 */
export const unknownTool = (name: string): string => executionFailed(`unknown tool: ${name}`);

/** BD-014 */
export const NEEDS_TMUX = "an active tmux session is required for wait=false";

/** BD-028 */
export const dispatched = (pane: string): string => `command dispatched to tmux pane ${pane}`;

/** BD-088: of tools that only a terminal can serve. */
export const needsTmuxFor = (tool: string): string => `an active tmux session is required for ${tool}`;

/** BD-046 */
export const truncatedStart = (characters: number): string => `[truncated ${characters} chars from start]\n`;

/** BD-047 */
export const NO_ALTERNATE_SCREEN = "[alternate screen is not active; captured the main pane instead]";

/** BD-048 */
export const missingPane = (missing: string, pane: string): string =>
  `[tmux pane ${missing} is missing; captured the default pane ${pane} instead]\n`;

/** BD-027 */
export const REFUSED_IN_PANE =
  "`command` would change or end the shared shell, or manage tmux itself; run it in a shell of its own, such as bash -lc '…'";

/** BD-052 */
export const sentKeys = (pane: string): string => `keys sent to tmux pane ${pane}`;

/** BD-018 */
export const shellReport = (code: number, stdout: string, stderr: string): string =>
  `exit code: ${code}\nstdout:\n${stdout}\nstderr:\n${stderr}`;

/** BD-019, BD-029 */
export const TRUNCATED = "...[truncated]";

/** BD-024 */
export const DENIED_BY_USER = "Command execution denied by user.";

/** BD-032 */
export const wroteFile = (bytes: number, path: string): string => `Wrote ${bytes} bytes to ${path}`;

/** BD-038; a blank line after each. */
export const searchRow = (index: number, title: string, url: string, snippet: string): string =>
  `${index}. ${title}\n   ${url}\n   ${snippet}\n\n`;

/** BD-039 */
export const NO_RESULTS = "No results found.";
