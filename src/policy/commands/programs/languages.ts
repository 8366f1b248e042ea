/** Python and other languages: interpreters, package managers, test runners. */
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import { TOOL } from "./checkers.js";
import { everywhere } from "./everywhere.js";
import { readsProgram } from "./interpreters.js";

const LOOKS: ProgramSpec = { operands: "text*" };
const INSTALLS: ProgramSpec = {
  does: "medium network workspace",
  why: "installs packages and runs their code",
  operands: "maybe*",
  options: {
    "-r --requirement -c --constraint": "read",
    "-e --editable": "script",
    "-t --target --prefix --root": "write",
    "-i --index-url --extra-index-url": "high url",
    "--user --break-system-packages": "high",
  },
};

const PYTHON: ProgramSpec = {
  info: "--version -V -VV --help -h",
  operands: "script maybe*",
  stopsAtOperand: true,
  options: { "-c": "code ends", "-m": "text workspace ends operands=maybe", "-W -X --check-hash-based-pycs": "text" },
  judge: (call: ProgramCall) => readsProgram(call, ["-c", "-m"]),
};

const PIP: ProgramSpec = everywhere({
  info: "--version -V --help -h",
  operands: "text*",
  options: {
    "--python": "high text",
    "--cache-dir --log --cert --client-cert": "write",
    "--proxy --trusted-host": "high text",
    "--keyring-provider --require-virtualenv": "medium text",
  },
  commands: {
    "list show freeze check help debug inspect": {
      operands: "text*",
      options: { "-o --outdated -u --uptodate": "medium network", "-r --requirement": "read", "--path": "read" },
    },
    "install download wheel": INSTALLS,
    uninstall: { does: "medium", why: "removes packages", operands: "text*", options: { "-r --requirement": "read" } },
    "search index": { does: "medium network", operands: "text*" },
    config: { commands: { "list get debug": LOOKS }, otherwise: { does: "high", operands: "text*" } },
    cache: { does: "medium", operands: "text*" },
  },
});

/** Interpreters whose code option is `-e`. */
const SCRIPTED: ProgramSpec = {
  info: "--version -v -V --help -h",
  operands: "script maybe*",
  stopsAtOperand: true,
  options: { "-e -E": "code", "-I -r -M -m -x": "high text", "-i": "high text glued", "-c": "operands=read" },
  judge: (call: ProgramCall) => readsProgram(call, ["-e", "-E"]),
};

/** `verb` of a package manager whose other verbs run code. */
const manager = (reads: string, installs: string): ProgramSpec => ({
  info: "--version -v -V --help -h",
  operands: "text*",
  commands: {
    ...(reads === ""
      ? {}
      : { [reads]: { closed: true as const, operands: "text*", options: { "-a -l -n --json": "" } } }),
    [installs]: INSTALLS,
  },
  otherwise: { does: "medium workspace", operands: "text maybe*", stopsAtOperand: true },
});

export const LANGUAGES: ProgramTable = {
  python: PYTHON,
  pypy3: PYTHON,
  ipython: { does: "high", operands: "script maybe*" },
  pip: PIP,
  pipx: { ...PIP, otherwise: { does: "medium network workspace", operands: "text maybe*", stopsAtOperand: true } },
  uv: manager("", "tree add remove sync lock pip tool python venv version"),
  uvx: { does: "medium network workspace", operands: "text maybe*", stopsAtOperand: true },
  // poetry loads plugins from the workspace.
  poetry: { ...TOOL, does: "medium workspace network" },
  pipenv: manager("", "graph check install uninstall update sync lock"),
  conda: manager("list info", "install create update remove env search"),
  tox: TOOL,
  nox: TOOL,
  "pre-commit": TOOL,
  perl: SCRIPTED,
  ruby: SCRIPTED,
  irb: { does: "high", operands: "script maybe*" },
  lua: SCRIPTED,
  php: {
    ...SCRIPTED,
    options: {
      "-r -B -R -E": "code",
      "-S": "high text network",
      "-d -z -c": "high text",
      "-f": "script",
      "-l -i -m": "operands=read",
    },
    judge: (call) => readsProgram(call, ["-r", "-B", "-R", "-E", "-S", "-f", "-l", "-i", "-m"]),
  },
  Rscript: { ...SCRIPTED, options: { "-e": "code" } },
  R: { does: "high", operands: "text*" },
  julia: SCRIPTED,
  osascript: { does: "high", operands: "script text*", options: { "-e": "code" } },
  tclsh: SCRIPTED,
  gem: manager("list which environment", "install uninstall update cleanup push info query specification"),
  bundle: { ...TOOL, does: "medium workspace network" },
  rake: TOOL,
  rails: TOOL,
  composer: { ...TOOL, does: "medium workspace network" },
  // Its configuration in the workspace is code.
  luarocks: { ...TOOL, does: "medium workspace network" },
};
