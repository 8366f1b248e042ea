import { describe, expect, it } from "vitest";
import type { ShellOptions, ShellResult } from "../../kernel/index.js";
import { bindAll, fakeClock } from "../../testing/index.js";
import { createMemoryBackend, type MemoryBackendOptions, type MemoryCommand } from "./index.js";

const yes: MemoryCommand = async ({ out }) => {
  for (;;) await out("y\n".repeat(1_000));
};
const stubborn: MemoryCommand = async ({ trap, out, sleep }) => {
  trap("TERM", () => {});
  await out("stubborn\n");
  await sleep(1_000_000);
};

function machine(options: MemoryBackendOptions = {}) {
  const clock = fakeClock();
  const backend = createMemoryBackend({ clock, commands: { yes, stubborn }, ...options });
  const exec = (command: string, more: Partial<ShellOptions> = {}) =>
    backend.root.shell.exec(command, { cwd: backend.cwd, ...more });
  return { clock, backend, exec };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const shown = (result: ShellResult) => ({
  out: text(result.stdout.head),
  err: text(result.stderr.head),
  exit: result.exit,
});

async function outOf(command: string, files: Record<string, string> = {}): Promise<string> {
  const result = await machine({ files }).exec(command);
  expect(shown(result)).toMatchObject({ err: "", exit: { by: "code", code: 0 } });
  return text(result.stdout.head);
}

describe("the shell in memory", () => {
  it("returns handles that stop acting once their call has ended, and still report the end", async () => {
    const { backend, clock } = machine();
    const call = new AbortController();
    const command = "cat";
    const grant = { commands: [{ command, cwd: backend.cwd, background: "keep" as const }] };
    const { shell } = bindAll({ backend, clock }, grant, { signal: call.signal });
    const handle = await shell.spawn(command, { cwd: backend.cwd, lifetime: "session" });
    await handle.write(new TextEncoder().encode("heard"));
    call.abort();
    const revoked = { code: "CALL_REVOKED" };
    await expect(handle.write(new TextEncoder().encode("not heard"))).rejects.toMatchObject(revoked);
    await expect(handle.output("stdout", 0, 10)).rejects.toMatchObject(revoked);
    await expect(handle.kill("KILL")).rejects.toMatchObject(revoked);
    const later = await bindAll({ backend, clock }).shell.attach(handle.id);
    await later?.closeInput();
    expect(text((await handle.result).stdout.head)).toBe("heard");
  });

  it("appends to a file in time that is linear, and readers keep what they have read", async () => {
    const { exec, backend } = machine();
    await exec("yes | head -n 400000 > many; echo first >> many");
    const before = await backend.root.fs.readBytes(`${backend.cwd}/many`);
    await exec("echo second >> many");
    expect(text(before.subarray(-10))).toBe("y\ny\nfirst\n");
    expect(await outOf("echo a > f; cat f >> f; echo b >> f; cat f")).toBe("a\na\nb\n");
  });

  it("refuses what it does not know with status 2 and a sentence, before anything has run", async () => {
    const { exec, backend } = machine();
    const unknown = [
      "(echo a)",
      "{ echo a; }",
      "if true; then echo a; fi",
      "for x in a; do echo; done",
      "echo $(pwd)",
      "echo `pwd`",
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's own.
      "echo ${A:-b}",
      "echo $((1+1))",
      "echo *.ts",
      "cat <<< x",
      "echo a |& cat",
      "f() { true; }",
      "A=(1 2)",
      "echo a 3> f",
      "[[ a ]]",
      "echo <(pwd)",
    ];
    for (const command of unknown) {
      const result = await exec(`echo ran > marker; ${command}`);
      expect(result.exit, command).toEqual({ by: "code", code: 2 });
      expect(text(result.stderr.head), command).toMatch(
        /^sh: the memory shell does not support .+\. Use simple commands\n$/,
      );
    }
    expect(shown(await exec("echo 'open"))).toMatchObject({
      err: expect.stringMatching(/^sh: syntax error: /),
      exit: { by: "code", code: 2 },
    });
    expect(await backend.root.fs.exists(`${backend.cwd}/marker`)).toBe(false);
  });

  it("splits unquoted values at whitespace and leaves quoted ones whole", async () => {
    const { exec } = machine();
    const env = { LIST: " a  b\tc ", EMPTY: "" };
    expect(text((await exec(`printf '[%s]' $LIST x$LIST"y" "$LIST" $EMPTY "$EMPTY"`, { env })).stdout.head)).toBe(
      "[a][b][c][x][a][b][c][y][ a  b\tc ][]",
    );
    expect(text((await exec(`A='echo hi'; $A; B=$A; echo "$B"`)).stdout.head)).toBe("hi\necho hi\n");
  });

  it("passes on exported variables and assignments before a command, and no others", async () => {
    const { exec } = machine({ env: { BASE: "1" } });
    const result = await exec("OWN=2; export SHARED=3; ONCE=4 env; env");
    const [first, second] = text(result.stdout.head).split("PATH=").slice(1);
    expect(first).toContain("SHARED=3\nONCE=4");
    expect(second).toContain("BASE=1");
    expect(second).not.toMatch(/OWN=|ONCE=/);
  });

  it("ends a printer whose reader has gone", async () => {
    expect(text((await machine().exec("yes | head -n 2")).stdout.head)).toBe("y\ny\n");
  });

  it("sleeps on the backend's clock, and ends at the time limit", async () => {
    const { clock, exec } = machine();
    const slow = exec("sleep 2; echo done");
    await clock.advance(1_999);
    let isDone = false;
    void slow.then(() => {
      isDone = true;
    });
    await clock.advance(0);
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect(shown(await slow).out).toBe("done\n");
    const limited = exec("echo before; sleep 10", { timeoutMs: 500 });
    await clock.advance(500);
    expect(await limited).toMatchObject({
      ended: "deadline",
      exit: { by: "signal", signal: "TERM" },
      tookMs: 500,
      tree: { state: "gone", endedBy: "TERM" },
    });
  });

  it("sends KILL after the grace to what ignores TERM", async () => {
    const { clock, exec } = machine();
    const result = exec("stubborn", { timeoutMs: 100, graceMs: 400 });
    await clock.advance(499);
    let isDone = false;
    void result.then(() => {
      isDone = true;
    });
    await clock.advance(0);
    expect(isDone).toBe(false);
    await clock.advance(1);
    expect(await result).toMatchObject({
      ended: "deadline",
      tree: { state: "gone", survivors: [], endedBy: "KILL" },
      tookMs: 500,
    });
  });

  it("names survivors 100 ms after the end, makes them a job, and the job ends them", async () => {
    const { clock, exec, backend } = machine();
    const running = exec("sleep 600 & sleep 700 > /dev/null & echo $!");
    await clock.advance(100);
    const result = await running;
    expect(result.tree).toEqual({
      state: "alive",
      endedBy: null,
      survivors: [
        { pid: expect.any(Number), name: "sleep", holds: "stdout" },
        { pid: Number(text(result.stdout.head)), name: "sleep", holds: "stderr" },
      ],
    });
    expect(result.stdout.final).toBe(false);
    const job = await backend.root.shell.attach(result.job as string);
    expect(await job?.kill("TERM")).toEqual({ state: "gone", survivors: [], endedBy: "TERM" });
  });

  it("keeps what a survivor prints later out of the result", async () => {
    const reported: string[] = [];
    const { clock, exec } = machine();
    const running = exec("sleep 5 && echo late & echo early", {
      onOutput: (_stream, bytes) => void reported.push(text(bytes)),
    });
    await clock.advance(100);
    const result = await running;
    await clock.advance(10_000);
    expect([text(result.stdout.head), reported]).toEqual(["early\n", ["early\n"]]);
  });

  it("counts a child's death by a signal as 128 and its number", async () => {
    const { clock, exec } = machine();
    const running = exec("sleep 9 & kill -KILL $!; kill -0 $!; echo $?; kill -s NOPE 1; echo $?; kill -l");
    await clock.advance(100);
    expect(shown(await running)).toMatchObject({
      out: expect.stringMatching(/^1\n1\nHUP INT QUIT /),
      err: expect.stringContaining("No such process"),
    });
  });

  it("closes with everything that runs in it", async () => {
    const { exec, backend, clock } = machine();
    const running = exec("sleep 600");
    expect(await backend.close()).toEqual({ left: [] });
    await clock.advance(200);
    expect((await running).exit).toEqual({ by: "signal", signal: "KILL" });
    expect(() => backend.bind({} as never, {} as never)).toThrow(/is closed/);
  });

  it("reports a command that throws as a failure of that command", async () => {
    const broken: MemoryCommand = () => {
      throw new Error("no luck");
    };
    const { exec } = machine({ commands: { broken, seven: () => 7, quiet: () => {} } });
    expect(shown(await exec("broken"))).toEqual({ out: "", err: "broken: no luck\n", exit: { by: "code", code: 1 } });
    expect((await exec("seven")).exit).toEqual({ by: "code", code: 7 });
    expect((await exec("quiet")).exit).toEqual({ by: "code", code: 0 });
    expect((await exec("constructor")).exit).toEqual({ by: "code", code: 127 });
  });
});

describe("the commands in memory", () => {
  it("printf knows its conversions, widths and escapes, and uses the format again", async () => {
    expect(await outOf(`printf '%s=%d;' a 1 b 2`)).toBe("a=1;b=2;");
    expect(await outOf(`printf '%5s|%-5s|%.2s|%05d|%x|%X|%o|%c|%%|%+d' ab ab abcd 42 255 255 8 xyz 7`)).toBe(
      "   ab|ab   |ab|00042|ff|FF|10|x|%|+7",
    );
    expect(await outOf(`printf 'a\\tb\\n\\101\\x41\\\\'`)).toBe("a\tb\nAA\\");
    expect(await outOf(`printf '%b' 'a\\nb'`)).toBe("a\nb");
    expect(await outOf("printf '%s-%s' only")).toBe("only-");
  });

  it("head, tail and wc count lines and bytes", async () => {
    const files = { lines: "1\n2\n3\n4\n5", other: "a b\n" };
    expect(await outOf("head -n 2 lines", files)).toBe("1\n2\n");
    expect(await outOf("head -c3 lines", files)).toBe("1\n2");
    expect(await outOf("tail -2 lines", files)).toBe("4\n5");
    expect(await outOf("tail -n +4 lines", files)).toBe("4\n5");
    expect(await outOf("tail -n 1 < lines", files)).toBe("5");
    expect(await outOf("head -n1 lines other", files)).toBe("==> lines <==\n1\n\n==> other <==\na b\n");
    expect(await outOf("wc -l lines", files)).toBe("4 lines\n");
    expect((await outOf("wc other lines", files)).split(/\s+/)).toEqual([
      "",
      "1",
      "2",
      "4",
      "other",
      "4",
      "5",
      "9",
      "lines",
      "5",
      "7",
      "13",
      "total",
      "",
    ]);
  });

  it("ls, mkdir and rm work on the same files as the port", async () => {
    const files = { "a.txt": "1", ".hidden": "2", "sub/b.txt": "3" };
    expect(await outOf("ls", files)).toBe("a.txt\nsub\n");
    expect(await outOf("ls -a sub", files)).toBe(".\n..\nb.txt\n");
    expect(await outOf("ls -lF", files)).toMatch(
      /^-rw-r--r-- 1 user user +1 2001-09-09 01:46 a\.txt\ndrwxr-xr-x .* sub\/\n$/,
    );
    expect(await outOf("mkdir -p x/y && rm -r sub && rm -f gone a.txt && ls", files)).toBe("x\n");
    const { exec } = machine({ files });
    expect(shown(await exec("rm sub; rm gone; mkdir a.txt; cat sub; ls gone; cat < gone; echo x > sub"))).toMatchObject(
      {
        err: "rm: sub: Is a directory\nrm: gone: No such file or directory\nmkdir: a.txt: File exists\ncat: sub: Is a directory\nls: gone: No such file or directory\nsh: cannot open gone: No such file or directory\nsh: cannot open sub: Is a directory\n",
        exit: { by: "code", code: 1 },
      },
    );
  });

  it("refuses options it does not know with status 2", async () => {
    const { exec } = machine();
    for (const command of ["ls -Z", "cat -n", "head -z", "wc -L", "rm -i x", "env FOO=1 cmd"]) {
      expect((await exec(command)).exit, command).toEqual({ by: "code", code: 2 });
    }
  });
});
