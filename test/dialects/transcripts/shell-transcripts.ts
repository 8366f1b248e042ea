import type { Transcript } from "./transcript-shape.js";

/** Running commands. */
export const SHELL_TRANSCRIPTS: readonly Transcript[] = [
  {
    title: "a report names both streams and the status",
    rows: ["IR-100", "IR-102"],
    files: { "sub/a.txt": "hello\n" },
    calls: [
      {
        name: "bash",
        input: { command: "echo out; echo err >&2" },
        outcome: { is_error: false, output: "stdout:\nout\nstderr:\nerr\nstatus: exit code 0" },
      },
      {
        name: "bash",
        input: { command: "cat a.txt", cwd: "sub" },
        outcome: { is_error: false, output: "stdout:\nhello\nstderr:\nstatus: exit code 0" },
      },
    ],
  },
  {
    title: "any exit but 0 is an error",
    rows: ["IR-103"],
    calls: [
      {
        name: "bash",
        input: { command: "false" },
        outcome: { is_error: true, output: "stdout:\nstderr:\nstatus: exit code 1" },
      },
      {
        name: "bash",
        input: { command: "echo before; exit 3" },
        outcome: { is_error: true, output: "stdout:\nbefore\nstderr:\nstatus: exit code 3" },
      },
    ],
  },
  {
    title: "a command is not empty, and its time is a positive number",
    rows: ["IR-098", "IR-099"],
    calls: [
      { name: "bash", input: { command: "" }, outcome: { is_error: true, has: ["`command`"] } },
      {
        name: "bash",
        input: { command: "true", timeoutMs: 0 },
        outcome: { is_error: true, has: ["`timeoutMs`", "0"] },
      },
      {
        name: "bash",
        input: { command: "true", timeoutMs: -1 },
        outcome: { is_error: true, has: ["`timeoutMs`", "-1"] },
      },
      {
        name: "bash",
        input: { command: "true", timeoutMs: 999_999_999 },
        outcome: { is_error: false, output: "stdout:\nstderr:\nstatus: exit code 0" },
      },
      {
        name: "bash",
        input: { command: "echo part; sleep 30", timeoutMs: 100.9 },
        outcome: { is_error: true, has: ["stdout:\npart\nstderr:\n", "status: timed out after 100 ms."] },
      },
    ],
  },
];
