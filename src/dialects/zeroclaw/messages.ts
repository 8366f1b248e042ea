/** The texts that this dialect keeps letter for letter. */
import { showControls } from "../../text/index.js";
import { shownValue } from "../arguments.js";

/** ZC-005 */
export const missingParameterMessage = (name: string): string => `Missing '${name}' parameter`;

/** ZC-010, ZC-011 */
export const policyViolation = (reason: string): string => `Security policy violation: ${reason}`;
export const pathBlocked = (path: string): string => `Path blocked by security policy: ${path}`;

/** ZC-078. The other reasons are the policy's own words. */
export const FORBIDDEN_PATH = "Forbidden path: ";
export const requiresApproval = (risk: "High" | "Medium"): string => `${risk}-risk command requires approval`;

/** ZC-027, ZC-093 */
export const cannotWrite = "Read-only mode: cannot write files";
export const cannotPerform = (operation: string): string => `Read-only mode: cannot perform '${operation}'`;
export const rateLimited = "Rate limit exceeded";

/** ZC-013 */
export const bothStreams = (stdout: string, stderr: string): string => `stdout:\n${stdout}\n\nstderr:\n${stderr}`;

/** ZC-014, ZC-015 */
export const exitCode = (code: number): string => `Exit code: ${code}`;
export const shellExecutionFailed = (reason: string): string => `Execution failed: ${reason}`;

/** ZC-023 */
export const readNotAllowed = (path: string): string => `Path not allowed by security policy: ${path}`;
export const resolvedNotAllowed = (path: string): string => `Resolved path not allowed by security policy: ${path}`;
export const fileNotFound = (reason: string): string => `File not found: ${reason}`;
export const readFailed = (reason: string): string => `Failed to read file: ${reason}`;

/** ZC-028 */
export const writeNotAllowed = (path: string): string => `Path not allowed: ${path}`;
export const wroteBytes = (bytes: number, path: string): string => `Wrote ${bytes} bytes to ${path}`;
export const writeFailed = (reason: string): string => `Failed to write file: ${reason}`;

/** ZC-044, ZC-050 */
export const requestFailed = (reason: string): string => `HTTP request failed: ${reason}`;
export const httpStatus = (status: number): string => `HTTP ${status}`;
export const statusLine = (status: number, text: string): string => `Status: ${status} ${text}`.trimEnd();
export const REDACTED = "[redacted]";

/** ZC-049 */
export const bodyCapped = (bytes: number): string => `[truncated: the body is longer than ${bytes} bytes]`;

/** ZC-052 */
export const fetchFailed = (reason: string): string => `Failed to fetch: ${reason}`;

/** ZC-068, ZC-071, ZC-074 */
export const AGENT_JOBS = "agent jobs are not supported. Send a `command` for a shell job";
export const NO_DELIVERY = "output is not delivered to channels. Omit `delivery`; `cron_runs` shows the output";
export const NOTHING_RUNS =
  "Nothing runs the jobs of this workspace at present: ask the user to start `haft serve` or `haft schedule daemon` in it.";
export const APPROVAL_OVER =
  "The user had approved the command of this job as it was before: it needs an approval again. Send `command` with `cron_update`, so that they are asked.";
export const removedJob = (id: string): string => `Removed cron job ${id}`;
/** @param unknown - Members that are not of a patch, of which at most five are named. */
export const unusablePatch = (unknown: readonly string[]): string => {
  const shown = unknown.slice(0, 5).map((name) => showControls(shownValue(name)));
  const more = unknown.length > shown.length ? ` and ${unknown.length - shown.length} more` : "";
  const why = shown.length === 0 ? "changes nothing" : `has ${shown.join(", ")}${more}, which cannot be changed here`;
  return `\`patch\` ${why}; send \`schedule\`, \`name\`, \`command\`, \`enabled\` or \`delete_after_run\``;
};
export const APPROVED_IGNORED = "`approved` was ignored: only a person or the host can approve a call.";

/** ZC-033, ZC-036, ZC-038 */
export const memoryStored = (key: string): string => `Stored memory: ${key}`;
export const noMemories = "No matching memories found";
export const memoriesFound = (count: number): string => `Found ${count} memories:\n\n`;
export const memoryLine = (key: string, content: string): string => `- **${key}**: ${content}\n`;
export const memoryForgotten = (key: string): string => `Forgot memory: ${key}`;
export const noMemoryOf = (key: string): string => `No memory found with key: ${key}`;
export const memoryStoreFailed = (reason: string): string => `Failed to store memory: ${reason}`;
export const memoryRecallFailed = (reason: string): string => `Memory recall failed: ${reason}`;
export const memoryForgetFailed = (reason: string): string => `Failed to forget memory: ${reason}`;
