import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { REPOSITORY } from "./architecture/source-tree.js";

/**
 * A text that states a limit, and the constant that is the limit. In the text, `{KiB}`, `{seconds}` or `{n}` is the value of the
 * constant in that unit: `64 KiB`, `three seconds`, `2,000`. A member of a table of limits is `TABLE.member`.
 */
type Row = readonly [text: string, constant: `${string}#${string}`];

const LIMITS: Readonly<Record<string, readonly Row[]>> = {
  "docs/guide/approvals.md": [
    ["Over {KiB} the largest texts are replaced", "kernel/approval-request.ts#MAX_SHOWN_ARGUMENTS_BYTES"],
    ["A diff or command over {KiB} is truncated", "kernel/approval-request.ts#MAX_PREVIEW_BYTES"],
    ["for `write`, larger than {MiB}", "tools/write/write.ts#MAX_COMPARED_BYTES"],
    ["takes more than {seconds}", "kernel/read-beforehand.ts#READ_TIMEOUT_MS"],
    ["`approvalTimeoutMs` (default {n})", "kernel/approve-stage.ts#DEFAULT_APPROVAL_TIMEOUT_MS"],
    ["waits in the state directory for up to {days}", "stores/document-approvals.ts#APPROVAL_EXPIRES_MS"],
    ["At most {n} requests are stored", "stores/document-approvals.ts#MAX_STORED_APPROVALS"],
  ],
  "docs/guide/artifacts.md": [
    ["above 64 MiB, its first and last {MiB}", "stores/files/file-artifacts.ts#ARTIFACT_PART_BYTES"],
    ["the replaced bytes, up to {MiB}", "tools/write/contract.ts#WRITE_LIMITS.maxBackupBytes"],
    ["the previous file, up to {MiB}", "tools/write/contract.ts#WRITE_LIMITS.maxBackupBytes"],
    ["the bytes of each file, {MiB} in total", "tools/write/contract.ts#WRITE_LIMITS.maxBackupBytes"],
    ["{days} after its last call", "kernel/session.ts#SESSION_IDLE_MS"],
    ["A session stores {MiB}", "stores/files/file-artifacts.ts#ARTIFACT_QUOTA_BYTES"],
  ],
  "docs/guide/undo.md": [
    ["A file over {MiB}", "stores/files/file-undo-log.ts#UNDO_LIMITS.fileBytes"],
    ["what exceeds {MiB} in one", "stores/files/file-undo-log.ts#UNDO_LIMITS.callBytes"],
    ["{MiB} and 1,000 calls", "stores/files/file-undo-log.ts#UNDO_LIMITS.totalBytes"],
    ["and {n} calls of all sessions", "stores/files/file-undo-log.ts#UNDO_LIMITS.calls"],
    ["are kept for {days}", "stores/files/file-undo-log.ts#UNDO_LIMITS.keptMs"],
    ["files up to {MiB}", "stores/memory/memory-undo-log.ts#MAX_FILE_BYTES"],
  ],
  "docs/guide/audit.md": [["up to {KiB} after redaction", "kernel/audit-call.ts#AUDIT_INPUT_BYTES"]],
  "docs/guide/jobs.md": [
    ["the last {KiB} of each stream", "tools/process/contract.ts#PROCESS_LIMITS.maxNewBytes"],
    ["plus one block of {KiB}", "kernel/block-input.ts#INPUT_BLOCK_BYTES"],
    ["`stop` sends TERM, waits {seconds}", "kernel/port-defaults.ts#DEFAULT_GRACE_MS"],
    ["in files of at most {MiB}", "backends/local/jobs/output-segments.ts#SEGMENT_BYTES"],
    ["The last {MiB} of each stream are stored", "backends/local/jobs/output-segments.ts#MAX_STREAM_BYTES"],
    ["is stored for {days}", "backends/local/jobs/job-store.ts#RETENTION_MS"],
    ["use more than {GiB} or", "backends/local/jobs/job-store.ts#RETENTION_BYTES"],
    ["there are more than {n}.", "backends/local/jobs/job-store.ts#RETENTION_JOBS"],
    ["At most {KiB} that the killed process had read", "backends/local/shell/stream-reader.ts#READ_BYTES"],
  ],
  "docs/guide/library.md": [["After {KiB} of a stream", "tools/shared/output-recorder.ts#MAX_EVENT_BYTES"]],
  "docs/guide/mcp.md": [
    ["running calls have {seconds} to finish", "surfaces/mcp/running-calls.ts#GRACE_MS"],
    ["the next free one of {n} and", "surfaces/mcp/listening.ts#MAX_PORTS_TRIED"],
    ["a body over {MiB}", "surfaces/mcp/http-limits.ts#MAX_REQUEST_BYTES"],
    ["above {n}, those older than", "surfaces/mcp/http-connections.ts#UNAUTHENTICATED_THRESHOLD"],
    ["those older than {s} are closed", "surfaces/mcp/http-connections.ts#AUTH_TIMEOUT_MS"],
    ["above {n}, the oldest", "surfaces/mcp/http-connections.ts#MAX_UNAUTHENTICATED_CONNECTIONS"],
    ["more than {n} sessions of the older protocol", "surfaces/mcp/fair-eviction.ts#MAX_SESSIONS"],
    ["reads the first {KiB}", "surfaces/mcp/artifact-resources.ts#DEFAULT_WINDOW_BYTES"],
    ["a window of at most {MiB}", "surfaces/mcp/artifact-resources.ts#MAX_WINDOW_BYTES"],
    ["at least every {seconds} while the call runs", "surfaces/mcp/progress.ts#SILENCE_MS"],
    ["the last {KiB}, and the last answer", "surfaces/mcp/event-log.ts#MAX_KEPT_CHARACTERS"],
  ],
  "docs/guide/servers.md": [
    ["A call may take {minutes}", "toolkit/config/config-schema.ts#SERVER_TIMEOUT_MS"],
    ["up to {hours} in all", "toolkit/config/config-schema.ts#MAX_SERVER_CALL_MS"],
    ["more than {n} levels of nesting", "mcp-client/server-result.ts#MAX_LEVELS"],
    ["not ready within {seconds}", "mcp-client/open-servers.ts#STARTUP_TIMEOUT_MS"],
    ["retried after {seconds}", "mcp-client/open-servers.ts#RETRY_MS"],
    ["doubled intervals up to {minutes}", "mcp-client/open-servers.ts#MAX_RETRY_MS"],
    ["at most {n} times a minute", "mcp-client/server-connection.ts#MAX_ENDS"],
    ["{MiB} that is not MCP", "mcp-client/message-lines.ts#MAX_STRAY_BYTES"],
    ["a message over {MiB}", "mcp-client/message-lines.ts#MAX_MESSAGE_BYTES"],
    ["over {n} unsolicited messages", "mcp-client/message-lines.ts#MAX_UNSOLICITED"],
    ["more than {n} tools", "mcp-client/server-tools.ts#MAX_TOOLS"],
    ["is over {KiB} or 64 levels deep", "mcp-client/server-schema.ts#MAX_SCHEMA_BYTES"],
    ["or {n} levels deep", "mcp-client/server-schema.ts#MAX_DEPTH"],
    ["exceeds {KiB} in total", "mcp-client/server-tools.ts#MAX_SCHEMAS_BYTES"],
    ["a name over {n} characters", "mcp-client/server-tools.ts#MAX_NAME"],
    ["at most {KiB}; the server's own instructions", "mcp-client/clean-text.ts#MAX_BYTES"],
    ["then TERM, {seconds}, KILL", "mcp-client/program-transport.ts#GRACE_MS"],
    ["at most once {seconds}", "mcp-client/open-servers.ts#RECHECK_MS"],
  ],
  "docs/guide/sessions.md": [
    ["(default {inHours})", "kernel/session.ts#SESSION_IDLE_MS"],
    ["A session ends {days} after", "kernel/session.ts#SESSION_IDLE_MS"],
  ],
  "docs/guide/start.md": [
    ["and {n} bytes (5 MiB as base64)", "tools/read/show-image.ts#IMAGE.maxBytes"],
    ["Files over {MiB} and", "tools/read/media-file.ts#MAX_MEDIA_BYTES"],
    ["images over {millions} million pixels", "tools/read/show-image.ts#IMAGE.maxPixels"],
    ["longer than {s} continues", "tools/read/media-file.ts#MAX_MEDIA_MS"],
    ["a limit of {GiB} of memory", "host/media/media-process.ts#MAX_MEMORY_BYTES"],
  ],
  "docs/guide/web.md": [
    ["in one answer | {n} characters", "tools/webfetch/contract.ts#WEBFETCH_LIMITS.maxCharacters"],
    ["body of a page | {MiB};", "tools/webfetch/contract.ts#WEBFETCH_LIMITS.defaultBytes"],
    ["`maxBytes` at most {MiB}", "tools/webfetch/contract.ts#WEBFETCH_LIMITS.maxBytes"],
    ["with redirects | {seconds}", "tools/webfetch/contract.ts#WEBFETCH_LIMITS.timeoutMs"],
    ["For at least {seconds}, or longer", "tools/webfetch/page-cache.ts#FRESH_MS"],
    ["kept in a session | {n},", "tools/webfetch/page-cache.ts#MAX_CACHED_PAGES"],
    ["together {MiB}", "tools/webfetch/page-cache.ts#MAX_CACHED_BYTES"],
    ["redirect to another host, at most {n},", "kernel/http.ts#MAX_REDIRECTS"],
    ["results of a search | {n};", "tools/websearch/contract.ts#WEBSEARCH_COUNTS.defaultCount"],
    ["`count` at most {n}", "tools/websearch/contract.ts#WEBSEARCH_COUNTS.maxCount"],
    ["time of a search | {seconds}", "tools/websearch/contract.ts#WEBSEARCH_TIMEOUT_MS"],
    ["`http_request` shows | {MiB}", "tools/http-request/contract.ts#HTTP_REQUEST_LIMITS.maxBytes"],
    ["`saveTo` saves | {MiB}", "tools/http-request/contract.ts#HTTP_REQUEST_LIMITS.maxSavedBytes"],
    ["time of `http_request` | {seconds};", "tools/http-request/contract.ts#HTTP_REQUEST_LIMITS.defaultTimeoutMs"],
    ["`timeoutMs` at most {minutes}", "tools/http-request/contract.ts#HTTP_REQUEST_LIMITS.maxTimeoutMs"],
  ],
  "src/surfaces/cli/commands/jobs.ts": [
    ["ended over {days} ago", "backends/local/jobs/job-store.ts#RETENTION_MS"],
    ["beyond {n} jobs", "backends/local/jobs/job-store.ts#RETENTION_JOBS"],
    ["or {GiB} of output", "backends/local/jobs/job-store.ts#RETENTION_BYTES"],
  ],
  "src/surfaces/cli/commands/artifacts.ts": [["until {days} after", "kernel/session.ts#SESSION_IDLE_MS"]],
};

