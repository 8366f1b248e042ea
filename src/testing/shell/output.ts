/** Output: every byte is kept or counted, separately for each command. */
import { concatBytes } from "../../text/index.js";
import { on, pseudoRandomBytes, shown, utf8 } from "../case-setup.js";
import { expectBytes, expectEqual, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { expectCounted, expectExit, pause, run, stdoutOf } from "./run.js";

const MIB = 1024 * 1024;

async function fileOf(fixture: Fixture, name: string, bytes: Uint8Array): Promise<void> {
  await bindAll(fixture).fs.writeFile(`${fixture.directory}/${name}`, bytes);
}

/** A listener that records its chunks and never resolves. */
function stuckListener() {
  const reported: Uint8Array[] = [];
  return {
    chunks: reported,
    onOutput(_stream: "stdout" | "stderr", chunk: Uint8Array) {
      reported.push(chunk);
      return new Promise<void>(() => {});
    },
  };
}

export const shellOutput: Suite<Fixture> = [
  on(
    "shell:output:flood-on-both-streams",
    "1 MiB on each stream arrives complete and without a deadlock",
    async (fixture) => {
      const out = pseudoRandomBytes(MIB, 31);
      const err = pseudoRandomBytes(MIB, 32);
      await fileOf(fixture, "out", out);
      await fileOf(fixture, "err", err);
      const result = await run(fixture, "cat err >&2; cat out; cat err >&2");
      expectExit(result, 0, "exit");
      expectBytes(result.stdout.head, out, "stdout");
      expectBytes(result.stderr.head, concatBytes([err, err]), "stderr");
    },
  ),
  on(
    "shell:output:own-streams",
    "A command that changes the mode of its streams changes those of no later command",
    async (fixture) => {
      // As `cp -p` does, of a file that may only be read. With more commands than there are workers.
      for (let turn = 0; turn < 6; turn++) {
        await run(fixture, "chmod 0 /dev/stdout /dev/stderr /dev/fd/1 /dev/fd/2; echo changed");
        expectEqual(stdoutOf(await run(fixture, "echo ok")), "ok\n", `the output of a later command, turn ${turn}`);
      }
    },
  ),
  on(
    "shell:output:head-and-tail",
    "Of long output the first and last bytes are kept and the rest is counted",
    async (fixture) => {
      const bytes = pseudoRandomBytes(3 * MIB, 33);
      await fileOf(fixture, "large", bytes);
      const result = await run(fixture, "cat large; cat large", { keep: { head: 1_000, tail: 3_000 } });
      expectExit(result, 0, "exit");
      expectEqual(
        [result.stdout.produced, result.stdout.omittedBytes],
        [6 * MIB, 6 * MIB - 4_000],
        "produced and dropped",
      );
      expectBytes(result.stdout.head, bytes.subarray(0, 1_000), "head");
      expectBytes(result.stdout.tail, bytes.subarray(bytes.length - 3_000), "tail");
      expectCounted(result);
    },
  ),
  on("shell:output:default-keep", "By default 8 KiB and 24 KiB are kept", async (fixture) => {
    const bytes = pseudoRandomBytes(100_000, 34);
    await fileOf(fixture, "large", bytes);
    const command = "cat large";
    const { shell } = bindAll(fixture, { commands: [{ command, cwd: fixture.directory }] });
    const { stdout } = await shell.exec(command, { cwd: fixture.directory });
    expectBytes(stdout.head, bytes.subarray(0, 8_192), "head");
    expectBytes(stdout.tail, bytes.subarray(100_000 - 24_576), "tail");
    expectEqual(stdout.omittedBytes, 100_000 - 8_192 - 24_576, "dropped");
  }),
  on(
    "shell:output:small-has-no-tail",
    "Output that fits into the head has no tail; output that fits into both has nothing dropped",
    async (fixture) => {
      const keep = { head: 4, tail: 6 };
      const cases: readonly (readonly [string, string, string, number])[] = [
        ["", "", "", 0],
        ["abcd", "abcd", "", 0],
        ["abcde", "abcd", "e", 0],
        ["abcdefghij", "abcd", "efghij", 0],
        ["abcdefghijk", "abcd", "fghijk", 1],
      ];
      for (const [text, head, tail, dropped] of cases) {
        const { stdout } = await run(fixture, `printf '%s' '${text}'`, { keep });
        expectEqual([stdout.produced, stdout.omittedBytes], [text.length, dropped], `counts of "${text}"`);
        expectBytes(stdout.head, head, `head of "${text}"`);
        expectBytes(stdout.tail, tail, `tail of "${text}"`);
      }
    },
  ),
  on("shell:output:nothing-kept", "With nothing to keep all bytes are counted", async (fixture) => {
    const { stdout } = await run(fixture, "echo 12345", { keep: { head: 0, tail: 0 } });
    expectEqual([stdout.head.length, stdout.tail.length, stdout.produced, stdout.omittedBytes], [0, 0, 6, 6], "counts");
  }),
  on("shell:output:any-bytes", "Bytes that are not UTF-8, and NUL, are unchanged", async (fixture) => {
    const bytes = Uint8Array.from({ length: 1_024 }, (_, index) => (index * 5) % 256);
    await fileOf(fixture, "bytes", bytes);
    const result = await run(fixture, "cat bytes; cat bytes >&2");
    expectBytes(result.stdout.head, bytes, "stdout");
    expectBytes(result.stderr.head, bytes, "stderr");
  }),
  on(
    "shell:output:no-final-newline",
    "Output without a final newline is exact, and empty output is empty",
    async (fixture) => {
      const result = await run(fixture, "printf abc; printf de >&2");
      expectBytes(result.stdout.head, "abc", "stdout");
      expectBytes(result.stderr.head, "de", "stderr");
      expectEqual((await run(fixture, "true")).stdout.produced, 0, "bytes of true");
      expectBytes((await run(fixture, "printf '\\n\\n'")).stdout.head, "\n\n", "only newlines");
    },
  ),
  on(
    "shell:output:reported-as-it-comes",
    "onOutput gets every byte once, in order, with its offset, in chunks that are not reused",
    async (fixture) => {
      const bytes = pseudoRandomBytes(300_000, 35);
      await fileOf(fixture, "large", bytes);
      const reported = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
      const wrong: string[] = [];
      const next = { stdout: 0, stderr: 0 };
      const result = await run(fixture, "cat large; echo problem >&2", {
        onOutput(stream, chunk, offset) {
          if (offset !== next[stream]) wrong.push(`${stream} at ${offset} instead of ${next[stream]}`);
          next[stream] += chunk.length;
          reported[stream].push(chunk);
        },
      });
      expectEqual(wrong, [], "offsets");
      expectBytes(concatBytes(reported.stdout), bytes, "stdout as reported");
      expectBytes(concatBytes(reported.stderr), "problem\n", "stderr as reported");
      expectEqual(result.stdout.produced, bytes.length, "produced");
    },
  ),
  on("shell:output:reported-before-the-end", "onOutput is called while the command still runs", async (fixture) => {
    const controller = new AbortController();
    const result = await run(fixture, "echo early; sleep 600", {
      signal: controller.signal,
      graceMs: 500,
      timeoutMs: 20_000,
      onOutput: () => controller.abort(),
    });
    expectEqual([result.ended, stdoutOf(result)], ["cancelled", "early\n"], "how it ended");
  }),
  on(
    "shell:output:a-throwing-listener-harms-nothing",
    "A listener that throws does not change the result",
    async (fixture) => {
      const result = await run(fixture, "echo one; echo two", {
        onOutput: () => {
          throw new Error("the listener failed");
        },
      });
      expectExit(result, 0, "exit");
      expectEqual(stdoutOf(result), "one\ntwo\n", "stdout");
    },
  ),
  on(
    "shell:output:a-slow-listener-gets-all",
    "A slow listener gets every byte in order, one chunk at a time, and the command waits for it",
    async (fixture) => {
      const bytes = pseudoRandomBytes(6 * MIB, 38);
      await fileOf(fixture, "large", bytes);
      const reported = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
      const wrong: string[] = [];
      const next = { stdout: 0, stderr: 0 };
      const busy = { stdout: false, stderr: false };
      const result = await run(fixture, "cat large; cat large >&2", {
        keep: { head: 1_000, tail: 1_000 },
        async onOutput(stream, chunk, offset) {
          if (busy[stream]) wrong.push(`${stream} at ${offset} while it was busy`);
          if (offset !== next[stream]) wrong.push(`${stream} at ${offset} instead of ${next[stream]}`);
          next[stream] += chunk.length;
          busy[stream] = true;
          // As slow as a slow disk.
          await pause(fixture, 2);
          busy[stream] = false;
          reported[stream].push(chunk);
        },
      });
      expectExit(result, 0, "exit");
      expectEqual(wrong, [], "how it was reported");
      expectBytes(concatBytes(reported.stdout), bytes, "stdout as reported");
      expectBytes(concatBytes(reported.stderr), bytes, "stderr as reported");
      expectEqual([result.stdout.produced, result.stderr.produced], [bytes.length, bytes.length], "produced");
    },
  ),
  on(
    "shell:output:a-stuck-listener-holds-no-end",
    "A listener that never resolves does not delay the end of a command, and gets all bytes",
    async (fixture) => {
      const stuck = stuckListener();
      const result = await run(fixture, "echo one; sleep 0.2; echo two", stuck);
      expectExit(result, 0, "exit");
      expectEqual([stdoutOf(result), shown(concatBytes(stuck.chunks))], ["one\ntwo\n", "one\ntwo\n"], "output");
    },
  ),
  on(
    "shell:output:a-stuck-listener-holds-no-deadline",
    "A listener that never resolves does not delay the deadline of an endless printer, and gets all bytes",
    async (fixture) => {
      const stuck = stuckListener();
      const result = await run(fixture, "yes", { timeoutMs: 400, graceMs: 1_000, ...stuck });
      expectEqual([result.ended, result.tree.state], ["deadline", "gone"], "how it ended");
      expectCounted(result);
      const bytes = concatBytes(stuck.chunks);
      expectEqual(bytes.length, result.stdout.produced, "bytes reported");
      expectThat(
        bytes.length > 0 && bytes.length < 16 * MIB,
        `the command waited: ${bytes.length} bytes were reported`,
      );
    },
  ),
  on(
    "shell:output:a-rejecting-listener-harms-nothing",
    "A listener that rejects does not change the result, and gets the next chunk",
    async (fixture) => {
      let reported = "";
      const result = await run(fixture, "echo one; sleep 0.2; echo two", {
        async onOutput(_stream, chunk) {
          reported += shown(chunk);
          throw new Error("the listener failed");
        },
      });
      expectExit(result, 0, "exit");
      expectEqual([stdoutOf(result), reported], ["one\ntwo\n", "one\ntwo\n"], "output");
    },
  ),
  on("shell:output:two-at-once", "Output of two concurrent commands is not mixed", async (fixture) => {
    const one = pseudoRandomBytes(500_000, 36);
    const two = pseudoRandomBytes(500_000, 37);
    await fileOf(fixture, "one", one);
    await fileOf(fixture, "two", two);
    const [first, second] = await Promise.all([
      run(fixture, "cat one; echo 1 >&2"),
      run(fixture, "cat two; echo 2 >&2"),
    ]);
    expectBytes(first.stdout.head, one, "the first");
    expectBytes(second.stdout.head, two, "the second");
    expectBytes(first.stderr.head, "1\n", "the first's errors");
    expectBytes(second.stderr.head, "2\n", "the second's errors");
  }),
  on(
    "shell:output:twelve-at-once",
    "Twelve concurrent commands each get their own input, output and exit code",
    async (fixture) => {
      const all = await Promise.all(
        Array.from({ length: 12 }, (_, index) => run(fixture, `cat; exit ${index}`, { input: utf8(`input ${index}`) })),
      );
      for (const [index, result] of all.entries()) {
        expectExit(result, index, `command ${index}`);
        expectEqual(stdoutOf(result), `input ${index}`, `output ${index}`);
      }
    },
  ),
  on("shell:output:fifty-in-a-row", "Fifty consecutive commands each return their own output", async (fixture) => {
    for (let index = 0; index < 50; index += 1) {
      const result = await run(fixture, `echo ${index}; exit ${index % 7}`);
      expectExit(result, index % 7, `command ${index}`);
      expectEqual(stdoutOf(result), `${index}\n`, `output ${index}`);
    }
  }),
  on("shell:output:slow-beside-quick", "A slow command does not block another", async (fixture) => {
    const controller = new AbortController();
    const slow = run(fixture, "sleep 600", { signal: controller.signal, graceMs: 500, timeoutMs: 20_000 });
    expectEqual(stdoutOf(await run(fixture, "echo quick")), "quick\n", "the quick one");
    controller.abort();
    expectEqual((await slow).ended, "cancelled", "the slow one");
  }),
  on("shell:output:looks-like-a-frame", "Output that imitates framing markers is plain output", async (fixture) => {
    const text = "\n0 0 0\nEND\n--\n__HAFT__:0:0\n\u0004\u0000\n12:abc\nexit 0\n";
    await fileOf(fixture, "frames", utf8(text.repeat(50)));
    const result = await run(fixture, "cat frames; cat frames >&2; exit 5");
    expectExit(result, 5, "exit");
    expectThat(result.stdout.produced === result.stderr.produced, "both streams have the same length");
    expectBytes(result.stdout.head, text.repeat(50), "stdout");
  }),
];
