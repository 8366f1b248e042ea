/** Programs that change files. */
import { assignmentValue } from "../apply-spec.js";
import { hasOption, optionValues } from "../call-options.js";
import { literalWord } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";

const COPY_OPTIONS = {
  "-r -R --recursive -a --archive": "tree",
  "-L --dereference -H": "follows",
  "-t --target-directory": "into no-last",
  "-S --suffix": "text",
  "--backup --context --preserve --no-preserve --reflink --sparse --update": "text glued",
};

/** What is moved vanishes where it was. */
function removesSources({ parsed, facts }: ProgramCall): void {
  const hasTarget = parsed.options.some(({ name }) => name === "-t" || name === "--target-directory");
  const sources = hasTarget ? parsed.operands : parsed.operands.slice(0, -1);
  for (const source of sources) facts.file(source, "delete", "tree");
}

/** A device that is written loses what it holds. */
function judgeDd({ args, facts }: ProgramCall): void {
  for (const word of args) {
    const given = assignmentValue(word);
    if (given === undefined) {
      if (word.isUnresolved) facts.unresolved(word);
      continue;
    }
    if (given.name === "if") facts.file(given.value, "read");
    else if (given.name === "of") facts.file(given.value, "write");
    else if (given.value.isUnresolved && given.value.maySplit) facts.unresolved(word);
  }
}

/** The first operand is a mode or an owner, unless a reference file gives it. */
const MODE: ProgramSpec = {
  operands: "text change*",
  options: { "-R --recursive": "tree destructive", "--reference": "read no-first", "--from": "text" },
};

export const WRITERS: ProgramTable = {
  cp: { does: "medium", why: "copies files", operands: "read* into", options: COPY_OPTIONS },
  mv: {
    does: "medium tree names",
    why: "moves files",
    operands: "read* into",
    options: COPY_OPTIONS,
    judge: removesSources,
  },
  rm: {
    does: "high",
    why: "deletes files",
    operands: "delete*",
    options: { "-r -R --recursive": "tree", "--interactive --preserve-root --one-file-system": "text glued" },
  },
  rmdir: { does: "medium", why: "deletes empty directories", operands: "delete*" },
  unlink: { does: "high", why: "deletes a file", operands: "delete*" },
  shred: {
    does: "high",
    why: "destroys files",
    operands: "delete*",
    options: { "-n --iterations -s --size": "text", "--random-source": "read" },
  },
  trash: { does: "medium tree", why: "moves files to the trash", operands: "delete*" },
  "trash-put": { does: "medium tree", why: "moves files to the trash", operands: "delete*" },
  // What these create is judged by its path, as that of a redirection is.
  mkdir: { operands: "write*", options: { "-m --mode": "text" } },
  mkfifo: { does: "medium", operands: "write*", options: { "-m --mode": "text" } },
  mknod: { does: "high", operands: "write text*", options: { "-m --mode": "text" } },
  mktemp: {
    does: "medium",
    why: "creates a temporary file",
    operands: "write",
    options: { "-p --tmpdir": "write", "--suffix -t": "text" },
  },
  touch: { operands: "write*", options: { "-d --date -t --time": "text", "-r --reference": "read" } },
  truncate: {
    does: "medium",
    why: "changes the size of files",
    operands: "write*",
    options: { "-s --size": "text", "-r --reference": "read" },
  },
  fallocate: { does: "medium", operands: "write*", options: { "-l -o --length --offset": "text" } },
  ln: {
    does: "medium",
    why: "creates links",
    operands: "read* into",
    options: { "-t --target-directory": "into no-last", "-S --suffix": "text", "--backup": "text glued" },
    judge: ({ parsed, facts }) => {
      if (parsed.operands.length !== 1) return;
      const [target] = parsed.operands;
      if (target !== undefined) facts.raise("medium", "creates a link in the current directory");
    },
  },
  link: { does: "medium", why: "creates links", operands: "read write" },
  install: {
    does: "medium",
    why: "copies files",
    operands: "read* into",
    options: {
      "-m --mode -o --owner -g --group -S --suffix": "text",
      "-t --target-directory": "into no-last",
      "-d --directory": "operands=write",
      "--strip-program": "high shell",
    },
  },
  tee: { does: "medium", why: "writes files", operands: "write*", options: { "--output-error": "text glued" } },
  sponge: { does: "medium", why: "writes files", operands: "write*" },
  split: {
    does: "medium",
    why: "writes files",
    operands: "read into",
    options: { "-a -b -C -l -n -t --additional-suffix --bytes --lines --number": "text", "--filter": "high shell" },
  },
  csplit: {
    does: "medium",
    why: "writes files",
    operands: "read text*",
    options: { "-f -b -n --prefix --suffix-format --digits": "text" },
  },
  dd: { does: "high", why: "copies bytes, to devices too", operands: "text*", judge: judgeDd },
  chmod: { does: "high", why: "changes permissions", ...MODE },
  chown: { does: "high", why: "changes owners", ...MODE },
  chgrp: { does: "high", why: "changes groups", ...MODE },
  chattr: { does: "high", why: "changes attributes", operands: "text change*", options: { "-R": "tree destructive" } },
  chflags: { does: "high", why: "changes attributes", ...MODE },
  setfacl: {
    does: "high",
    why: "changes permissions",
    operands: "change*",
    options: {
      "-m --modify -x --remove": "text",
      "-M -X --restore --set-file": "read",
      "-R --recursive": "tree destructive",
    },
  },
  setfattr: { does: "medium", operands: "change*", options: { "-n -v -x": "text", "--restore": "read" } },
  xattr: { does: "medium", operands: "text change*" },
  patch: {
    does: "medium",
    why: "changes the files that the patch names",
    operands: "change read",
    options: {
      "-p --strip -F --fuzz -D --ifdef": "text",
      "-i --input": "read",
      "-d --directory": "cwd",
      "-o --output -r --reject-file": "write",
      "--dry-run": "",
    },
    judge: (call) => {
      if (call.parsed.operands.length === 0 && !hasOption(call, "--dry-run")) patchesTree(call);
    },
  },
  rename: { does: "high", why: "renames files by an expression", operands: "code change*" },
  sync: { does: "medium", operands: "read*" },
  mkfs: { does: "high", why: "destroys a file system", operands: "write*", options: { "-t": "text" } },
  mkswap: { does: "high", operands: "write*" },
  wipefs: { does: "high", operands: "write*" },
  fdisk: { does: "high", operands: "write*" },
  parted: { does: "high", operands: "write text*" },
  vi: { does: "high", why: "an editor, which can run commands", operands: "change*" },
  vim: { does: "high", why: "an editor, which can run commands", operands: "change*" },
  nvim: { does: "high", why: "an editor, which can run commands", operands: "change*" },
  nano: { does: "medium", why: "an editor", operands: "change*" },
  emacs: { does: "high", why: "an editor, which can run commands", operands: "change*" },
  ed: { does: "high", why: "an editor, which can run commands", operands: "change*" },
  ex: { does: "high", why: "an editor, which can run commands", operands: "change*" },
  code: { does: "medium", why: "opens an editor", operands: "change*" },
};

/** A patch from stdin or a file may name any file below the directory. */
function patchesTree(call: ProgramCall): void {
  if (optionValues(call, "-o", "--output").length > 0) return;
  for (const path of call.state.directories ?? []) call.facts.file(literalWord(path), "write", "tree");
}
