/** Programs that start the program in their arguments. */
import { assignmentValue, hostOf } from "../apply-spec.js";
import { hasOption, optionValues } from "../call-options.js";
import { judgeAssignment } from "../environment.js";
import { type ExpandedWord, literalWord, unknownWord } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import { runOperands } from "./builtins.js";
import { judgeXargs } from "./xargs.js";

/** A wrapper of which only the options that take a value matter. */
function wrapper(valued: string, skip = 0, more: Partial<ProgramSpec> = {}): ProgramSpec {
  return {
    operands: "text*",
    stopsAtOperand: true,
    ...more,
    options: { ...(valued === "" ? {} : { [valued]: "text" }), ...more.options },
    judge: (call) => runOperands(call, skip),
  };
}

/** Assignments, then a program. */
function runAfterAssignments(call: ProgramCall): void {
  const words = call.parsed.operands;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as ExpandedWord;
    const given = assignmentValue(word);
    if (given === undefined) break;
    judgeAssignment(call.facts, given.name, given.value);
  }
  if (index < words.length) call.run(words.slice(index));
}

/** Words that `env -S` splits as they look. */
const PLAIN_WORDS = /^[\w./:=@%,+ -]*$/;

function judgeEnv(call: ProgramCall): void {
  const { facts, parsed, args } = call;
  for (const { value } of optionValues(call, "-u", "--unset")) judgeAssignment(facts, value, undefined);
  // Haft guards git by variables.
  if (hasOption(call, "-i", "--ignore-environment") || args[0]?.value === "-")
    facts.raise("medium", "starts a program without the usual variables");
  const [split] = optionValues(call, "-S", "--split-string");
  if (split === undefined) runAfterAssignments(call);
  else if (split.isUnresolved || split.isGlob || !PLAIN_WORDS.test(split.value))
    facts.problem("dynamic-command", `\`${split.text}\` is taken apart in another way than by a shell`);
  else {
    const words = split.value.split(" ").filter((word) => word !== "");
    call.run([literalWord("env"), ...words.map(literalWord), ...parsed.operands]);
  }
}

function remoteCommand(call: ProgramCall): void {
  const [host, ...words] = call.parsed.operands;
  if (host !== undefined) call.facts.connects(host.isUnresolved ? undefined : hostOf(host.value));
  if (words.length === 0) return;
  const unknown = words.find(({ isUnresolved }) => isUnresolved);
  call.shell(unknown ?? literalWord(words.map(({ value }) => value).join(" ")), { remote: true });
}

const ROOT: Partial<ProgramSpec> = { does: "high", why: "runs as another user" };

