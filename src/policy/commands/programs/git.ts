/** git, by its subcommands. What its configuration can start is guarded where the configuration is written. */
import { hasOption } from "../call-options.js";
import { type ExpandedWord, literalWord } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec, ProgramTable } from "../program-spec.js";
import { runOperands } from "./builtins.js";
import {
  CHANGES_REPOSITORY,
  CONNECTS_TO_REPOSITORY,
  changesTree,
  GIT_BRANCH,
  GIT_CHECKOUT,
  GIT_CLEAN,
  GIT_COMMIT,
  GIT_CONFIG,
  GIT_MERGES,
  GIT_PICKS,
  GIT_PULL,
  GIT_REMOVE,
  GIT_RESET,
  GIT_TAG,
  gitVerbs,
  judgeRemote,
  LOOKS_AT_REPOSITORY,
  SHOWS_DIFF,
} from "./git-subcommands.js";
import { formatsFile } from "./readers.js";

const GIT: ProgramSpec = {
  info: "--version --help -v -h --html-path --man-path --info-path --exec-path",
  options: {
    "-C": "cwd",
    "-c --config-env": "text high",
    "--git-dir --work-tree --namespace": "text high",
    "--exec-path": "text glued high",
    // Then the configuration of the current directory counts, whoever wrote it.
    "--bare": "high",
    "-p --paginate": "medium",
    "--attr-source --super-prefix": "text",
  },
  operands: "text*",
  why: "runs git with another configuration",
  commands: {
    diff: { ...SHOWS_DIFF, judge: readsPaths },
    "status log show shortlog whatchanged range-diff diff-tree diff-index diff-files": SHOWS_DIFF,
    "ls-files ls-tree rev-parse rev-list merge-base describe name-rev for-each-ref show-ref cat-file count-objects var check-ignore check-attr check-mailmap cherry verify-commit verify-tag show-branch version merge-tree patch-id stripspace column get-tar-commit-id":
      {
        operands: "maybe*",
        options: {
          "--textconv --filters": "medium",
          "-X --exclude-from --mailmap-file": "read",
          "-x --exclude --format --sort --count": "text",
        },
      },
    "blame annotate": {
      operands: "maybe*",
      options: { "--contents --ignore-revs-file -S": "read", "-L --since --date": "text" },
    },
    "fmt-merge-msg": { operands: "maybe*", options: { "-F --file": "read", "-m --message --into-name": "text" } },
    grep: {
      operands: "maybe*",
      options: {
        "-O --open-files-in-pager": "high shell glued",
        "-f": "read",
        "-e -A -B -C -m --max-depth --threads": "text",
        "--untracked --no-index --no-exclude-standard": "",
      },
      judge: searchesUntracked,
    },
    branch: GIT_BRANCH,
    tag: GIT_TAG,
    config: GIT_CONFIG,
    remote: {
      options: { "-v --verbose": "" },
      operands: "text*",
      commands: {
        "get-url": LOOKS_AT_REPOSITORY,
        "show update prune": CONNECTS_TO_REPOSITORY,
        "add set-url remove rename set-head set-branches rm": {
          ...CHANGES_REPOSITORY,
          does: "high",
          why: "changes which repositories git connects to",
        },
      },
      otherwise: { operands: "text*" },
    },
    stash: {
      commands: {
        "list show": SHOWS_DIFF,
        "drop clear": { does: "high", why: "deletes stashed changes", operands: "text*" },
      },
      otherwise: {
        does: "medium",
        why: "changes the working tree",
        operands: "maybe*",
        options: { "-m --message": "text", "--pathspec-from-file": "read" },
        judge: (call) => changesTree(call),
      },
    },
    reflog: {
      commands: {
        "expire delete drop write": { does: "high", why: "changes the history of references", operands: "text*" },
      },
      otherwise: SHOWS_DIFF,
    },
    worktree: {
      commands: {
        list: LOOKS_AT_REPOSITORY,
        add: { does: "medium tree", operands: "write text", options: { "-b -B": "text" } },
        remove: { does: "high", operands: "delete", why: "deletes a working tree" },
      },
      otherwise: CHANGES_REPOSITORY,
    },
    notes: gitVerbs("list show get-ref"),
    submodule: {
      commands: {
        "status summary": LOOKS_AT_REPOSITORY,
        foreach: { operands: "text*", stopsAtOperand: true, judge: foreachCommand },
      },
      otherwise: { does: "medium network", why: "changes submodules", operands: "text*" },
    },
    bisect: {
      commands: {
        "log terms": LOOKS_AT_REPOSITORY,
        run: { does: "medium workspace", operands: "text*", stopsAtOperand: true, judge: (call) => runOperands(call) },
      },
      otherwise: { ...CHANGES_REPOSITORY, judge: (call) => changesTree(call) },
    },
    "symbolic-ref": {
      operands: "text*",
      judge: changesReference,
      options: { "-m": "text" },
    },
    "add stage": {
      does: "medium",
      why: "changes the index",
      operands: "read*",
      options: { "--pathspec-from-file": "read", "--chmod": "text", "-e --edit -p --patch -i --interactive": "medium" },
    },
    commit: GIT_COMMIT,
    "checkout switch": GIT_CHECKOUT,
    restore: {
      does: "high",
      why: "discards changes that are not committed",
      operands: "change*",
      options: { "-s --source": "text", "--pathspec-from-file": "read" },
    },
    reset: GIT_RESET,
    clean: GIT_CLEAN,
    rm: GIT_REMOVE,
    mv: { does: "medium tree", why: "moves files", operands: "change* into" },
    "merge rebase am": GIT_MERGES,
    "cherry-pick revert": GIT_PICKS,
    apply: {
      operands: "read*",
      options: {
        "--directory": "write",
        "--unsafe-paths": "high",
        "-p -C --exclude --include --whitespace": "text",
        "--check --stat --numstat --summary --apply": "",
        "--build-fake-ancestor": "medium write",
      },
      judge: judgeApply,
    },
    "format-patch": {
      does: "medium",
      why: "writes patches",
      operands: "maybe*",
      options: { "-o --output-directory": "write", "--signature-file": "read", "--output": "write" },
    },
    archive: {
      operands: "maybe*",
      options: {
        "-o --output": "medium write",
        "--remote": "high text network",
        "--exec": "high shell",
        "--format --prefix": "text",
        "--add-file": "read",
      },
    },
    bundle: { does: "medium", operands: "text write text*" },
    init: {
      does: "medium tree",
      why: "creates a repository",
      operands: "write",
      options: {
        "--template": "high read",
        "--separate-git-dir": "high write",
        "-b --initial-branch --object-format": "text",
      },
    },
    clone: {
      does: "medium network tree",
      why: "copies a repository",
      operands: "text write",
      options: {
        "-c --config": "high text",
        "-u --upload-pack": "high shell",
        "--template": "high read",
        "--separate-git-dir": "high write",
        "--reference --reference-if-able": "read",
        "-b --branch -o --origin --depth -j --jobs --filter --shallow-since": "text",
      },
      judge: judgeRemote,
    },
    pull: GIT_PULL,
    "fetch ls-remote fetch-pack": CONNECTS_TO_REPOSITORY,
    push: {
      ...CONNECTS_TO_REPOSITORY,
      options: {
        ...CONNECTS_TO_REPOSITORY.options,
        "-f --force --force-with-lease --mirror --delete -d --prune": "high",
      },
    },
    "send-pack http-fetch http-push send-email svn p4 cvsimport daemon instaweb request-pull": {
      does: "high network",
      operands: "text*",
    },
    "difftool mergetool": {
      does: "high",
      why: "starts the tool that the configuration names",
      operands: "maybe*",
      options: { "-x --extcmd": "shell", "-t --tool": "text" },
    },
    "filter-branch filter-repo replace fast-import": {
      does: "high",
      why: "rewrites the history",
      operands: "text*",
      options: {
        "--tree-filter --index-filter --msg-filter --env-filter --commit-filter --parent-filter --tag-name-filter":
          "shell",
      },
    },
    "gc prune repack pack-refs maintenance update-server-info commit-graph multi-pack-index": {
      does: "medium",
      why: "reorganizes the repository",
      operands: "text*",
    },
    fsck: { operands: "text*", options: { "--lost-found": "medium" } },
    "update-index update-ref read-tree write-tree commit-tree hash-object mktag pack-objects unpack-objects checkout-index sparse-checkout rerere":
      CHANGES_REPOSITORY,
    help: { operands: "text*", options: { "-w --web": "high" }, judge: formatsFile },
    "fast-export": { operands: "maybe*", options: { "--export-marks": "medium write", "--import-marks": "read" } },
    hook: { does: "medium workspace", operands: "text*" },
    lfs: { does: "medium network", operands: "text*" },
  },
};

