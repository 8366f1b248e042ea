/** Compilers and build tools. */
import type { ProgramSpec, ProgramTable } from "../program-spec.js";

const BUILDS: ProgramSpec = {
  does: "medium workspace",
  why: "runs the build of the workspace",
  operands: "maybe*",
  // Even `--version` reads options of the virtual machine, or the toolchain, from the workspace.
  info: "",
};
const COMPILES: ProgramSpec = {
  does: "medium",
  why: "writes the result of a compilation",
  operands: "read*",
  info: "--version -v --help -dumpversion -dumpmachine",
  options: {
    "-o": "write",
    "-x -std -D -U -l -target -arch -Xlinker -Wl -march": "text",
    "-I -L -include -isystem": "read",
    "-B -wrapper -fplugin -specs": "high text",
  },
};

/** Its options have one hyphen, and a value after `=` or in the next word. */
const GO: ProgramSpec = {
  singleHyphen: true,
  operands: "text*",
  options: {
    "-exec -toolexec -vettool": "high shell",
    "-overlay -modfile": "high read",
    "-C": "cwd",
    "-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile -trace": "write",
    "-outputdir -pkgdir": "write tree",
    "-ldflags -gccgoflags": "high text",
  },
};
const GO_BUILDS: Readonly<Record<string, string>> = {
  ...GO.options,
  "-v -race -cover -short -failfast -json -a -n -x -i -c -benchmem -trimpath -work -asan -msan -fullpath": "",
  "-run -bench -count -timeout -parallel -cpu -p -covermode -coverpkg -tags -skip -shuffle -mod -buildmode -buildvcs -gcflags -asmflags -installsuffix -compiler -list -fuzz -fuzztime -benchtime -vet":
    "text",
  "-pgo": "maybe",
  "-args": "ends",
};

