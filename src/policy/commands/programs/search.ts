/** Programs that search: by name, by content, in structured data. */
import { readAwkScript } from "../awk-script.js";
import { hasOption, optionValues } from "../call-options.js";
import { type ExpandedWord, literalWord, unknownWord } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import { readSedScript } from "../sed-script.js";
import { isHarmlessFile } from "../segment-facts.js";
import { judgeFind } from "./find.js";

/** A recursive search without a path is of the current directory. */
function searchesHere(call: ProgramCall, operandsBefore: number): void {
  if (call.parsed.operands.length <= operandsBefore) call.facts.file(literalWord("."), "read", "tree");
}

const patternsFromOption = (call: ProgramCall) =>
  hasOption(call, "-e", "--regexp", "-f", "--file", "--files", "--type-list");

const GREP: ProgramSpec = {
  operands: "text read*",
  options: {
    "-e --regexp": "text no-first",
    "-f --file": "read no-first",
    "-r --recursive": "tree",
    "-R --dereference-recursive": "tree follows",
    "-d --directories": "text",
    "-A -B -C -m -D --after-context --before-context --context --max-count --include --exclude --exclude-dir --label --binary-files --devices":
      "text",
    "--exclude-from": "read",
    "--color --colour": "text glued",
  },
  isSafe: true,
  judge: (call) => {
    const included = optionValues(call, "--include");
    if (included.length > 0 && !included.some(({ isUnresolved }) => isUnresolved))
      call.facts.only = included.map(({ value }) => value);
    const operandsBefore = patternsFromOption(call) ? 0 : 1;
    // Any beginning of `recurse` counts; `skip` and `read` are all that is left.
    const recurses = optionValues(call, "-d", "--directories").some(
      ({ value, isUnresolved }) => isUnresolved || !/^(s|rea)/.test(value),
    );
    if (recurses) for (const path of call.parsed.operands.slice(operandsBefore)) call.facts.file(path, "read", "tree");
    if (recurses || hasOption(call, "-r", "-R", "--recursive", "--dereference-recursive"))
      searchesHere(call, operandsBefore);
  },
};

const RIPGREP: ProgramSpec = {
  does: "tree visible",
  operands: "text read*",
  options: {
    "-e --regexp": "text no-first",
    "-f --file": "read no-first",
    "--files --type-list": "no-first",
    "-A -B -C -g -t -T -m -M -j -r -E -d --glob --iglob --type --type-not --after-context --before-context --context --max-count --max-columns --max-depth --max-filesize --threads --replace --encoding --sort --sortr --color --colors --context-separator --path-separator --field-match-separator --field-context-separator --pre-glob --type-add --type-clear --engine --dfa-size-limit --regex-size-limit --hyperlink-format --generate":
      "text",
    "--ignore-file": "read",
    "--pre": "high shell",
    "--hostname-bin": "high shell",
  },
  isSafe: true,
  judge: (call) => {
    narrowRipgrep(call);
    if (call.input === undefined) searchesHere(call, patternsFromOption(call) ? 0 : 1);
  },
};

