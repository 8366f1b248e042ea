/** Programs that read files. */
import { hasOption } from "../call-options.js";
import { type ExpandedWord, withoutPrefix } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";

const READS: ProgramSpec = {};
const PRINTS: ProgramSpec = { operands: "text*" };
/** Of a directory it reads the files that have the same name as those of the other, or as a single file. */
const DIFF: ProgramSpec = {
  does: "tree follows",
  options: {
    "-U -C -W --width -x --exclude -I --ignore-matching-lines -F --show-function-line -L --label --palette": "text",
    "--unified --context --color": "text glued",
    "-X --exclude-from": "read",
    "--from-file --to-file": "read tree",
    "--output": "medium write",
  },
};
const SUMS: ProgramSpec = { options: { "-c --check": "" } };

const BAT: ProgramSpec = {
  closed: true,
  options: {
    "-p --plain -n --number -A --show-all -s --squeeze-blank -u --unbuffered -d --diff -L --list-languages --list-themes":
      "",
    "-l --language -r --line-range -H --highlight-line --theme --style --color --paging --wrap --tabs --map-syntax -m --file-name":
      "text",
    "--pager": "high shell",
    "--config-file": "high read",
  },
  judge: ({ parsed, facts }) => {
    if (parsed.operands[0]?.value === "cache") facts.raise("medium", "changes the syntaxes and themes of bat");
  },
};

const LESS: ProgramSpec = {
  closed: true,
  options: {
    "-o -O --log-file --LOG-FILE": "medium write",
    "-k --lesskey-file --lesskey-src": "high read",
    "-p -P -x -y -z -j": "text",
    "-R -S -N -F -X -E -e -i -I -n -r -s -w -W -m -M -q -Q -g -G -f -V": "",
    "--RAW-CONTROL-CHARS --chop-long-lines --LINE-NUMBERS --quit-if-one-screen --no-init": "",
  },
  judge: runsPagerCommand,
};

/** What is not packed is printed as it is. Others of their options take files from a list, or write. */
const UNPACKS: ProgramSpec = {
  closed: true,
  options: {
    "-c -d -f -k -q -v -l -t --stdout --decompress --force --keep --quiet --verbose --list --test": "",
    "-r --recursive": "medium tree",
  },
};

