/** Node.js and its package managers. */
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import { TOOL } from "./checkers.js";
import { everywhere } from "./everywhere.js";
import { readsProgram } from "./interpreters.js";

const RUNS: ProgramSpec = { does: "medium workspace", operands: "text maybe*", stopsAtOperand: true };
const LOOKS: ProgramSpec = { operands: "text*" };
const ASKS_REGISTRY: ProgramSpec = { does: "medium network", why: "asks the registry", operands: "text*" };
const INSTALLS: ProgramSpec = {
  does: "medium network workspace",
  why: "installs packages and runs their scripts",
  operands: "maybe*",
  options: { "-g --global --location": "high", "--registry": "high url" },
};
const ACCOUNT: ProgramSpec = { does: "high network", why: "changes the registry or the account", operands: "text*" };
/** `npm exec`: a program of a package, which is installed if it is missing. */
const EXECUTES: ProgramSpec = {
  does: "medium network workspace",
  why: "runs a program of a package",
  operands: "text maybe*",
  stopsAtOperand: true,
  options: { "-p --package -w --workspace": "text", "-c --call": "shell", "--registry": "high url" },
  info: "--version -v --help -h",
};
const CONFIGURES: ProgramSpec = {
  commands: { "get list ls": LOOKS },
  otherwise: { does: "high", why: "changes the configuration of the package manager", operands: "text*" },
};

const MANAGER: ProgramSpec = everywhere({
  info: "--version -v --help -h -version",
  options: {
    "--prefix -C --dir --cwd": "cwd",
    "-w --workspace --filter -F --loglevel": "text",
    "--silent -s --if-present --workspaces -ws --recursive": "",
    "--userconfig --globalconfig": "high read",
    "--script-shell": "high text",
    "--registry": "high url",
    "--cache --logs-dir": "write",
    "--proxy --https-proxy --noproxy --cafile --node-options --viewer --browser --editor --shell --git": "high text",
  },
  operands: "text*",
  commands: {
    "run run-script test t tst start stop restart rebuild build dev lint": RUNS,
    "exec x dlx create init innit": EXECUTES,
    "ls list ll la explain why root prefix": LOOKS,
    "view info show search outdated audit ping whoami doctor fund find-dupes query": ASKS_REGISTRY,
    "install i ci add update up upgrade uninstall remove rm un dedupe prune link unlink import fetch install-test it patch rebuild-all":
      INSTALLS,
    "publish unpublish deprecate login logout adduser owner token profile access team dist-tag org star": ACCOUNT,
    pack: {
      does: "medium workspace",
      why: "runs scripts of the package and writes an archive",
      operands: "maybe*",
      options: { "--pack-destination": "write" },
    },
    version: { does: "medium workspace", why: "changes the version", operands: "text*" },
    "config c get set pkg": CONFIGURES,
    cache: { does: "medium", operands: "text*" },
    "store env": { does: "medium", operands: "text*" },
  },
});

/** `yarn name` and `bun name` run a script of that name. */
const SCRIPT_MANAGER: ProgramSpec = {
  ...MANAGER,
  otherwise: { does: "medium workspace network", why: "runs a script or installs packages", operands: "maybe*" },
};

const node = (call: ProgramCall): void =>
  readsProgram(call, ["-e", "--eval", "-p", "--print", "--test", "--run", "-c", "--check", "--watch"]);

export const JAVASCRIPT: ProgramTable = {
  node: {
    info: "--version -v --help -h --v8-options",
    operands: "script maybe*",
    stopsAtOperand: true,
    options: {
      "-e --eval -p --print -pe": "code",
      "-r --require --import --loader --experimental-loader": "script",
      "-C --conditions --input-type --title --test-name-pattern --test-skip-pattern --test-concurrency --test-timeout --test-shard --test-isolation --test-coverage-include --test-coverage-exclude":
        "text",
      "--test-only --test-force-exit --test-update-snapshots --experimental-test-coverage --experimental-test-module-mocks --experimental-strip-types --no-warnings --enable-source-maps --trace-warnings":
        "",
      "--test-reporter --test-global-setup": "script",
      "--test-reporter-destination --diagnostic-dir --cpu-prof-dir --heap-prof-dir": "write",
      "--env-file-if-exists": "read",
      "--env-file": "read",
      "--test --watch": "workspace",
      "--run": "text workspace",
      "-c --check": "operands=read",
      "--inspect --inspect-brk": "text glued high network",
    },
    judge: node,
  },
  nodejs: {
    does: "medium workspace",
    operands: "script maybe*",
    stopsAtOperand: true,
    options: { "-e -p --eval --print": "code" },
    judge: node,
  },
  deno: {
    info: "--version -V --help -h",
    operands: "text*",
    commands: {
      "fmt lint check info doc": { does: "medium", operands: "change*", options: { "-c --config": "read" } },
      eval: { operands: "code text*" },
    },
    otherwise: { does: "medium workspace network", operands: "text maybe*", stopsAtOperand: true },
  },
  npm: MANAGER,
  // `bun why` may be a script of the workspace.
  bun: { ...SCRIPT_MANAGER, does: "medium workspace" },
  // These run the release, and pnpm the hooks, that the workspace configures.
  pnpm: { ...SCRIPT_MANAGER, does: "medium workspace", info: "" },
  yarn: { ...SCRIPT_MANAGER, does: "medium workspace", info: "" },
  npx: EXECUTES,
  pnpx: EXECUTES,
  bunx: EXECUTES,
  corepack: { does: "medium network", operands: "text*" },
  "ts-node": { ...RUNS, operands: "script maybe*" },
  tsx: { ...RUNS, operands: "script maybe*" },
  nodemon: { ...RUNS, operands: "script maybe*" },
  webpack: TOOL,
  vite: TOOL,
  rollup: TOOL,
  esbuild: TOOL,
  turbo: TOOL,
  nx: TOOL,
  lerna: TOOL,
  next: TOOL,
  nvm: { does: "medium network", operands: "text*", commands: { "ls list current which version": LOOKS } },
  fnm: { does: "medium network", operands: "text*" },
  volta: { does: "medium network", operands: "text*" },
};
