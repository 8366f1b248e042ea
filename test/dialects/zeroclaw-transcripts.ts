/** Golden transcripts: calls of ZeroClaw's tools and exactly what they come to. */
import { ZEROCLAW_CRON_ADD_TRANSCRIPTS } from "./transcripts/zeroclaw-cron-add-transcripts.js";
import { ZEROCLAW_CRON_TRANSCRIPTS } from "./transcripts/zeroclaw-cron-transcripts.js";
import { ZEROCLAW_MEMORY_TRANSCRIPTS } from "./transcripts/zeroclaw-memory-transcripts.js";
import {
  done,
  failed,
  violation,
  type ZeroclawCall,
  type ZeroclawEnvelope,
  type ZeroclawTranscript,
} from "./transcripts/zeroclaw-shape.js";

const shell = (command: unknown, result: ZeroclawEnvelope, more: object = {}): ZeroclawCall => ({
  name: "shell",
  input: typeof command === "string" ? { command, ...more } : command,
  result,
});
const read = (path: string, result: ZeroclawEnvelope): ZeroclawCall => ({ name: "file_read", input: { path }, result });
const write = (path: string, content: string, result: ZeroclawEnvelope): ZeroclawCall => ({
  name: "file_write",
  input: { path, content },
  result,
});

const NOT_LISTED = violation("Command not in allowlist");
const BLOCKED = violation("High-risk commands are blocked");
const HIGH_ASKED = violation("High-risk command requires approval");
const MEDIUM_ASKED = violation("Medium-risk command requires approval");