export const WRAPPERS: ProgramTable = {
  nohup: wrapper(""),
  timeout: wrapper("-k --kill-after -s --signal", 1),
  gtimeout: wrapper("-k --kill-after -s --signal", 1),
  nice: wrapper("-n --adjustment"),
  ionice: wrapper("-c --class -n --classdata", 0, { options: { "-p --pid -P --pgid -u --uid": "medium text" } }),
  chrt: wrapper("-p --pid", 1, { does: "medium" }),
  taskset: wrapper("", 1, { options: { "-p --pid": "medium" } }),
  stdbuf: wrapper("-i --input -o --output -e --error"),
  unbuffer: wrapper(""),
  setsid: wrapper(""),
  catchsegv: wrapper(""),
  caffeinate: wrapper("-t -w"),
  "xvfb-run": wrapper("-s --server-args -n --server-num -e --error-file -f --auth-file -p -w", 0, {
    does: "medium",
    why: "starts a display",
  }),
  "dbus-run-session": wrapper("--config-file --dbus-daemon", 0, { does: "medium" }),
  time: wrapper("-f --format", 0, { options: { "-o --output": "write" } }),
  // Their programs take other options than those of the same name.
  busybox: wrapper("", 0, { does: "medium", why: "runs a program of its own" }),
  toybox: wrapper("", 0, { does: "medium", why: "runs a program of its own" }),
  strace: wrapper("-e -s -p -u -E -I -O -S -P -a -b", 0, { does: "medium", options: { "-o --output": "write" } }),
  ltrace: wrapper("-e -s -p -u -n", 0, { does: "medium", options: { "-o --output": "write" } }),
  prlimit: wrapper("-p --pid", 0, { does: "medium" }),
  sudo: {
    ...wrapper(
      "-u --user -g --group -h --host -p --prompt -C --close-from -r --role -t --type -T --command-timeout -U --other-user",
      0,
      ROOT,
    ),
    ...{ judge: runAfterAssignments },
  },
  doas: wrapper("-u -C -a", 0, ROOT),
  pkexec: wrapper("-u --user", 0, ROOT),
  runuser: { ...wrapper("-u --user -g --group -G -s --shell", 0, ROOT), ...{ judge: judgeSwitch } },
  su: {
    does: "high",
    why: "runs as another user",
    operands: "text*",
    options: { "-c --command": "shell", "-s --shell -g -G -w": "text" },
  },
  sudoedit: { does: "high", why: "edits files as another user", operands: "change*" },
  chroot: wrapper("--userspec --groups", 1, { does: "high", why: "changes what paths mean" }),
  unshare: wrapper("", 0, { does: "high", why: "runs in other namespaces" }),
  nsenter: wrapper("-t --target", 0, { does: "high", why: "runs in other namespaces" }),
  "systemd-run": wrapper("-p --property -u --unit -E --setenv", 0, { does: "high", why: "starts a service" }),
  env: {
    operands: "text*",
    stopsAtOperand: true,
    options: {
      "-u --unset": "text",
      "-C --chdir": "cwd",
      "-S --split-string": "text ends",
      "-a --argv0": "text",
      "-P": "high text",
      "-i --ignore-environment": "",
    },
    judge: judgeEnv,
  },
  xargs: {
    operands: "text*",
    stopsAtOperand: true,
    options: {
      "-I -J -n -P -L -d -E -s -R -S --max-args --max-procs --delimiter --max-chars --process-slot-var": "text",
      "-i --replace -e -l --eof --max-lines": "text glued",
      "-a --arg-file": "read",
    },
    judge: judgeXargs,
  },
  parallel: {
    does: "medium",
    why: "runs a command for each line of its input",
    operands: "text*",
    stopsAtOperand: true,
    options: {
      "-j --jobs -n --max-args -N -d --delimiter --colsep --timeout --delay --retries --joblog --results --tmpdir":
        "text",
      "-S --sshlogin --sshloginfile": "high text network",
      "-a --arg-file": "read",
    },
    judge: (call) => {
      const { facts, parsed } = call;
      const end = parsed.operands.findIndex(({ value }) => value.startsWith(":::"));
      const words = end === -1 ? parsed.operands : parsed.operands.slice(0, end);
      const unknown = words.find(({ isUnresolved }) => isUnresolved);
      // Without a command it runs its arguments, or the lines of stdin.
      if (words.length === 0) facts.problem("dynamic-command", "runs commands that come from its input");
      else call.shell(unknown ?? literalWord(words.map(({ value }) => value).join(" ")));
      facts.unresolved(unknownWord("parallel"));
    },
  },
  watch: {
    operands: "text*",
    stopsAtOperand: true,
    options: { "-n --interval -q --equexit": "text", "-s --shotsdir": "write" },
    judge: (call) => {
      const words = call.parsed.operands;
      if (words.length === 0) return;
      const unknown = words.find(({ isUnresolved }) => isUnresolved);
      call.shell(unknown ?? literalWord(words.map(({ value }) => value).join(" ")));
    },
  },
  script: {
    does: "medium",
    why: "records a terminal session",
    operands: "write*",
    options: {
      "-c --command": "shell",
      "-B --log-io -I --log-in -O --log-out -T --log-timing": "write",
      "-E --echo -m --logging-format -o --output-limit": "text",
    },
    judge: (call) => {
      if (!hasOption(call, "-c", "--command"))
        call.facts.problem("dynamic-command", "starts a shell that reads commands");
    },
  },
  flock: {
    operands: "text*",
    stopsAtOperand: true,
    options: { "-w --timeout --wait -E --conflict-exit-code": "text", "-c --command": "shell" },
    judge: (call) => {
      const [file, ...words] = call.parsed.operands;
      if (file !== undefined) call.facts.file(file, "write");
      if (words[0]?.value === "-c" && words[1] !== undefined) call.shell(words[1]);
      else if (words.length > 0) call.run(words);
    },
  },
  ssh: {
    does: "high network",
    why: "runs commands on another machine",
    operands: "text*",
    stopsAtOperand: true,
    options: {
      "-b -B -c -e -I -J -l -m -O -p -Q -w": "text",
      "-D -L -R -W": "text high",
      "-o -F": "text high",
      "-i": "read",
      "-E -S": "write",
    },
    info: "-V",
    judge: remoteCommand,
  },
  mosh: { does: "high network", operands: "host text*" },
  entr: { does: "medium workspace", operands: "text*", stopsAtOperand: true, judge: (call) => runOperands(call) },
  direnv: { does: "medium workspace", operands: "text*" },
};

function judgeSwitch(call: ProgramCall): void {
  if (hasOption(call, "-u", "--user")) runOperands(call);
}
