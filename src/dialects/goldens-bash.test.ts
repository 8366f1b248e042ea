import { describe, expect } from "vitest";
import { verifies } from "../testing/verifies.fixture.js";
import type { BashData } from "../tools/bash/contract.js";
import {
  bashData,
  DIALECTS,
  expectGolden,
  failedWith,
  type Golden,
  refused,
  said,
  seenBy,
  stream,
  succeeded,
} from "./golden.fixture.js";

const done = (more: Partial<BashData>) => succeeded(bashData(more));
const ended = (code: string, more: Partial<BashData>) => failedWith(code, "The command failed.", {}, bashData(more));
const timedOut = (inBackground: string) =>
  `status: timed out after 60000 ms. Its process tree was terminated with TERM, then KILL. Raise \`timeoutMs\` (at most 600000), or start it in the background with ${inBackground}.`;

const GOLDENS: readonly Golden[] = [
  {
    ids: ["IR-102", "ZC-013", "BD-018"],
    situation: "plain",
    result: done({ stdout: stream("512M\t/var\n") }),
    haft: "stdout:\n512M\t/var\nstderr: (empty)\nstatus: exit code 0",
    indusagi: "stdout:\n512M\t/var\nstderr:\nstatus: exit code 0",
    zeroclaw: said("512M\t/var\n"),
    buddy: "exit code: 0\nstdout:\n512M\t/var\n\nstderr:\n",
  },
  {
    ids: ["IR-102", "ZC-013", "BD-018"],
    situation: "both streams",
    result: done({ stdout: stream("out\n"), stderr: stream("err\n") }),
    haft: "stdout:\nout\nstderr:\nerr\nstatus: exit code 0",
    indusagi: "stdout:\nout\nstderr:\nerr\nstatus: exit code 0",
    zeroclaw: said("stdout:\nout\n\n\nstderr:\nerr\n"),
    buddy: "exit code: 0\nstdout:\nout\n\nstderr:\nerr\n",
  },
  {
    ids: ["ZC-013", "BD-018"],
    situation: "only stderr, without a final newline",
    result: done({ stderr: stream("warn") }),
    haft: "stdout: (empty)\nstderr:\nwarn\nstatus: exit code 0",
    indusagi: "stdout:\nstderr:\nwarn\nstatus: exit code 0",
    zeroclaw: said("warn"),
    buddy: "exit code: 0\nstdout:\n\nstderr:\nwarn",
  },
  {
    ids: ["IR-102", "ZC-013", "BD-018"],
    situation: "empty",
    result: done({}),
    haft: "stdout: (empty)\nstderr: (empty)\nstatus: exit code 0",
    indusagi: "stdout:\nstderr:\nstatus: exit code 0",
    zeroclaw: said(""),
    buddy: "exit code: 0\nstdout:\n\nstderr:\n",
  },
  {
    ids: ["IR-103", "ZC-014", "BD-021"],
    situation: "failed",
    result: ended("SHELL_EXIT", { exitCode: 3, stderr: stream("boom\n") }),
    haft: "stdout: (empty)\nstderr:\nboom\nstatus: exit code 3",
    indusagi: "stdout:\nstderr:\nboom\nstatus: exit code 3",
    zeroclaw: refused("Exit code: 3", "boom\n"),
    buddy: "exit code: 3\nstdout:\n\nstderr:\nboom\n",
  },
  {
    ids: ["IR-103", "ZC-014", "BD-022"],
    situation: "signalled",
    result: ended("SHELL_SIGNALLED", { exitCode: null, signal: "KILL", stdout: stream("before\n") }),
    haft: "stdout:\nbefore\nstderr: (empty)\nstatus: ended by signal KILL",
    indusagi: "stdout:\nbefore\nstderr:\nstatus: ended by signal KILL",
    zeroclaw: refused("Exit code: -1", "before\n"),
    buddy: "exit code: -1\nstdout:\nbefore\n\nstderr:\n",
  },
  {
    ids: ["IR-103", "ZC-014", "BD-018"],
    situation: "a status that may stand for a signal",
    result: ended("SHELL_EXIT", { exitCode: 137, ambiguous: true }),
    haft: "stdout: (empty)\nstderr: (empty)\nstatus: exit code 137 (or ended by signal KILL)",
    indusagi: "stdout:\nstderr:\nstatus: exit code 137 (or ended by signal KILL)",
    zeroclaw: refused("Exit code: 137"),
    buddy: "exit code: 137\nstdout:\n\nstderr:\n",
  },
  {
    ids: ["ZC-015", "ZC-012", "BD-017"],
    situation: "timed out",
    result: ended("SHELL_TIMEOUT", {
      ended: "deadline",
      exitCode: null,
      signal: "KILL",
      endedBy: "KILL",
      stdout: stream("so far\n"),
    }),
    haft: `stdout:\nso far\nstderr: (empty)\n${timedOut("`background`")}`,
    indusagi: `stdout:\nso far\nstderr:\n${timedOut("`&` and its output in a file")}`,
    zeroclaw: refused("Execution failed: command timed out after 60 seconds"),
    buddy: "execution failed: local command timed out after 1m",
  },
  {
    ids: ["IR-101", "ZC-015"],
    situation: "cancelled",
    result: ended("SHELL_CANCELLED", {
      ended: "cancelled",
      exitCode: null,
      signal: "TERM",
      endedBy: "TERM",
      durationMs: 900,
    }),
    haft: "stdout: (empty)\nstderr: (empty)\nstatus: cancelled after 900 ms. Its process tree was terminated with TERM.",
    indusagi: "stdout:\nstderr:\nstatus: cancelled after 900 ms. Its process tree was terminated with TERM.",
    zeroclaw: refused("Execution failed: command was cancelled"),
    buddy: "execution failed: command was cancelled",
  },
  {
    ids: ["ZC-013", "BD-018"],
    situation: "not UTF-8",
    result: done({ stdout: stream("na\ufffdve\n", { bytes: 6, invalid: 1 }) }),
    haft: "stdout (1 byte not UTF-8, shown as U+FFFD):\nna\ufffdve\nstderr: (empty)\nstatus: exit code 0",
    indusagi: "stdout:\nna\ufffdve\nstderr:\nstatus: exit code 0",
    zeroclaw: said("na\ufffdve\n"),
    buddy: "exit code: 0\nstdout:\nna\ufffdve\n\nstderr:\n",
  },
  {
    ids: ["ZC-013", "BD-018"],
    situation: "CRLF, a progress display and colours",
    result: done({ stdout: stream("a\r\n10%\r20%\n\x1b[1mbold\x1b[0m\n") }),
    haft: "stdout (8 control characters removed):\na\n10%\n20%\nbold\nstderr: (empty)\nstatus: exit code 0",
    indusagi: "stdout:\na\r\n10%\r20%\n\x1b[1mbold\x1b[0m\nstderr:\nstatus: exit code 0",
    zeroclaw: said("a\r\n10%\r20%\n\x1b[1mbold\x1b[0m\n"),
    buddy: "exit code: 0\nstdout:\na\r\n10%\r20%\n\x1b[1mbold\x1b[0m\n\nstderr:\n",
  },
  {
    ids: ["BD-018", "ZC-013"],
    situation: "survivors",
    result: done({
      stdout: stream("started\n"),
      tree: "alive",
      job: "job-3",
      survivors: [
        { pid: 41, name: "sleep", holds: "stdout" },
        { pid: 42, name: "vite", holds: "none" },
      ],
    }),
    haft: "stdout:\nstarted\nstderr: (empty)\nstatus: exit code 0\nstill running: sleep (pid 41, holds stdout open), vite (pid 42), now job job-3. To end it: `kill 41 42`.",
    indusagi:
      "stdout:\nstarted\nstderr:\nstatus: exit code 0\nstill running: sleep (pid 41, holds stdout open), vite (pid 42), now job job-3. To end it: `kill 41 42`.",
    zeroclaw: said("started\n"),
    buddy: "exit code: 0\nstdout:\nstarted\n\nstderr:\n",
  },
  {
    ids: ["ZC-015", "BD-003"],
    situation: "a spawn error",
    result: ended("SHELL_SPAWN", {
      ended: "spawn-error",
      began: "no",
      exitCode: null,
      problem: "there is no directory /gone",
    }),
    haft: "status: not started: there is no directory /gone.",
    indusagi: "stdout:\nstderr:\nstatus: not started: there is no directory /gone.",
    zeroclaw: refused("Execution failed: there is no directory /gone"),
    buddy: "execution failed: there is no directory /gone",
  },
  {
    ids: ["ZC-010", "BD-003"],
    situation: "denied by policy",
    result: failedWith("POLICY_DENIED", "Did not run `bash`: the command is not allowed. Use another.", {
      rule: "commands",
    }),
    haft: "Did not run `bash`: the command is not allowed. Use another.",
    indusagi: "Did not run `bash`: the command is not allowed. Use another.",
    zeroclaw: refused("Security policy violation: the command is not allowed. Use another."),
    buddy: "execution failed: Did not run `bash`: the command is not allowed. Use another.",
  },
  {
    ids: ["ZC-011"],
    situation: "denied for a path",
    result: failedWith("POLICY_DENIED", "Did not run `bash`: /etc/shadow is forbidden. Leave it out.", {
      rule: "paths",
      claim: { kind: "file", path: "/etc/shadow" },
    }),
    haft: "Did not run `bash`: /etc/shadow is forbidden. Leave it out.",
    indusagi: "Did not run `bash`: /etc/shadow is forbidden. Leave it out.",
    zeroclaw: refused("Path blocked by security policy: /etc/shadow"),
    buddy: "execution failed: Did not run `bash`: /etc/shadow is forbidden. Leave it out.",
  },
  {
    ids: ["ZC-010"],
    situation: "denied by a person",
    result: failedWith("POLICY_DENIED", "Did not run `bash`: not now.", { rule: "ask", deniedBy: "approver" }),
    haft: "Did not run `bash`: not now.",
    indusagi: "Did not run `bash`: not now.",
    zeroclaw: refused("Security policy violation: not now."),
    buddy: "Command execution denied by user.",
  },
  {
    ids: ["ZC-005", "BD-003"],
    situation: "a missing argument",
    result: failedWith("CALL_INVALID", "Did not run `bash`: `command` is required (string).", {
      parameter: "command",
      missing: true,
      problem: "`command` is required (string)",
    }),
    args: {},
    haft: "Did not run `bash`: `command` is required (string).",
    indusagi: "Did not run `bash`: `command` is required (string).",
    zeroclaw: refused("Missing 'command' parameter"),
    buddy: "invalid arguments: missing field `command`",
  },
  {
    ids: ["ZC-012", "ZC-013", "BD-019", "BD-020", "BD-087"],
    situation: "huge, of two-byte characters",
    result: done({
      stdout: stream("é".repeat(4_500), {
        tail: "END\n",
        bytes: 1_000_000,
        omittedBytes: 990_996,
        artifact: "a7",
        notable: [{ line: 70, text: "error: lost" }],
      }),
      stderr: stream("é".repeat(4_000)),
    }),
    haft: `stdout:\n${"é".repeat(4_500)}\n[… 990996 bytes omitted; \`read\` or \`grep\` the path "artifact:a7" for all 1000000 bytes …]\n[line 70] error: lost\nEND\nstderr:\n${"é".repeat(4_000)}\nstatus: exit code 0`,
    indusagi: `stdout:\n${"é".repeat(4_500)}\n[990996 bytes of stdout left out; the whole is artifact:a7]\nEND\nstderr:\n${"é".repeat(4_000)}\nstatus: exit code 0`,
    zeroclaw: said(`stdout:\n${"é".repeat(4_500)}\n\nstderr:\n${"é".repeat(4_000)}`),
    buddy: `exit code: 0\nstdout:\n${"é".repeat(4_000)}...[truncated]\nstderr:\n${"é".repeat(4_000)}`,
  },
];