export const READERS: ProgramTable = {
  cat: READS,
  tac: READS,
  nl: { options: { "-b -d -f -h -i -l -n -s -v -w": "text" } },
  rev: READS,
  head: { options: { "-n --lines -c --bytes": "text" } },
  tail: { options: { "-n --lines -c --bytes -s --sleep-interval --pid --max-unchanged-stats": "text" } },
  wc: { options: { "--files0-from": "read" }, isSafe: true, judge: readsList },
  ls: {
    does: "names",
    here: "self",
    operands: "read*",
    options: { "-I --ignore --hide -w --width -T --tabsize": "text", "-R --recursive": "tree" },
  },
  dir: { does: "names", here: "self" },
  vdir: { does: "names", here: "self" },
  exa: {
    does: "names",
    here: "self",
    options: { "-T --tree -R --recurse": "tree", "-L --level -I --ignore-glob -s --sort": "text" },
  },
  eza: {
    does: "names",
    here: "self",
    options: { "-T --tree -R --recurse": "tree", "-L --level -I --ignore-glob -s --sort": "text" },
  },
  lsd: { does: "names", here: "self", options: { "--tree -R": "tree" } },
  tree: {
    here: "tree",
    does: "tree names",
    options: {
      "-L -I -P -H -T --filelimit --charset --sort --timefmt": "text",
      "-o": "write",
      "--fromfile --fromtabfile -R": "medium",
      "--gitfile --infofile": "medium read",
    },
    isSafe: true,
    judge: writesBundled,
  },
  stat: { does: "names", options: { "-c --format --printf -f -t": "text" } },
  file: {
    options: {
      "-m --magic-file": "read",
      "-f --files-from": "medium read",
      "-F -e -P": "text",
      "-C --compile": "medium",
    },
  },
  du: {
    here: "tree",
    does: "tree names",
    options: {
      "-d --max-depth -B --block-size -t --threshold --exclude --time-style": "text",
      "-X --exclude-from": "read",
      "--files0-from": "medium read",
    },
  },
  df: { options: { "-B --block-size -t --type -x --exclude-type": "text" } },
  cut: { options: { "-b -c -d -f --bytes --characters --delimiter --fields --output-delimiter": "text" } },
  paste: { options: { "-d --delimiters": "text" } },
  join: { options: { "-1 -2 -a -e -o -t -v -j": "text" } },
  comm: { options: { "--output-delimiter": "text" } },
  tr: { operands: "text*" },
  fold: { options: { "-w --width": "text" } },
  fmt: { options: { "-w --width -p --prefix -g --goal": "text" } },
  pr: { options: { "-h --header -l --length -w --width -W -o --indent": "text" } },
  expand: { options: { "-t --tabs": "text" } },
  unexpand: { options: { "-t --tabs": "text" } },
  column: { options: { "-s --separator -o --output-separator -N --table-columns -c --output-width": "text" } },
  tsort: READS,
  sort: {
    options: {
      "-k --key -t --field-separator -S --buffer-size --parallel --batch-size": "text",
      "-o --output": "medium write",
      "-T --temporary-directory": "write",
      "--random-source": "read",
      "--files0-from": "medium read",
      "--compress-program": "high shell",
    },
  },
  uniq: {
    operands: "read write",
    options: { "-f --skip-fields -s --skip-chars -w --check-chars": "text" },
    judge: writesSecond,
  },
  shuf: {
    options: {
      "-n --head-count -i --input-range": "text",
      "-e --echo": "operands=text",
      "-o --output": "medium write",
      "--random-source": "read",
    },
  },
  diff: DIFF,
  diff3: { options: { "--diff-program": "high shell", "-L --label": "text" } },
  sdiff: {
    does: "tree follows",
    options: { "-o --output": "medium write", "--diff-program": "high shell", "-w --width -I": "text" },
  },
  colordiff: DIFF,
  delta: { does: "tree follows", operands: "read*", options: { "--pager --config": "high shell" } },
  cmp: { options: { "-i --ignore-initial -n --bytes": "text" } },
  md5sum: SUMS,
  sha1sum: SUMS,
  sha224sum: SUMS,
  sha256sum: SUMS,
  sha384sum: SUMS,
  sha512sum: SUMS,
  b2sum: SUMS,
  shasum: { options: { "-a --algorithm": "text" } },
  md5: { options: { "-s": "text" } },
  cksum: { options: { "-a --algorithm": "text" } },
  sum: READS,
  base64: { options: { "-w --wrap": "text", "-i --input": "read", "-o --output": "medium write" } },
  base32: { options: { "-w --wrap": "text" } },
  od: { options: { "-A -j -N -S -t": "text", "-w": "text glued" } },
  hexdump: { options: { "-e -n -s": "text", "-f": "read" } },
  hd: { options: { "-e -n -s": "text" } },
  xxd: {
    operands: "read write",
    options: {
      "-c -cols -g -groupsize -l -len -s -seek -o -offset -n -name -R": "text",
      "-p -ps -plain -postscript -i -include -u -uppercase -b -bits -e -r -revert -a -autoskip": "",
    },
    judge: judgeXxd,
  },
  strings: binutils("-n -t -e -T --bytes --radix --encoding"),
  readlink: { does: "names" },
  realpath: { does: "names", options: { "--relative-to --relative-base": "read" } },
  basename: { operands: "text*", options: { "-s --suffix": "text" } },
  dirname: PRINTS,
  pathchk: PRINTS,
  seq: { operands: "text*", options: { "-f --format -s --separator": "text" } },
  yes: PRINTS,
  expr: PRINTS,
  factor: PRINTS,
  numfmt: { operands: "text*", options: { "-d --delimiter --field --format --from --to --padding": "text" } },
  bc: { options: { "-e --expression": "text" } },
  which: PRINTS,
  whereis: PRINTS,
  whatis: { closed: true, operands: "text*" },
  apropos: { closed: true, operands: "text*" },
  man: {
    operands: "maybe*",
    closed: true,
    options: {
      "-k -f -a -w -W --all --apropos --whatis --where": "",
      "-s --sections": "text",
      "-P --pager -H --html -B --browser": "high shell",
      "-C --config-file": "read high",
      "-M --manpath": "read high",
      "-l --local-file": "medium operands=read",
    },
    judge: formatsFile,
  },
  info: {
    operands: "text*",
    closed: true,
    options: {
      "-w --where --location --subnodes --usage -O": "",
      "-o --output --dribble": "medium write",
      "-f --file": "medium read",
      "-d --directory --restore --init-file": "high read",
      "-n --node -k --apropos --index-search": "text",
      "-v --variable": "high text",
    },
    judge: formatsFile,
  },
  tldr: { does: "medium network", operands: "text*" },
  less: LESS,
  more: { judge: runsPagerCommand },
  most: READS,
  bat: BAT,
  batcat: BAT,
  cloc: {
    here: "tree",
    does: "tree names",
    closed: true,
    options: {
      "--exclude-dir --include-lang --exclude-lang --include-ext --exclude-ext --by-percent --match-f --not-match-f":
        "text",
      "--by-file --by-file-by-lang --vcs --csv --json --yaml --md --quiet --hide-rate": "",
      "--out --report-file": "medium write",
    },
  },
  tokei: {
    here: "tree",
    does: "tree names",
    closed: true,
    options: {
      "-t --type -e --exclude -o --output -s --sort -r --rsort -c --columns": "text",
      "-f --files -C --compact": "",
    },
  },
  scc: {
    here: "tree",
    does: "tree names",
    closed: true,
    options: {
      "-i --include-ext -x --exclude-ext --exclude-dir -s --sort -f --format": "text",
      "-o --output": "medium write",
      "--by-file --no-cocomo -c --no-complexity -w --wide": "",
    },
  },
  nm: binutils("-t --radix"),
  clear: PRINTS,
  tput: PRINTS,
  objdump: binutils("-j -M -m -b"),
  readelf: binutils("-x -p -R"),
  ldd: { does: "medium", why: "may run the program that it looks at" },
  size: binutils("--format --radix"),
  zcat: UNPACKS,
  gzcat: UNPACKS,
  bzcat: UNPACKS,
  xzcat: UNPACKS,
  zstdcat: UNPACKS,
  zless: LESS,
  zmore: { judge: runsPagerCommand },
  namei: { does: "names" },
  lsattr: { does: "names" },
  getfacl: { does: "names", options: { "-R --recursive": "tree" } },
  iconv: { options: { "-f -t --from-code --to-code": "text", "-o --output": "medium write" } },
  dos2unix: { does: "medium", operands: "change*" },
  unix2dos: { does: "medium", operands: "change*" },
};

