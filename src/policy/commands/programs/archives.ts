/** Archives and compression. */
import { applySpec } from "../apply-spec.js";
import { hasOption, optionValues } from "../call-options.js";
import { literalWord } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";

/** Replaces each file by a compressed one. */
const COMPRESSES: ProgramSpec = {
  does: "medium",
  why: "replaces files",
  operands: "change*",
  options: {
    "-S --suffix -T --threads -b --bits --memlimit": "text",
    "-c --stdout -t --test -l --list": "operands=read",
    "-r --recursive": "tree",
  },
};

const MODES = [
  "-t",
  "--list",
  "-x",
  "--extract",
  "--get",
  "-c",
  "--create",
  "-r",
  "--append",
  "-u",
  "--update",
  "-A",
  "--catenate",
  "--concatenate",
  "--delete",
  "-d",
  "--diff",
  "--compare",
];

const TAR_OPTIONS = {
  "-f --file": "text",
  "-C --directory": "text",
  "--one-top-level": "write glued tree",
  "-T --files-from -X --exclude-from": "read",
  "--to-command --checkpoint-action -I --use-compress-program --rsh-command -F --info-script --new-volume-script --rmt-command":
    "high shell",
  "--checkpoint": "text glued",
  "--exclude --transform --xform --strip-components --owner --group --mode --mtime --format -b -K -N -V -H -L --label --newer":
    "text",
  "-P --absolute-names": "high",
  "--remove-files": "high",
  "-g --listed-incremental": "change",
  "--index-file": "write",
};

function judgeTar(call: ProgramCall): void {
  const { facts, parsed, state } = call;
  const has = (...names: string[]) => hasOption(call, ...names);
  if (!has(...MODES) && !call.args.some(({ value }) => /^-/.test(value))) {
    facts.raise("medium", "an archive");
    return;
  }
  const archives = optionValues(call, "-f", "--file");
  const isReading = !has(
    "-c",
    "--create",
    "-r",
    "--append",
    "-u",
    "--update",
    "-A",
    "--catenate",
    "--concatenate",
    "--delete",
  );
  for (const archive of archives) {
    if (/^[^/]+:/.test(archive.value)) {
      facts.connects(archive.value.split(":")[0]);
      facts.raise("high", "an archive on another machine");
    } else facts.file(archive, isReading ? "read" : "write");
  }
  // The archive is seen from the first directory, everything else from the one of -C.
  for (const directory of optionValues(call, "-C", "--directory")) {
    facts.file(directory, "read");
    state.enter(directory);
  }
  if (has("--remove-files")) for (const word of parsed.operands) facts.file(word, "delete", "tree");
  if (!isReading) {
    facts.raise("medium", "writes an archive");
    facts.follows = has("-h", "--dereference");
    for (const word of parsed.operands) facts.file(word, "read", "tree");
  }
  if (!has("-x", "--extract", "--get") || has("-O", "--to-stdout")) return;
  facts.raise("medium", "extracts files");
  for (const directory of state.directories ?? []) facts.file(literalWord(directory), "write", "tree");
}

/** The first word may be options without a hyphen, whose values follow in order: `tar xzf a.tgz`. */
function tarWords(call: ProgramCall): void {
  const [first, ...rest] = call.args;
  if (first === undefined || first.value.startsWith("-") || first.isUnresolved || !/^[A-Za-z]+$/.test(first.value)) {
    judgeTar(call);
    return;
  }
  let next = 0;
  const options = [...first.value].flatMap((letter) => {
    const takesValue = "fCTXbIKNVHLFg".includes(letter);
    return [literalWord(`-${letter}`), ...(takesValue ? rest.slice(next, ++next) : [])];
  });
  applySpec({ ...call, args: [...options, ...rest.slice(next)] }, TAR, "tar");
}

/** Extracts into a directory: `-d`, or the current one. */
function extracts(...names: string[]): (call: ProgramCall) => void {
  return (call) => {
    const into = optionValues(call, ...names);
    for (const word of into.length > 0 ? into : [literalWord(".")]) call.facts.file(word, "write", "tree");
  };
}

const TAR: ProgramSpec = { operands: "text*", options: TAR_OPTIONS, judge: tarWords };

const LISTS = ["-l", "-t", "-v", "-Z", "-p", "-c"];

export const ARCHIVES: ProgramTable = {
  tar: TAR,
  gtar: TAR,
  bsdtar: TAR,
  zip: {
    does: "medium",
    why: "writes an archive",
    operands: "write read*",
    options: {
      "-r --recurse-paths": "tree follows",
      "-m --move": "high",
      "-x -i --exclude --include -P --password -n": "text",
      "-TT --unzip-command": "high shell",
      "-b": "write",
    },
  },
  unzip: {
    operands: "read text*",
    options: { "-d": "text", "-x -P": "text" },
    judge: (call) => {
      if (hasOption(call, ...LISTS)) return;
      call.facts.raise("medium", "extracts files");
      extracts("-d")(call);
    },
  },
  zipinfo: { operands: "read text*" },
  gzip: COMPRESSES,
  gunzip: COMPRESSES,
  bzip2: COMPRESSES,
  bunzip2: COMPRESSES,
  xz: COMPRESSES,
  unxz: COMPRESSES,
  zstd: { ...COMPRESSES, options: { ...COMPRESSES.options, "-o": "write" } },
  unzstd: COMPRESSES,
  lz4: COMPRESSES,
  brotli: COMPRESSES,
  "7z": {
    does: "medium",
    operands: "text change read*",
    options: { "-o": "write glued tree" },
    judge: (call) => {
      if (!hasOption(call, "-o") && /^[xe]$/.test(call.parsed.operands[0]?.value ?? "")) extracts()(call);
    },
  },
  unrar: { does: "medium", operands: "text read", judge: extracts() },
  cpio: {
    does: "high",
    why: "extracts files to any path",
    operands: "maybe*",
    options: { "-F -I": "read", "-O": "write" },
  },
  pax: { does: "high", operands: "maybe*" },
};