describe("one result of bash in four dialects", () => {
  for (const golden of GOLDENS) {
    verifies(golden.ids, `${golden.situation} has each dialect's exact text`, () => {
      expectGolden("bash", golden, { command: "make" }, { backend: "local" });
    });
  }

  verifies(
    ["ZC-012", "ZC-013"],
    "each stream is cut at 1048576 bytes between characters, and the rest is counted",
    () => {
      const result = done({ stdout: stream(`x${"é".repeat(600_000)}`) });
      const seen = seenBy(DIALECTS.zeroclaw, "bash", result, {});
      expect(seen.envelope).toEqual({ success: true, output: `x${"é".repeat(524_287)}`, error: null });
      expect(seen.cuts).toEqual([{ what: "stdout", producedBytes: 1_200_001, keptBytes: 1_048_575 }]);
    },
  );

  verifies(["BD-018", "ZC-013"], "processes that still run are reported beside a text without room for them", () => {
    const survivors = [{ pid: 41, name: "sleep", holds: "none" as const }];
    const result = done({ survivors, tree: "alive", job: "job-3" });
    const reported = [expect.objectContaining({ what: "still running after the call: sleep (pid 41), now job job-3" })];
    expect(seenBy(DIALECTS.zeroclaw, "bash", result, {}).cuts).toEqual(reported);
    expect(seenBy(DIALECTS.buddy, "bash", result, {}).cuts).toEqual(reported);
  });

  verifies(
    ["ZC-012", "BD-019"],
    "a truncation that the tool has reported is not reported twice, a deeper one is",
    () => {
      const cut = { what: "stdout", producedBytes: 1_000_000, keptBytes: 16_384, artifact: "a7" };
      const stdout = stream("x".repeat(16_384), { bytes: 1_000_000, omittedBytes: 983_616, artifact: "a7" });
      const result = { ...done({ stdout }), truncations: [cut] };
      expect(seenBy(DIALECTS.zeroclaw, "bash", result, {}).cuts).toEqual([cut]);
      expect(seenBy(DIALECTS.haft, "bash", result, {}).cuts).toEqual([cut]);
      const deeper = expect.objectContaining({ what: "stdout after its first 4000 characters", keptBytes: 4_000 });
      expect(seenBy(DIALECTS.buddy, "bash", result, {}).cuts).toEqual([cut, deeper]);
    },
  );
});
