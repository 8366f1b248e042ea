/** Golden transcripts: calls of buddy's tools and exactly what they come to, as plain data that any player can replay. */

export interface BuddyCall {
  readonly name: string;
  /** The arguments as a model sends them, as JSON text. */
  readonly args: string;
  /** The answer; of a failure its message. */
  readonly result: string;
  readonly failed?: "InvalidArguments" | "ExecutionFailed";
}

export interface BuddyTranscript {
  readonly title: string;
  readonly rows: readonly string[];
  /** Whether the target has a terminal. Default false. */
  readonly tmux?: boolean;
  /** The level. Default "full". */
  readonly autonomy?: "supervised" | "full";
  /** What the user types as the answer to each question. Absent: nobody is asked. */
  readonly answer?: string;
  /** The questions as the user sees them. */
  readonly asked?: readonly string[];
  /** Content by path, relative to the workspace /project. */
  readonly files?: Readonly<Record<string, string>>;
  /** What the pane %1 shows. */
  readonly screen?: string;
  readonly calls: readonly BuddyCall[];
  /** What reached the terminal. */
  readonly typed?: readonly string[];
  /** Content afterwards, null where there is no file. */
  readonly after?: Readonly<Record<string, string | null>>;
}

type Failed = NonNullable<BuddyCall["failed"]>;

const call = (name: string, args: unknown, result: string, failed?: Failed): BuddyCall => ({
  name,
  args: typeof args === "string" ? args : JSON.stringify(args),
  result,
  ...(failed === undefined ? {} : { failed }),
});
const shell = (command: string, result: string, more: object = {}, failed?: Failed) =>
  call("run_shell", { command, ...more }, result, failed);
const report = (code: number, stdout = "", stderr = "") => `exit code: ${code}\nstdout:\n${stdout}\nstderr:\n${stderr}`;

const X = "x".repeat(5_000);
const WAITS = 'it takes true, false, a number of seconds, or a duration like "500ms", "30s", "10m", "1h" or "1d"';
const NEEDS_TMUX = "execution failed: an active tmux session is required for";

