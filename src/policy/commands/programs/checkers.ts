/**
 * Test runners, linters and type checkers. Flags are listed too: the word after an option that is not may be its value, so that an
 * answer about `pytest -q a.py` would not hold for `pytest -q b.py`.
 */
import { optionValues } from "../call-options.js";
import { type ExpandedWord, withoutPrefix } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import { everywhere } from "./everywhere.js";

/** A tool of which the table knows no options. */
export const TOOL: ProgramSpec = {
  does: "medium workspace",
  operands: "maybe*",
  why: "runs code that the workspace configures",
  info: "",
};

const tool = (options: Readonly<Record<string, string>>, more: ProgramSpec = {}): ProgramSpec => ({
  ...TOOL,
  options,
  ...more,
});

/** `@file`: arguments that are read from a file, options among them. */
function readsArguments({ parsed, facts }: ProgramCall): void {
  for (const word of parsed.operands) {
    if (!word.prefix.startsWith("@")) continue;
    facts.file(withoutPrefix(word, 1), "read");
    facts.raise("high", "takes arguments from a file");
  }
}

const isJson = ({ value }: ExpandedWord): boolean => /^\s*[{[]/.test(value);

const PYTEST = tool(
  {
    "-q --quiet -v --verbose -x --exitfirst -s --lf --last-failed --ff --failed-first --nf --new-first --sw --stepwise --stepwise-skip -l --showlocals --no-header --no-summary --co --collect-only --disable-warnings --strict-markers --strict-config --no-cov --cov-append --cov-branch --cache-clear --full-trace --setup-show --setup-only --setup-plan --fixtures --markers --pyargs --doctest-modules --pdb --trace --runxfail --keep-duplicates --noconftest":
      "",
    "-k -m --maxfail --durations --durations-min --tb --color --code-highlight -n --numprocesses --dist --timeout --reruns -r --show-capture --capture --log-level --log-cli-level --verbosity -W --pythonwarnings --import-mode --cov-fail-under -p":
      "text",
    "-o --override-ini --ignore --ignore-glob --deselect --cov": "maybe",
    "-c --config-file --rootdir --confcutdir --cov-config": "read",
    "--basetemp": "delete tree",
    "--junitxml --junit-xml --report-log --log-file --html --json-report-file --resultlog --debug": "write",
    "--cov-report": "text",
    "--pastebin": "high text",
  },
  {
    judge: (call) => {
      readsArguments(call);
      for (const value of optionValues(call, "--cov-report")) {
        const [kind] = /^[\w-]+:/.exec(value.prefix) ?? [];
        if (kind !== undefined) call.facts.file(withoutPrefix(value, kind.length), "write", "tree");
      }
    },
  },
);

const JEST = tool(
  {
    "--ci --coverage --no-coverage --watch --watchAll -i --runInBand --silent --verbose --no-verbose -u --updateSnapshot --passWithNoTests --listTests --detectOpenHandles --forceExit --no-cache -o --onlyChanged --lastCommit --json --colors --color --findRelatedTests --expand -e --all --no-watchman":
      "",
    "-t --testNamePattern -w --maxWorkers --maxConcurrency --shard --testTimeout --testPathPattern --testPathPatterns --changedSince --coverageProvider --seed --selectProjects":
      "text",
    "-c --config": "script",
    "--outputFile --coverageDirectory --cacheDirectory": "write tree",
    "--rootDir --roots --projects": "read",
    "--setupFiles --setupFilesAfterEnv --globalSetup --globalTeardown --testRunner --runner --transform --resolver --filter --testSequencer --testResultsProcessor --snapshotSerializers --prettierPath --dependencyExtractor":
      "script",
    "--reporters --testEnvironment --env --preset": "maybe",
    "--globals --moduleNameMapper --haste --testEnvironmentOptions": "high text",
  },
  {
    judge: (call) => {
      const given = [...optionValues(call, "-c", "--config"), ...optionValues(call, "--transform")];
      if (given.some(isJson)) call.facts.raise("high", "takes a configuration from the command");
    },
  },
);

const VITEST: ProgramSpec = everywhere({
  ...tool({
    "--run --coverage --coverage.enabled --watch --no-watch --no-coverage --silent --passWithNoTests --no-color --color --globals --dom --typecheck --no-isolate --no-file-parallelism --allowOnly --dangerouslyIgnoreUnhandledErrors --clearScreen --hideSkippedTests":
      "",
    "-t --testNamePattern --bail --pool --maxWorkers --minWorkers --testTimeout --hookTimeout --retry --shard --project --mode --changed --coverage.provider --coverage.reporter --slowTestThreshold":
      "text",
    "-c --config --globalSetup --environment": "script",
    "-r --root --dir": "read",
    "--reporter": "maybe",
    "--outputFile --coverage.reportsDirectory --attachmentsDir": "write tree",
    "--api --ui --inspect --inspect-brk --inspectBrk": "high network text glued",
    "--execArgv --poolOptions": "high text",
  }),
  commands: { "run watch dev related bench list init": TOOL },
  otherwise: TOOL,
});

const TSC = tool(
  {
    "-noEmit -w -watch -b -build -pretty -strict -skipLibCheck -incremental -listFiles -listFilesOnly -traceResolution -declaration -d -emitDeclarationOnly -noEmitOnError -force -f -verbose -v -dry -clean -sourceMap -esModuleInterop -allowJs -checkJs -diagnostics -extendedDiagnostics -showConfig -composite -preserveWatchOutput":
      "",
    "-t -target -m -module -lib -jsx -moduleResolution -types": "text",
    "-p -project -rootDir -baseUrl -typeRoots -rootDirs": "read",
    "-outDir -declarationDir -generateTrace": "into",
    "-outFile -tsBuildInfoFile -generateCpuProfile": "write",
  },
  { singleHyphen: true, judge: readsArguments },
);

const MYPY_REPORTS =
  "--any-exprs-report --cobertura-xml-report --html-report --linecount-report --linecoverage-report --lineprecision-report --txt-report --xml-report --xslt-html-report --xslt-txt-report";

export const CHECKERS: ProgramTable = {
  pytest: PYTEST,
  "py.test": PYTEST,
  jest: JEST,
  vitest: VITEST,
  tsc: TSC,
  mocha: tool({
    "-b --bail --exit --parallel --recursive --dry-run --no-color --color -c --check-leaks --full-trace -w --watch --forbid-only --forbid-pending --allow-uncaught -A -C":
      "",
    "-g --grep -f --fgrep -t --timeout -s --slow -j --jobs --retries --extension": "text",
    "-r --require --import --loader --file --config --package -u --ui -R --reporter": "maybe",
    "-O --reporter-option --reporter-options": "maybe",
  }),
  playwright: everywhere({
    ...tool({
      "--headed --debug -x --list --quiet --pass-with-no-tests --last-failed --forbid-only --fully-parallel --no-deps":
        "",
      "-g --grep --grep-invert -j --workers --project --shard --retries --repeat-each --timeout --max-failures --global-timeout --trace":
        "text",
      "--reporter": "maybe",
      "-c --config --tsconfig": "script",
      "--output": "delete tree",
      "--ui --ui-host --ui-port": "high network",
    }),
    commands: { test: TOOL },
  }),
  eslint: tool({
    "--fix --fix-dry-run --quiet --cache --no-cache --no-eslintrc --no-inline-config --debug --color --no-color --report-unused-disable-directives --no-error-on-unmatched-pattern --no-warn-ignored --stdin --no-ignore --exit-on-fatal-error":
      "",
    "--ext --max-warnings --rule --env --global --ignore-pattern --fix-type --cache-strategy --concurrency": "text",
    "-f --format --parser --plugin --parser-options --stdin-filename": "maybe",
    "-o --output-file --cache-file --cache-location": "write",
    "-c --config --rulesdir --resolve-plugins-relative-to": "script",
    "--ignore-path": "read",
  }),
  prettier: tool({
    "-c --check -w --write -l --list-different --no-config --no-editorconfig --cache --color --no-color -u --ignore-unknown --no-error-on-unmatched-pattern":
      "",
    "--log-level --parser --tab-width --print-width --end-of-line --trailing-comma": "text",
    "--config --plugin --find-config-path --stdin-filepath --ignore-path": "maybe",
    "--cache-location": "write",
  }),
  biome: everywhere({
    ...tool({
      "--write --fix --apply --unsafe --apply-unsafe --no-errors-on-unmatched --staged --changed --verbose --error-on-warnings":
        "",
      "--reporter --max-diagnostics --diagnostic-level --colors --since --log-level --only --skip": "text",
      "--config-path --vcs-root": "read",
      "--reporter-file --log-file --log-path": "write",
    }),
    commands: { "check lint format ci": TOOL },
  }),
  mypy: tool(
    {
      "--strict --ignore-missing-imports --no-incremental --pretty --show-error-codes --no-error-summary -v --verbose --check-untyped-defs --disallow-untyped-defs --warn-unused-ignores --no-color-output --explicit-package-bases --namespace-packages --show-column-numbers --non-interactive":
        "",
      "-m --module -p --package --python-version --platform --follow-imports --enable-error-code --disable-error-code --exclude":
        "text",
      "-c --command": "text",
      "--config-file": "read",
      [`--cache-dir --junit-xml ${MYPY_REPORTS}`]: "write tree",
      "--install-types": "high network",
      "--python-executable": "high script",
      "--custom-typeshed-dir --custom-typing-module --shadow-file": "maybe maybe",
    },
    { judge: readsArguments },
  ),
  pyright: tool({
    "--verbose --stats --warnings --outputjson -w --watch --skipunannotated": "",
    "--pythonversion --pythonplatform --level --threads": "text",
    "-p --project --typeshedpath -t --typeshed-path -v --venvpath --venv-path": "read",
    "--pythonpath": "high script",
  }),
  ruff: everywhere({
    ...tool({
      "--fix --unsafe-fixes --diff -q --quiet -v --verbose --no-cache -n --preview --check --show-fixes --exit-zero --statistics --no-fix --add-noqa -w --watch -e":
        "",
      "--select --ignore --extend-select --extend-ignore --line-length --target-version --output-format --exclude --extend-exclude":
        "text",
      "--config --stdin-filename": "maybe",
      "-o --output-file --cache-dir": "write",
    }),
    commands: { "check format": TOOL },
  }),
  black: tool({
    "-q --quiet -v --verbose --check --diff --fast --safe -S --skip-string-normalization --preview --color": "",
    "-c --code -l --line-length -t --target-version --exclude --include --extend-exclude --force-exclude": "text",
    "--config --stdin-filename": "read",
  }),
  isort: tool({
    "-c --check --check-only --diff -q --quiet -v --verbose --color": "",
    "--profile -l --line-length --skip --skip-glob": "text",
    "--settings-path --sp --settings-file": "read",
  }),
  flake8: tool({
    "-q --quiet -v --verbose --count --statistics --show-source --benchmark": "",
    "--max-line-length --max-complexity --select --ignore --extend-ignore --exclude --extend-exclude --format -j --jobs --per-file-ignores":
      "text",
    "--config --append-config": "read",
    "--output-file": "write",
  }),
  pylint: tool({
    "-E --errors-only -v --verbose --recursive": "",
    "--disable -d --enable -e -j --jobs -f --output-format --ignore --score -s --fail-under": "text",
    "--rcfile": "read",
    "--load-plugins": "maybe",
    "--init-hook": "code",
    "--output": "write",
  }),
  rspec: tool({
    "-b --backtrace --fail-fast --profile --color --no-color --dry-run -w --only-failures --next-failure": "",
    "-e --example -E --example-matches -t --tag --seed --order": "text",
    "-r --require -f --format": "maybe",
    "-o --out --failure-exit-code": "write",
    "-I -O --options --default-path": "read",
  }),
  rubocop: tool({
    "-a -A --autocorrect --autocorrect-all --parallel -P -D --display-cop-names --fail-fast -l --lint": "",
    "-f --format --only --except --fail-level": "text",
    "-r --require": "maybe",
    "-c --config": "script",
    "-o --out --cache-root": "write",
  }),
  phpunit: tool({
    "--stop-on-failure --stop-on-error --testdox --no-coverage --verbose --debug --do-not-cache-result": "",
    "--filter --testsuite --group --exclude-group --order-by --colors": "text",
    "-c --configuration": "read",
    "--bootstrap": "script",
    "--include-path": "maybe",
    "--log-junit --log-teamcity --coverage-clover --coverage-html --coverage-xml --coverage-php --coverage-cobertura --coverage-crap4j --coverage-text --testdox-html --testdox-text --cache-directory --cache-result-file --generate-baseline":
      "write tree",
    "-d": "high text",
  }),
  ctest: tool(
    {
      "-V -VV --verbose --output-on-failure -N --show-only --rerun-failed --stop-on-failure -Q --quiet --progress": "",
      "-R -E -L -LE -j --parallel --timeout --repeat -I -C --build-config --preset": "text",
      "--test-dir": "read",
      "-O --output-log --output-junit": "write",
      "-S --script -SP --script-new-process": "script",
      "--test-command --build-makeprogram --overwrite -D --build-and-test -M -T": "high text",
    },
    { why: "runs the build of the workspace" },
  ),
};
