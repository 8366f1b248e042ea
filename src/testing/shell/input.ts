/** Input that is written to a background command. */
import { HaftError, type ShellHandle } from "../../kernel/index.js";
import { on, shown, utf8 } from "../case-setup.js";
import { expectEqual, expectError, expectThat } from "../expect.js";
import { bindAll, type Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";
import { expectExit, stdoutOf, until } from "./run.js";

/** Does not read its input before its child has ended. */
const SLEEP_THEN_CAT = "sleep 600; cat";
/** The maximum of queued bytes, besides those in the pipe. */
const MAX_WAITING_BYTES = 65_536;
/** More than the pipe and one block. Characters of two bytes, so that a block can end within one. */
const LONG = `-${"é".repeat(600_000)}`;

export const shellInput: Suite<Fixture> = [
  on("shell:spawn:input", "write reaches standard input, and closeInput ends it", async (fixture) => {
    const handle = await spawned(fixture, "cat");
    expectEqual(await handle.write(utf8("one ")), taken(4), "the first write");
    expectEqual(await handle.write(utf8("")), taken(0), "a write of nothing");
    expectEqual(await handle.write(utf8("two")), taken(3), "the second write");
    await handle.closeInput();
    await handle.closeInput();
    const result = await handle.result;
    expectExit(result, 0, "exit");
    expectEqual(stdoutOf(result), "one two", "stdout");
    await handle.closeInput();
  }),
  on(
    "shell:spawn:waiting",
    "A command that waits for input is reported as waiting, with its last output, until it gets the input",
    async (fixture) => {
      const handle = await spawned(fixture, "printf 'Name: '; read name; echo hello $name; sleep 600");
      expectThat(handle.waiting !== undefined, "the backend can look at its processes");
      let on: string | undefined;
      // It may be seen to wait before its output has come.
      await until(fixture, "it is seen to wait with what it has printed", async () => {
        const waiting = await handle.waiting?.();
        on = waiting?.on;
        return waiting?.prompt === "Name:";
      });
      expectEqual(on, "input", "what it waits for");
      await handle.write(utf8("you\n"));
      await until(fixture, "it waits no more", async () => (await handle.waiting?.()) === null);
      await handle.kill("KILL");
    },
  ),
  on(
    "shell:spawn:input-waits",
    "A command that does not read accepts a limited amount: accepted bytes reach it, the rest is not stored",
    async (fixture) => {
      const handle = await spawned(fixture, SLEEP_THEN_CAT);
      const bytes = utf8(LONG);
      const first = await handle.write(bytes, { waitMs: 500 });
      expectThat(
        first.acceptedBytes > 0 && first.acceptedBytes < bytes.length,
        `some were taken: ${first.acceptedBytes}`,
      );
      expectEqual(first.acceptedBytes % 2, 1, "half a character that was taken");
      expectThat(first.waitingBytes > 0 && first.waitingBytes <= MAX_WAITING_BYTES, `waiting: ${first.waitingBytes}`);
      expectEqual(first.isClosed, false, "closed");
      const unwaited = await handle.write(utf8("never"), { signal: AbortSignal.abort() });
      expectEqual(unwaited.acceptedBytes, 0, "bytes of a write whose wait has ended already");
      // None more, unless the way there is slow.
      const second = await handle.write(bytes.subarray(first.acceptedBytes), { waitMs: 50 });
      const rest = bytes.subarray(first.acceptedBytes + second.acceptedBytes);
      expectThat(rest.length > 0, "it takes no more for being asked again");
      await endChildren(fixture, handle);
      expectEqual(await handle.write(rest), taken(rest.length), "the rest, once it reads");
      await handle.closeInput();
      const result = await handle.result;
      expectExit(result, 0, "exit");
      expectThat(stdoutOf(result) === LONG, "all of it came once and in order");
    },
  ),
  on(
    "shell:spawn:input-then-end-of-file",
    "End of file comes after queued input, and closeInput does not wait for it",
    async (fixture) => {
      const handle = await spawned(fixture, SLEEP_THEN_CAT);
      const { acceptedBytes: takenBytes } = await handle.write(utf8(LONG), { waitMs: 500 });
      await handle.closeInput();
      await expectError(handle.write(utf8("late")), "JOB_INPUT_CLOSED", "a write behind the end of file");
      await endChildren(fixture, handle);
      const result = await handle.result;
      expectExit(result, 0, "exit");
      expectThat(stdoutOf(result) === shown(utf8(LONG).subarray(0, takenBytes)), "what was taken came");
    },
  ),
  on("shell:spawn:input-closed", "Input after the reader has closed is rejected, with one message", async (fixture) => {
    const refused = async (handle: ShellHandle, what: string) => {
      const { message } = await expectError(handle.write(utf8("words\n"), { waitMs: 5_000 }), "JOB_INPUT_CLOSED", what);
      expectThat(message.startsWith(`Did not write to "${handle.id}": it has ended, or its standard input`), message);
    };
    const ended = await spawned(fixture, "true");
    await ended.result;
    await refused(ended, "a command that has ended");
    const killed = await spawned(fixture, "sleep 600");
    await killed.kill("KILL");
    await killed.result;
    await refused(killed, "a command that was ended");
    const closed = await spawned(fixture, "sleep 600");
    await closed.closeInput();
    await refused(closed, "a command whose input was closed");
    await closed.kill("KILL");
    const given = await spawned(fixture, "sleep 600", utf8("all of it"));
    await refused(given, "a command that was given its input at its start");
    await given.kill("KILL");
  }),
  on(
    "shell:spawn:input-closed-by-itself",
    "A command that has closed its input gets no more, although it still runs",
    async (fixture) => {
      const handle = await spawned(fixture, "exec <&-; echo closed; sleep 600");
      await until(
        fixture,
        "it has closed its input",
        async () => (await handle.output("stdout", 0, 10)).bytes.length > 0,
      );
      await expectError(handle.write(utf8("words")), "JOB_INPUT_CLOSED", "the write");
      await handle.kill("KILL");
    },
  ),
  on(
    "shell:spawn:input-end",
    "A pending write ends with the command, and returns what was accepted",
    async (fixture) => {
      const handle = await spawned(fixture, "sleep 600");
      const bytes = utf8(LONG);
      const writing = handle.write(bytes).catch((thrown: unknown) => {
        // The command has ended within the first block.
        if (HaftError.is(thrown, "JOB_INPUT_CLOSED")) return { acceptedBytes: 0, waitingBytes: 0, isClosed: true };
        throw thrown;
      });
      expectEqual((await handle.write(utf8("x"), { waitMs: 300 })).acceptedBytes, 0, "a write behind one that waits");
      await handle.kill("KILL");
      const { acceptedBytes: takenBytes, waitingBytes, isClosed } = await writing;
      expectEqual([waitingBytes, isClosed], [0, true], "nothing waits for a command that has ended");
      expectThat(takenBytes < bytes.length, `taken: ${takenBytes}`);
    },
  ),
];

function taken(takenBytes: number) {
  return { acceptedBytes: takenBytes, waitingBytes: 0, isClosed: false };
}

function spawned(fixture: Fixture, command: string, input?: Uint8Array): Promise<ShellHandle> {
  const claimed = { command, cwd: fixture.directory, background: "keep" as const };
  const { shell } = bindAll(fixture, {
    commands: [input === undefined ? claimed : { ...claimed, input: shown(input) }],
  });
  const keep = { head: 4 * 1024 * 1024, tail: 0 };
  return shell.spawn(command, {
    cwd: fixture.directory,
    lifetime: "session",
    keep,
    ...(input === undefined ? {} : { input }),
  });
}

/** Ends the child of the command as soon as it has started, so that the command continues. */
async function endChildren(fixture: Fixture, handle: ShellHandle): Promise<void> {
  let children: readonly number[] = [];
  await until(fixture, "it has started something", async () => {
    // A signal that is ignored.
    const { survivors } = await handle.kill("CONT");
    children = survivors.map(({ pid }) => pid).filter((pid) => pid !== handle.pid);
    return children.length > 0;
  });
  for (const pid of children) await fixture.backend.root.shell.exec(`kill ${pid}`, { cwd: fixture.directory });
}