export const BUDDY_TRANSCRIPTS: readonly BuddyTranscript[] = [
  {
    title: "a conversation: look, write, run",
    rows: ["BD-005", "BD-012", "BD-013", "BD-018", "BD-021", "BD-029", "BD-032"],
    files: { "notes.txt": "one\ntwo\n" },
    calls: [
      shell("ls", report(0, "notes.txt\n")),
      shell("sleep 0.2; echo x", report(0, "x\n"), { wait: true }),
      call("read_file", { path: "notes.txt" }, "one\ntwo\n"),
      call("write_file", { path: "é.txt", content: "é" }, "Wrote 2 bytes to é.txt"),
      shell("false", report(1)),
      shell("echo out; cat gone.txt", report(1, "out\n", "cat: gone.txt: No such file or directory\n")),
    ],
    after: { "é.txt": "é" },
  },
  {
    title: "bad arguments and failed runs are two errors with their own first words",
    rows: ["BD-002", "BD-003", "BD-007", "BD-031", "BD-033"],
    calls: [
      call("run_shell", {}, "invalid arguments: missing field `command`", "InvalidArguments"),
      call("read_file", {}, "invalid arguments: missing field `path`", "InvalidArguments"),
      call("write_file", { path: "a" }, "invalid arguments: missing field `content`", "InvalidArguments"),
      call("nope", {}, "execution failed: unknown tool: nope", "ExecutionFailed"),
      call(
        "read_file",
        { path: "gone.txt" },
        "execution failed: gone.txt: No such file or directory (os error 2)",
        "ExecutionFailed",
      ),
      call(
        "write_file",
        { path: "no/a.txt", content: "x" },
        "execution failed: no/a.txt: No such file or directory (os error 2)",
        "ExecutionFailed",
      ),
    ],
    after: { "no/a.txt": null },
  },
  {
    title: "how long a command is waited for",
    rows: ["BD-015", "BD-016", "BD-017"],
    calls: [
      shell("echo a", report(0, "a\n"), { wait: "30s" }),
      shell("echo a", report(0, "a\n"), { wait: "10m" }),
      shell("echo a", report(0, "a\n"), { wait: "1H" }),
      shell("echo a", report(0, "a\n"), { wait: 500 }),
      shell("sleep 5", "execution failed: here command timed out after 1s", { wait: 1 }, "ExecutionFailed"),
      shell("sleep 5", "execution failed: here command timed out after 250ms", { wait: "250ms" }, "ExecutionFailed"),
      shell("echo a", `invalid arguments: \`wait\` was "soon"; ${WAITS}`, { wait: "soon" }, "InvalidArguments"),
      shell("echo a", `invalid arguments: \`wait\` was 0; ${WAITS}`, { wait: 0 }, "InvalidArguments"),
    ],
  },
  {
    title: "what is cut, and how",
    rows: ["BD-019", "BD-029", "BD-046", "BD-087"],
    tmux: true,
    files: { "x.txt": X, "long.txt": `${X}${X}` },
    screen: `${"y".repeat(1_000)}${"z".repeat(8_000)}`,
    calls: [
      shell("cat x.txt", report(0, `${"x".repeat(4_000)}...[truncated]`)),
      shell("cat x.txt >&2", report(0, "", `${"x".repeat(4_000)}...[truncated]`)),
      call("read_file", { path: "long.txt" }, `${"x".repeat(8_000)}...[truncated]`),
      call("capture-pane", {}, `[truncated 1000 chars from start]\n${"z".repeat(8_000)}`),
    ],
    typed: ["capture %1"],
  },
  {
    title: "a user says no",
    rows: ["BD-023", "BD-024"],
    autonomy: "supervised",
    answer: "n",
    asked: ["Run: rm -rf build\\necho done [y/N] "],
    files: { "build/a.txt": "a\n" },
    calls: [shell("rm -rf build\necho done", "Command execution denied by user.")],
    after: { "build/a.txt": "a\n" },
  },
  {
    title: "only y and Y allow a command",
    rows: ["BD-023", "BD-024"],
    autonomy: "supervised",
    answer: "yes",
    asked: ["Run: rm a.txt [y/N] "],
    files: { "a.txt": "a\n" },
    calls: [shell("rm a.txt", "Command execution denied by user.")],
    after: { "a.txt": "a\n" },
  },
  {
    title: "a user says yes",
    rows: ["BD-023"],
    autonomy: "supervised",
    answer: "Y",
    asked: ["Run: rm a.txt [y/N] "],
    files: { "a.txt": "a\n" },
    calls: [shell("rm a.txt", report(0))],
    after: { "a.txt": null },
  },
  {
    title: "without tmux nothing is dispatched",
    rows: ["BD-014", "BD-088"],
    calls: [shell("touch a.txt", `${NEEDS_TMUX} wait=false`, { wait: false }, "ExecutionFailed")],
    after: { "a.txt": null },
  },
  {
    title: "with tmux a command is dispatched, watched, answered and stopped",
    rows: ["BD-028", "BD-040", "BD-042", "BD-049", "BD-050", "BD-052", "BD-074"],
    tmux: true,
    screen: "$ npm run build\ndone? ",
    calls: [
      shell("npm run build", "command dispatched to tmux pane %1", { wait: false }),
      call("capture-pane", { start: "-", end: "-" }, "$ npm run build\ndone? "),
      call("send-keys", { literal_text: "yes", enter: true }, "keys sent to tmux pane %1"),
      call("send-keys", { enter: true, keys: ["C-c"], literal_text: "-a;" }, "keys sent to tmux pane %1"),
      call("send-keys", { target: "shared-pane", keys: ["Down", "Down", "Enter"] }, "keys sent to tmux pane %1"),
      call("capture-pane", { target: "%1" }, "$ npm run build\ndone? "),
    ],
    typed: [
      "dispatch %1: npm run build in /project",
      "capture %1",
      "send %1: yes\n",
      "send %1: -a;<C-c>\n",
      "send %1: <Down><Down>\n",
      "capture %1",
    ],
  },
  {
    title: "what the shared pane does not take",
    rows: ["BD-027"],
    tmux: true,
    calls: [
      ...[
        "set -e",
        "set -o errexit",
        "setopt errexit",
        "exit 1",
        "logout",
        "exec sh",
        "ls\nexit",
        "tmux kill-session",
      ].map((command) =>
        shell(
          command,
          "invalid arguments: `command` would change or end the shared shell, or manage tmux itself; run it in a shell of its own, such as bash -lc '…'",
          { wait: false },
          "InvalidArguments",
        ),
      ),
      shell("bash -lc 'set -e; ls'", "command dispatched to tmux pane %1", { wait: false }),
    ],
    typed: ["dispatch %1: bash -lc 'set -e; ls' in /project"],
  },
  {
    title: "a pane that is missing, and an alternate screen that is not there",
    rows: ["BD-047", "BD-048"],
    tmux: true,
    screen: "$ ",
    calls: [
      call(
        "capture-pane",
        { include_alternate_screen: true },
        "$ \n[alternate screen is not active; captured the main pane instead]",
      ),
      call("capture-pane", { target: "%7" }, "[tmux pane %7 is missing; captured the default pane %1 instead]\n$ "),
      call(
        "send-keys",
        { target: "%7", enter: true },
        'execution failed: There is no pane "%7". `panes` lists them.',
        "ExecutionFailed",
      ),
    ],
    typed: ["capture %1", "capture %1"],
  },
  {
    title: "arguments of the tools for panes that are refused",
    rows: ["BD-043", "BD-045", "BD-051"],
    tmux: true,
    calls: [
      call(
        "send-keys",
        {},
        "invalid arguments: at least one of `keys`, `literal_text` and `enter: true` is required",
        "InvalidArguments",
      ),
      ...["", "5w", "soon"].map((delay) =>
        call(
          "capture-pane",
          { delay },
          `invalid arguments: \`delay\` was ${JSON.stringify(delay)}; it takes a duration like "500ms", "2s", "1m" or "1h", or bare digits for seconds`,
          "InvalidArguments",
        ),
      ),
      call(
        "capture-pane",
        { start: "top" },
        'invalid arguments: `start` was "top"; it takes a line number or "-"',
        "InvalidArguments",
      ),
    ],
  },
  {
    title: "a time in a format that does not exist",
    rows: ["BD-054"],
    calls: [
      call(
        "time",
        { format: "x" },
        'invalid arguments: `format` was "x"; it takes epoch, epoch_ms, epoch_ns, iso, rfc2822, date, time',
        "InvalidArguments",
      ),
    ],
  },
];