function foreachCommand(call: ProgramCall): void {
  const words = call.parsed.operands;
  const unknown = words.find(({ isUnresolved }) => isUnresolved);
  if (words.length > 0) call.shell(unknown ?? literalWord(words.map(({ value }) => value).join(" ")));
}

/** Outside of a repository, or beside a path outside of it, two operands are files whose differences are shown. */
function readsPaths(call: ProgramCall): void {
  const { facts, parsed } = call;
  const { operands } = parsed;
  if (operands.length !== 2 || hasOption(call, "--no-index")) return;
  const isOutside = operands.some(({ value }) => /^(-$|\/|~)/.test(value));
  if (!isOutside) facts.extent = "unignored";
  for (const path of operands) if (!path.isUnresolved) facts.file(path, "read", "tree");
}

function changesReference(call: ProgramCall): void {
  if (hasOption(call, "-d", "--delete") || call.parsed.operands.length > 1)
    call.facts.raise("medium", "changes a reference");
}

/** With these options git searches the working tree, and not only what is committed. */
function searchesUntracked(call: ProgramCall): void {
  const { facts, parsed } = call;
  if (!hasOption(call, "--untracked", "--no-index", "--no-exclude-standard")) return;
  if (!hasOption(call, "--no-index", "--no-exclude-standard")) facts.extent = "unignored";
  const paths = parsed.operands.slice(hasOption(call, "-e", "-f") ? 0 : 1);
  for (const path of paths) {
    if (path.value.startsWith(":")) facts.unresolved(path);
    else facts.file(patternRoot(path), "read", "tree");
  }
  if (paths.length === 0) facts.file(literalWord("."), "read", "tree");
}

/** The directory below which git looks for what a quoted glob matches. */
function patternRoot(word: ExpandedWord): ExpandedWord {
  if (word.isUnresolved || word.isGlob || !/[*?[\\]/.test(word.value)) return word;
  const literal = /^[^*?[\\]*\//.exec(word.value)?.[0];
  return { ...literalWord(literal ?? "."), text: word.text };
}

function judgeApply(call: ProgramCall): void {
  if (hasOption(call, "--check", "--stat", "--numstat", "--summary") && !hasOption(call, "--apply")) return;
  call.facts.raise("medium", "changes the files that the patch names");
  changesTree(call);
}

export const GIT_PROGRAMS: ProgramTable = { git: GIT };