/** Not limits of ours. */
const OTHER_SIZES = [/\d+ KiB on Linux/, /5 MiB as base64/];

const WORDS = "zero one two three four five six seven eight nine ten".split(" ");
WORDS[20] = "twenty";
const SIZES: Readonly<Record<string, number>> = { KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 };
const TIMES: Readonly<Record<string, number>> = {
  s: 1_000,
  seconds: 1_000,
  minutes: 60_000,
  hours: 3_600_000,
  days: 86_400_000,
};

const textOf = (path: string): string => readFileSync(join(REPOSITORY, path), "utf8").replace(/\s+/g, " ");
const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The value of a constant or of a member, as its source states it. Many are private, and each is read where it is set. */
function limitOf(constant: string): number {
  const [file = "", name = ""] = constant.split("#");
  const member = name.split(".")[1];
  const stated = member === undefined ? `const ${name} = ([^;]+);` : `\\b${member}: ([\\d_* ]+)`;
  const found = new RegExp(stated).exec(textOf(`src/${file}`))?.[1] ?? "";
  const parts = found.split("*").map((part) => Number(part.trim().replaceAll("_", "")));
  return parts.reduce((product, part) => product * part, 1);
}

/** The value as the guides write it. */
function spelled(value: number, unit: string): string {
  const number = (amount: number) =>
    `(?:${[amount.toLocaleString("en-US"), WORDS[amount], amount === 1 ? "an?" : undefined].filter((one) => one !== undefined).join("|")})`;
  const size = SIZES[unit];
  if (size !== undefined) return `${number(value / size)} ${unit}`;
  if (unit === "n") return number(value);
  if (unit === "millions") return number(value / 1e6);
  if (unit === "inHours") return number(value / 3_600_000);
  const amount = value / (TIMES[unit] ?? Number.NaN);
  return `${number(amount)} ${amount === 1 ? unit.replace(/s$/, "") : unit}`;
}

const patternOf = ([text, constant]: Row): RegExp =>
  new RegExp(
    text
      .split(/(\{\w+\})/)
      .map((part) => (part.startsWith("{") ? spelled(limitOf(constant), part.slice(1, -1)) : escaped(part)))
      .join(""),
  );

it.each(Object.entries(LIMITS))("%s states the limits that the source has", (path, rows) => {
  const text = textOf(path);
  for (const row of rows) expect(text, `${row[1]} = ${limitOf(row[1])}`).toMatch(patternOf(row));
});

it.each(Object.keys(LIMITS))("each size in bytes in %s has a row here", (path) => {
  const checked = [...(LIMITS[path] ?? []).map(patternOf), ...OTHER_SIZES];
  const rest = checked.reduce((text, pattern) => text.replace(pattern, "…"), textOf(path));
  expect(rest.match(/.{0,40}\b\d[\d,]* [KMG]iB.{0,20}/g) ?? []).toEqual([]);
});