export const BUILD_TOOLS: ProgramTable = {
  make: {
    ...BUILDS,
    info: "--version -v --help -h",
    operands: "text*",
    options: {
      "-C --directory": "cwd",
      "-f --file --makefile": "script",
      "-I --include-dir": "read",
      "-E --eval": "high shell",
      "-j --jobs -l --load-average -O --output-sync": "text glued",
      "-o --old-file -W --what-if": "text",
    },
  },
  gmake: { ...BUILDS, options: { "-C": "cwd", "-f": "script" } },
  just: { ...BUILDS, options: { "-f --justfile": "script", "-d --working-directory": "cwd" } },
  task: BUILDS,
  ninja: { ...BUILDS, options: { "-C": "cwd", "-f": "script" } },
  cmake: {
    ...BUILDS,
    info: "--version --help",
    options: { "-S -B --build --install": "read", "-P": "script", "-D -G -E": "text" },
  },
  meson: BUILDS,
  bazel: BUILDS,
  buck2: BUILDS,
  scons: BUILDS,
  autoconf: BUILDS,
  automake: BUILDS,
  ant: { ...BUILDS, options: { "-f -buildfile": "script" } },
  mvn: BUILDS,
  gradle: BUILDS,
  sbt: BUILDS,
  xcodebuild: BUILDS,
  swift: BUILDS,
  dotnet: {
    ...BUILDS,
    info: "--version --help --info --list-sdks --list-runtimes",
    options: {
      "--no-build --no-restore --nologo --interactive --blame": "",
      "--collect --filter -c --configuration -f --framework -v --verbosity": "text",
      "--test-adapter-path -test-adapter-path": "high script",
      "-r --results-directory -o --output --artifacts-path -d --diag": "write tree",
      "-s --settings": "read",
      "-l --logger -e --environment --property": "maybe",
    },
  },
  gcc: COMPILES,
  "g++": COMPILES,
  cc: COMPILES,
  "c++": COMPILES,
  clang: COMPILES,
  "clang++": COMPILES,
  ld: COMPILES,
  as: COMPILES,
  ar: { does: "medium", operands: "text change read*" },
  ranlib: { does: "medium", operands: "change*" },
  strip: { does: "medium", operands: "change*", options: { "-o": "write" } },
  "clang-format": {
    operands: "read*",
    closed: true,
    options: {
      "-n --dry-run -Werror --Werror --verbose": "",
      "-i": "medium operands=change",
      "--style -style": "text",
    },
  },
  rustc: { ...COMPILES, does: "medium workspace", info: "" },
  rustfmt: {
    does: "medium workspace",
    operands: "change*",
    options: { "--check": "operands=read", "--config-path": "read" },
  },
  rustup: { does: "medium workspace network", operands: "text*", info: "" },
  cargo: {
    // rustup takes the toolchain from a file of the workspace.
    does: "workspace",
    info: "",
    operands: "text*",
    options: { "--config": "high text", "-C": "cwd", "--color": "text" },
    commands: {
      "pkgid locate-project version help read-manifest": {
        operands: "text*",
        options: { "--manifest-path": "read" },
      },
      "tree metadata build b check c test t run r bench doc d clippy fix fmt rustc rustdoc clean nextest expand": {
        ...BUILDS,
        options: {
          "--release -r --all --workspace --all-targets --all-features --no-default-features --lib --bins --tests --examples --benches --doc --locked --offline --frozen -v --verbose -q --quiet --no-run --no-fail-fast --keep-going --check --fix --allow-dirty --no-deps":
            "",
          "-p --package --exclude --test --bin --example --bench --features -F -j --jobs --profile --message-format --color":
            "text",
          "--target": "maybe",
          "--manifest-path": "read",
          "--target-dir --artifact-dir --out-dir --lockfile-path": "write tree",
          "-C": "cwd",
          "--config -Z": "high text",
        },
      },
      "add remove rm update fetch generate-lockfile vendor new init package": {
        does: "medium network",
        why: "changes the dependencies of the workspace",
        operands: "text*",
      },
      "install uninstall": { does: "high network", why: "installs programs", operands: "text*" },
      "publish yank login logout owner": {
        does: "high network",
        why: "changes the registry or the account",
        operands: "text*",
      },
      "search info": { does: "medium network", operands: "text*" },
    },
    otherwise: BUILDS,
  },
  go: {
    singleHyphen: true,
    info: "version --help -h help",
    operands: "text*",
    options: { "-C": "cwd" },
    commands: {
      "list mod-graph": { ...GO, does: "medium network", why: "may download modules" },
      "version doc help": GO,
      env: { ...GO, options: { ...GO.options, "-w -u": "high" } },
      "build test run vet generate tool": { ...GO, ...BUILDS, options: GO_BUILDS, operands: "maybe*" },
      fmt: { ...GO, does: "medium", why: "formats files" },
      "mod get work": { ...GO, does: "medium network", why: "changes the dependencies of the workspace" },
      install: { ...GO, does: "high network", why: "installs programs" },
      clean: { ...GO, does: "medium" },
    },
  },
  gofmt: {
    does: "tree",
    closed: true,
    singleHyphen: true,
    why: "changes files in place",
    operands: "read*",
    options: { "-w": "medium operands=change", "-r": "text", "-cpuprofile": "write", "-l -d -s -e": "" },
    judge: ({ facts }) => {
      facts.only = ["*.go"];
    },
  },
  "golangci-lint": BUILDS,
  java: { ...BUILDS, info: "-version --version -h --help", operands: "text maybe*" },
  javac: {
    ...COMPILES,
    options: { "-d": "write", "-cp -classpath": "read", "-processor -processorpath": "high text" },
  },
  kotlinc: COMPILES,
  scala: BUILDS,
  zig: BUILDS,
  elixir: BUILDS,
  mix: BUILDS,
  erl: { does: "high", operands: "text*" },
  ghc: COMPILES,
  cabal: BUILDS,
  stack: BUILDS,
  dart: BUILDS,
  flutter: BUILDS,
  protoc: { ...COMPILES, options: { "-I --proto_path": "read", "--plugin": "high text" } },
};