/** Which files ripgrep reads: with these options also hidden and ignored ones. A glob overrides both. */
function narrowRipgrep({ facts, parsed }: ProgramCall): void {
  const given = (pattern: RegExp) => parsed.options.filter(({ name }) => pattern.test(name));
  if (given(/^--(files|type-list)$/).length > 0) facts.extent = "names";
  else if (given(/^(-u|-\.|--hidden|--unrestricted|--no-ignore.*)$/).length > 0) facts.extent = undefined;
  if (given(/^(-L|--follow)$/).length > 0) facts.follows = true;
  // A type overrides that a file is hidden.
  const isAnyType = given(/^(-t|--type)$/).some(({ values }) => values.some(({ value }) => value === "all"));
  if (facts.extent === "visible" && (isAnyType || given(/^--type-add$/).length > 0)) facts.extent = "unignored";
  const globs = given(/^(-g|--i?glob)$/).flatMap(({ values }) => values);
  const chosen = globs.filter(({ value, isUnresolved }) => isUnresolved || !value.startsWith("!"));
  if (chosen.length === 0) return;
  if (facts.extent !== "names") facts.extent = undefined;
  if (chosen.every(({ value, isUnresolved }) => !isUnresolved && !/[/{]/.test(value)))
    facts.only = chosen.map(({ value }) => value);
}

const SED: ProgramSpec = {
  operands: "text read*",
  options: {
    "-e --expression": "text no-first",
    "-f --file": "script no-first",
    "-i --in-place": "text glued medium operands=change",
    "-l --line-length": "text",
    "-n -E -r -s -u -z --quiet --silent --regexp-extended --separate --posix --sandbox --debug --null-data --unbuffered --follow-symlinks":
      "",
  },
  why: "edits files in place",
  judge: judgeSed,
};

function judgeSed(call: ProgramCall): void {
  const { facts, parsed } = call;
  const given = optionValues(call, "-e", "--expression");
  const [first, second] = parsed.operands;
  const scripts =
    given.length > 0 || hasOption(call, "-f", "--file") ? given : [first].filter((word) => word !== undefined);
  // `-i ''` of BSD: the empty word is the suffix.
  if (scripts[0]?.value === "" && second !== undefined) scripts.push(second);
  for (const script of scripts) judgeSedScript(call, script);
  if (first !== undefined && parsed.operands.some(({ isUnresolved }) => isUnresolved)) {
    for (const word of scripts) if (word.isUnresolved) facts.unresolved(word);
  }
}

function judgeSedScript({ facts }: ProgramCall, script: ExpandedWord): void {
  if (script.isUnresolved) {
    facts.unresolved(script);
    return;
  }
  const effects = readSedScript(script.value);
  if (effects.runsCommands) facts.problem("dynamic-command", "the sed script runs commands");
  else if (!effects.isUnderstood) facts.raise("medium", "a sed script that is not understood");
  for (const path of effects.reads) facts.file(literalWord(path), "read");
  for (const path of effects.writes) {
    facts.raise("medium", "the sed script writes files");
    facts.file(literalWord(path), "write");
  }
}

const AWK: ProgramSpec = {
  operands: "text read*",
  options: {
    "-F -v --field-separator --assign": "text",
    "-f --file": "script no-first",
    "-e --source": "text no-first",
    "-E --exec": "script no-first",
    "-i --include -l --load": "text high",
    "-o --pretty-print -p --profile -d --dump-variables": "write glued medium",
    "-D --debug": "high",
    "-W": "text high",
  },
  stopsAtOperand: true,
  judge: judgeAwk,
};

function judgeAwk(call: ProgramCall): void {
  const { facts, parsed } = call;
  const given = optionValues(call, "-e", "--source");
  const [first] = parsed.operands;
  const programs =
    given.length > 0 || hasOption(call, "-f", "--file", "-E", "--exec") || first === undefined ? given : [first];
  for (const program of programs) {
    if (program.isUnresolved) {
      facts.unresolved(program);
      continue;
    }
    const effects = readAwkScript(program.value);
    if (effects.unknown !== undefined) facts.problem("dynamic-command", `the awk program ${effects.unknown}`);
    for (const path of effects.reads) facts.file(literalWord(path), "read");
    for (const path of effects.writes) {
      if (!isHarmlessFile(path)) facts.raise("medium", "the awk program writes files");
      facts.file(literalWord(path), "write");
    }
  }
}

/** A jq program that names a file with code or data. `.import` is a field. */
const JQ_MODULE = /(?<![.\w])(import|include|modulemeta)\b/;

function includesModules(call: ProgramCall): void {
  const [program] = call.parsed.operands;
  if (program === undefined || hasOption(call, "-f", "--from-file")) return;
  // Only at its start a program can name other files.
  if (program.isUnresolved && !/^\s*[.[{(]/.test(program.prefix)) call.facts.unresolved(program);
  else if (JQ_MODULE.test(program.value)) call.facts.raise("medium", "reads files that its program names");
}

const FD: ProgramSpec = {
  does: "tree names",
  operands: "text read*",
  options: {
    "-e -E -t -d -c -j -S -g --extension --exclude --type --max-depth --min-depth --exact-depth --color --threads --size --changed-within --changed-before --owner --format --max-results --path-separator":
      "text",
    "--ignore-file": "read",
    "-C --base-directory": "cwd",
    "--search-path": "read",
    "-x -X --exec --exec-batch": "text glued ends",
  },
  judge: (call) => {
    const starts = call.parsed.options.filter(({ name }) => /^(-x|-X|--exec|--exec-batch)$/.test(name));
    if (starts.some(({ values }) => values.length > 0)) call.facts.problem("dynamic-command", "fd starts a program");
    const index = call.args.findIndex(({ value }) => /^(-x|-X|--exec|--exec-batch)$/.test(value));
    if (index !== -1) {
      const words = call.args.slice(index + 1).filter(({ value }) => value !== ";");
      // What it finds is not worked out.
      if (words.length > 0) call.run([...words, unknownWord("fd")]);
    } else searchesHere(call, 1);
  },
  isSafe: true,
};

export const SEARCH: ProgramTable = {
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  ggrep: GREP,
  zgrep: GREP,
  bzgrep: GREP,
  xzgrep: GREP,
  rg: RIPGREP,
  ag: {
    isSafe: true,
    judge: (call) => {
      if (
        call.parsed.options.some(({ name }) => /^(-[uUat]|--hidden|--unrestricted|--all-t.*|--skip-vcs.*)$/.test(name))
      )
        call.facts.extent = undefined;
      if (hasOption(call, "-f", "--follow")) call.facts.follows = true;
      searchesHere(call, 1);
    },
    does: "tree visible",
    operands: "text read*",
    options: { "-A -B -C -G -m --ignore --depth": "text", "-p --path-to-ignore": "read", "--pager": "high shell" },
  },
  ack: {
    isSafe: true,
    judge: (call) => searchesHere(call, 1),
    does: "tree",
    operands: "text read*",
    closed: true,
    options: {
      "-m --type --ignore-dir -t": "text",
      "-A -B -C": "text glued",
      "-i -v -w -l -L -c -h -H -n -o -s -Q -f -g --nocolor --color --column --noenv": "",
      "--pager": "high shell",
      "--ackrc --output": "high text",
    },
  },
  find: { info: "--version --help", judge: judgeFind, operands: "text*", stopsAtOperand: true },
  gfind: { judge: judgeFind, operands: "text*", stopsAtOperand: true },
  fd: FD,
  fdfind: FD,
  locate: { operands: "text*", options: { "-d --database": "read" } },
  sed: SED,
  gsed: SED,
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  jq: {
    operands: "text read*",
    options: {
      "--arg --argjson": "text text",
      "--slurpfile --rawfile --argfile": "text read",
      "-f --from-file": "script no-first",
      "-L --library-path": "high read",
      "--indent": "text",
      "--run-tests": "high",
    },
    judge: includesModules,
  },
  yq: {
    judge: (call) => {
      if (call.args.some(({ value }) => /load|system|eval\s*\(/.test(value)))
        call.facts.raise("medium", "may read files that its expression names");
      includesModules(call);
    },
    operands: "text read*",
    closed: true,
    options: {
      "-i --inplace": "medium operands=change",
      "-p -o -I --input-format --output-format --indent": "text",
      "-r -n -e -c -C -M -P -N -j -y -Y -S --raw-output --null-input --exit-status --colors --no-colors --prettyPrint --unwrapScalar --no-doc --tojson":
        "",
      "--from-file": "script no-first",
      "-s --split-exp": "medium text",
    },
  },
  xmllint: {
    operands: "read*",
    closed: true,
    singleHyphen: true,
    options: {
      "-xpath -encode -pretty": "text",
      "-schema -relaxng": "read",
      "-noout -format -nonet -html -recover": "",
    },
  },
  xq: { operands: "text read*", closed: true, options: { "-r -x -c -n": "" }, judge: includesModules },
  htmlq: { operands: "text*", options: { "-f --filename": "read", "-o --output": "medium write" } },
  fzf: { does: "high", why: "runs commands for its items", operands: "text*" },
  csvcut: { options: { "-c -d -n": "text" } },
  csvlook: {},
};