/** A program of the binutils, with the options that take a text. */
function binutils(texts: string): ProgramSpec {
  return { options: { [texts]: "text", "--plugin": "high text" }, judge: takesOptionsFromFiles };
}

/** `@file` stands for the words in that file, which may name a plugin. */
function takesOptionsFromFiles({ args, facts }: ProgramCall): void {
  for (const word of args) {
    if (!word.prefix.startsWith("@")) continue;
    facts.raise("high", "takes options from a file");
    facts.file(withoutPrefix(word, 1), "read");
  }
}

/** The names in the list are not known. */
function readsList(call: ProgramCall): void {
  if (hasOption(call, "--files0-from")) call.facts.raise("medium", "reads the files that a list names");
}

/** Its options are not bundled: any other beginning of their names is one of them too. */
function judgeXxd(call: ProgramCall): void {
  const { args, facts, parsed } = call;
  const isWhole = ({ value }: ExpandedWord) =>
    !/^-../.test(value) || /^-[cglsonR][+-]?\d/.test(value) || parsed.options.some(({ name }) => name === value);
  if (!args.every(isWhole)) facts.raise("medium", "is given an option that is not known to Haft");
  writesSecond(call);
}

/** Bundled options take their values from the words that follow, in order. */
function writesBundled({ args, facts }: ProgramCall): void {
  if (args.some(({ value }) => /^-[A-Za-z]+[oR]|^-[oR]./.test(value))) facts.raise("medium", "writes a file");
}

/** A second operand is a file to write. */
function writesSecond({ parsed, facts }: ProgramCall): void {
  if (parsed.operands.length > 1 || parsed.operands[0]?.isGlob === true) facts.raise("medium", "writes a file");
}

/** A page that is named by its path may include any file. */
export function formatsFile({ parsed, facts }: ProgramCall): void {
  for (const word of parsed.operands) {
    if (!word.isUnresolved && !word.value.includes("/")) continue;
    facts.raise("medium", "shows a file that may include others");
    facts.file(word, "read");
  }
}

/** `+command` runs at the start, and `!` in it starts a shell. */
function runsPagerCommand({ args, facts }: ProgramCall): void {
  if (args.some(({ value }) => value.startsWith("+") && !/^\+\+?[\dGgF]*$/.test(value))) {
    facts.raise("high", "runs a command of the pager");
  }
}