export const ZEROCLAW_TRANSCRIPTS: readonly ZeroclawTranscript[] = [
  {
    title: "a conversation: look, write, run",
    rows: ["ZC-007", "ZC-013", "ZC-024", "ZC-028", "ZC-079"],
    files: { "notes.txt": "one\ntwo\n" },
    calls: [
      shell("ls", done("notes.txt\n")),
      shell({ cmd: " cat notes.txt\n" }, done("one\ntwo\n")),
      shell("pwd", done("/project\n")),
      read("notes.txt", done("one\ntwo\n")),
      write("src/a/é.txt", "naïve\n", done("Wrote 7 bytes to src/a/é.txt")),
      read("src/a/é.txt", done("naïve\n")),
      shell(
        "echo out; cat gone.txt",
        failed("Exit code: 1", "stdout:\nout\n\n\nstderr:\ncat: gone.txt: No such file or directory\n"),
      ),
    ],
    after: { "src/a/é.txt": "naïve\n" },
  },
  {
    title: "a missing argument is named",
    rows: ["ZC-005"],
    calls: [
      shell({}, failed("Missing 'command' parameter")),
      { name: "file_read", input: {}, result: failed("Missing 'path' parameter") },
      { name: "file_write", input: { path: "a.txt" }, result: failed("Missing 'content' parameter") },
      { name: "shelf", input: {}, result: failed("Unknown tool: shelf") },
    ],
  },
  {
    title: "what is not listed does not run, also where another program would start it",
    rows: ["ZC-010", "ZC-077", "ZC-078"],
    files: { "a.txt": "a\n" },
    calls: [
      shell("touch b.txt", NOT_LISTED),
      shell("ls; touch b.txt", NOT_LISTED),
      shell("ls && /usr/bin/touch b.txt", NOT_LISTED),
      shell("./ls", NOT_LISTED),
      shell("ls\ntouch b.txt", NOT_LISTED),
      shell("find . -exec touch b.txt ;", NOT_LISTED),
      shell("echo $(touch b.txt)", NOT_LISTED),
      shell("echo a > b.txt", NOT_LISTED),
      shell("echo 'unclosed", NOT_LISTED),
      shell("cat /etc/passwd | sudo cat", NOT_LISTED),
    ],
    after: { "b.txt": null },
  },
  {
    title: "a forbidden path is named, before the risk is weighed",
    rows: ["ZC-009", "ZC-011", "ZC-077"],
    policy: { allowedCommands: ["cat", "ls", "rm", "head", "grep"] },
    calls: [
      shell("cat /etc/shadow", failed("Path blocked by security policy: /etc/shadow")),
      shell("cat ../secret.txt", failed("Path blocked by security policy: ../secret.txt")),
      shell("cat ~/.ssh/id_rsa", failed("Path blocked by security policy: /home/user/.ssh/id_rsa")),
      shell("cat --file=/etc/passwd", failed("Path blocked by security policy: /etc/passwd")),
      shell("head -c1/etc/passwd", failed("Path blocked by security policy: /etc/passwd")),
      shell("rm -rf /etc", failed("Path blocked by security policy: /etc")),
      shell("ls /srv", failed("Path blocked by security policy: /srv")),
      shell("rm /project/a.txt", BLOCKED),
    ],
  },
  {
    title: "medium risk is asked about; nobody is there",
    rows: ["ZC-078", "ZC-079"],
    policy: { allowedCommands: ["mkdir", "npm", "git"] },
    calls: [
      shell("mkdir build", MEDIUM_ASKED),
      shell("npm test", MEDIUM_ASKED),
      shell("git commit -m x", MEDIUM_ASKED),
    ],
  },
  {
    title: "medium risk runs once a user has approved it; `approved` of the model is no answer",
    rows: ["ZC-006", "ZC-079"],
    policy: { allowedCommands: ["mkdir", "ls"] },
    approval: "granted",
    asked: [
      "Medium-risk command requires approval: `mkdir build`: `mkdir` is listed as medium risk.",
      "Medium-risk command requires approval: `mkdir other`: `mkdir` is listed as medium risk.",
    ],
    calls: [
      shell("mkdir build", done("")),
      shell("mkdir other", done(""), { approved: true }),
      shell("ls", done("build\nother\n")),
    ],
  },
  {
    title: "a user says no, and `approved` of the model changes nothing",
    rows: ["ZC-010"],
    policy: { allowedCommands: ["mkdir"] },
    approval: "denied",
    asked: ["Medium-risk command requires approval: `mkdir build`: `mkdir` is listed as medium risk."],
    calls: [shell("mkdir build", violation("not now"), { approved: true })],
  },
  {
    title: "high risk is blocked, whoever approves",
    rows: ["ZC-078", "ZC-079"],
    policy: { allowedCommands: ["rm", "ls"] },
    approval: "granted",
    asked: [],
    files: { "a.txt": "a\n" },
    calls: [shell("rm a.txt", BLOCKED, { approved: true }), shell("ls && rm -f a.txt", BLOCKED)],
    after: { "a.txt": "a\n" },
  },
  {
    title: "high risk is asked about where it is not blocked",
    rows: ["ZC-078", "ZC-079"],
    policy: { allowedCommands: ["rm", "ls"], blockHighRiskCommands: false },
    files: { "a.txt": "a\n" },
    calls: [shell("rm a.txt", HIGH_ASKED, { approved: true })],
    after: { "a.txt": "a\n" },
  },
  {
    title: "full autonomy asks nobody, and keeps its lists",
    rows: ["ZC-079"],
    autonomy: "full",
    policy: { allowedCommands: ["rm", "mkdir", "cat"], blockHighRiskCommands: false },
    files: { "a.txt": "a\n" },
    calls: [
      shell("rm a.txt", done("")),
      shell("mkdir build", done("")),
      shell("touch a.txt", NOT_LISTED),
      shell("cat /etc/shadow", failed("Path blocked by security policy: /etc/shadow")),
      read("/etc/shadow", failed("Path not allowed by security policy: /etc/shadow")),
    ],
    after: { "a.txt": null },
  },
  {
    title: "a session that is read-only reads, and does nothing else",
    rows: ["ZC-027", "ZC-093"],
    autonomy: "readonly",
    files: { "a.txt": "a\n" },
    calls: [
      read("a.txt", done("a\n")),
      write("a.txt", "b\n", failed("Read-only mode: cannot write files")),
      shell("ls", failed("Read-only mode: cannot perform 'shell'")),
    ],
    after: { "a.txt": "a\n" },
  },
  {
    title: "twenty actions in an hour, and reading without end",
    rows: ["ZC-093"],
    files: { "a.txt": "a\n" },
    calls: [
      { ...shell("cat a.txt", done("a\n")), times: 19 },
      shell("cat gone.txt", failed("Exit code: 1", "cat: gone.txt: No such file or directory\n")),
      shell("cat a.txt", done("a\n")),
      shell("cat a.txt", failed("Rate limit exceeded")),
      write("a.txt", "b\n", failed("Rate limit exceeded")),
      read("a.txt", done("a\n")),
    ],
    after: { "a.txt": "a\n" },
  },
  {
    title: "a path that is not allowed is not read and not written, and no directory is made for it",
    rows: ["ZC-023", "ZC-028", "ZC-088"],
    files: { "a.txt": "a\n", "sub/b.txt": "b\n" },
    calls: [
      read("/etc/shadow", failed("Path not allowed by security policy: /etc/shadow")),
      read("/project/a.txt", done("a\n")),
      read("../outside.txt", failed("Path not allowed by security policy: ../outside.txt")),
      read("sub/../a.txt", failed("Path not allowed by security policy: sub/../a.txt")),
      read("~/.ssh/id_rsa", failed("Path not allowed by security policy: ~/.ssh/id_rsa")),
      read("a\0.txt", failed("Path not allowed by security policy: a\0.txt")),
      read("gone.txt", failed("File not found: No such file or directory (os error 2)")),
      write("/tmp/x/y.txt", "x", failed("Path not allowed: /tmp/x/y.txt")),
      write("new/../../y.txt", "x", failed("Path not allowed: new/../../y.txt")),
      write("~/y.txt", "x", failed("Path not allowed: ~/y.txt")),
      write("a.txt/b.txt", "x", failed("Failed to write file: Not a directory (os error 20)")),
    ],
    after: { "new": null, "~/y.txt": null, "a.txt": "a\n" },
  },
  {
    title: "the exit code of a command",
    rows: ["ZC-014"],
    policy: { allowedCommands: ["exit", "ls"] },
    calls: [
      shell("exit 3", failed("Exit code: 3")),
      shell("ls && exit 4", failed("Exit code: 4")),
      shell("ls; exit 0", done("")),
    ],
  },
  ...ZEROCLAW_MEMORY_TRANSCRIPTS,
  ...ZEROCLAW_CRON_ADD_TRANSCRIPTS,
  ...ZEROCLAW_CRON_TRANSCRIPTS,
];
