/** The subcommands of git that need more than a line. */
import { hasOption } from "../call-options.js";
import { type ExpandedWord, globWord, literalWord } from "../expanded-word.js";
import type { ProgramCall, ProgramSpec } from "../program-spec.js";

/** Options of everything that shows differences. */
const DIFF_OPTIONS = {
  "--output": "medium write",
  "--ext-diff": "high",
  "--no-index": "tree operands=read",
  "-O": "read glued",
  "-U --unified --stat --word-diff": "text glued",
  "-l --find-object --rotate-to --skip-to --ws-error-highlight --diff-algorithm --output-indicator-new --output-indicator-old --output-indicator-context":
    "text",
  "-S -G -n -L --max-count --skip --since --until --after --before --author --committer --grep --format --date --diff-filter --decorate-refs --word-diff-regex --inter-hunk-context --stat-width --src-prefix --dst-prefix --line-prefix --ignore-matching-lines":
    "text",
};

export const SHOWS_DIFF: ProgramSpec = { operands: "maybe*", options: DIFF_OPTIONS };
export const LOOKS_AT_REPOSITORY: ProgramSpec = { operands: "maybe*" };
export const CHANGES_REPOSITORY: ProgramSpec = { does: "medium", operands: "maybe*", why: "changes the repository" };
export const CONNECTS_TO_REPOSITORY: ProgramSpec = {
  does: "medium network",
  why: "exchanges commits with another repository",
  operands: "text*",
  options: {
    "--upload-pack --receive-pack --exec": "high shell",
    "-o --push-option --depth --since --negotiation-tip --jobs": "text",
  },
  judge: judgeRemote,
};

export const GIT_PULL: ProgramSpec = {
  ...CONNECTS_TO_REPOSITORY,
  judge: (call) => {
    judgeRemote(call);
    changesTree(call);
  },
};

/** A transport such as `ext::sh -c …` starts a program. */
export function judgeRemote({ parsed, facts }: ProgramCall): void {
  const [repository] = parsed.operands;
  if (parsed.operands.some(({ value }) => /^[a-z][a-z0-9+.-]*::/i.test(value))) {
    facts.problem("dynamic-command", "a transport of git that starts a program");
  } else if (repository !== undefined && /^[a-z]+:\/\/|^[^/]+@[^/]+:/i.test(repository.value)) {
    facts.connects(/^(?:[a-z]+:\/\/)?(?:[^/@]*@)?([^/:]+)/i.exec(repository.value)?.[1]);
  } else if (repository !== undefined && /^[./~]/.test(repository.value)) facts.file(repository, "read", "tree");
}

/** Changes the whole working tree of the current directory. */
export function changesTree(call: ProgramCall, access: "write" | "delete" = "write"): void {
  call.facts.file(literalWord("."), access, "tree");
}

/** Reads with these options or without operands; otherwise changes. */
export function readsOnly(
  reads: readonly string[],
  changes: readonly string[],
  why: string,
): (call: ProgramCall) => void {
  return (call) => {
    const isChange = hasOption(call, ...changes) || (call.parsed.operands.length > 0 && !hasOption(call, ...reads));
    if (isChange) call.facts.raise("medium", why);
  };
}

const LIST_OPTIONS = {
  "--sort --format --points-at": "text",
  "--contains --no-contains --merged --no-merged --color --column --abbrev": "text glued",
};

export const GIT_BRANCH: ProgramSpec = {
  operands: "text*",
  options: {
    ...LIST_OPTIONS,
    "-u --set-upstream-to": "medium text",
    "-d -D --delete -m -M --move -c -C --copy --unset-upstream --edit-description -f --force": "medium",
    "-l --list -a --all -r --remotes --show-current": "",
  },
  judge: readsOnly(
    [
      "-l",
      "--list",
      "-a",
      "--all",
      "-r",
      "--remotes",
      "--contains",
      "--no-contains",
      "--merged",
      "--no-merged",
      "--points-at",
      "--show-current",
    ],
    [
      "-d",
      "-D",
      "--delete",
      "-m",
      "-M",
      "--move",
      "-c",
      "-C",
      "--copy",
      "-u",
      "--set-upstream-to",
      "--unset-upstream",
      "--edit-description",
      "-f",
      "--force",
    ],
    "changes branches",
  ),
};

export const GIT_TAG: ProgramSpec = {
  operands: "text*",
  options: {
    ...LIST_OPTIONS,
    "-m --message -u --local-user": "medium text",
    "-F --file": "medium read",
    "-d --delete -a --annotate -s --sign -f --force -e --edit --create-reflog": "medium",
    "-l --list -v --verify": "",
    "-n": "text glued",
  },
  judge: readsOnly(
    ["-l", "--list", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at", "-v", "--verify", "-n"],
    ["-d", "--delete", "-a", "-s", "-f", "--force", "-m", "--message", "-F", "--file"],
    "changes tags",
  ),
};

const CONFIG_READS = "--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list";
const CONFIG_CHANGES = "--unset --unset-all --remove-section --rename-section --replace-all --add -e --edit";

/** Writes to the configuration can name programs that later commands start. */
export const GIT_CONFIG: ProgramSpec = {
  operands: "text*",
  options: {
    "-f --file": "change",
    "--blob --type --default --url": "text",
    "--includes": "medium",
    [CONFIG_READS]: "",
    [CONFIG_CHANGES]: "",
  },
  judge: (call) => {
    const { facts, parsed } = call;
    const [first] = parsed.operands;
    const isChange =
      hasOption(call, ...CONFIG_CHANGES.split(" ")) ||
      /^(set|unset|rename-section|remove-section|edit)$/.test(first?.value ?? "");
    const isRead =
      hasOption(call, ...CONFIG_READS.split(" ")) ||
      /^(get|list)$/.test(first?.value ?? "") ||
      parsed.operands.length === 1;
    if (isRead && !isChange) return;
    facts.raise("high", "changes the configuration of git, which can name programs");
    if (hasOption(call, "--global", "--system"))
      facts.file({ ...literalWord("~/.gitconfig"), text: "--global" }, "write");
    else facts.file(literalWord(".git/config"), "write");
  },
};

const CREATES_BRANCH = ["-b", "-B", "-c", "-C", "--create", "--force-create"];
const DISCARDS = ["-f", "--force", "--discard-changes"];

export const GIT_CHECKOUT: ProgramSpec = {
  operands: "maybe*",
  options: {
    "-b -B -c -C --create --force-create --orphan --conflict": "text",
    "--pathspec-from-file": "read",
    "-f --force --discard-changes": "high",
  },
  judge: (call) => {
    // A branch without a start point begins at what is checked out.
    const isHere = call.parsed.operands.length === 0 && !hasOption(call, ...DISCARDS);
    if (isHere && hasOption(call, ...CREATES_BRANCH)) {
      call.facts.raise("medium", "creates a branch");
      return;
    }
    call.facts.raise("medium", "changes the working tree");
    if (call.args.some(({ value }) => value === "--") || call.parsed.operands.some(({ value }) => value === ".")) {
      call.facts.raise("high", "discards changes that are not committed");
    }
    changesTree(call);
  },
};

export const GIT_RESET: ProgramSpec = {
  does: "medium",
  why: "moves the branch or the index",
  operands: "maybe*",
  options: { "--hard --merge --keep": "", "--pathspec-from-file": "read" },
  judge: (call) => {
    if (hasOption(call, "--hard", "--merge", "--keep"))
      call.facts.raise("high", "moves the branch and discards changes that are not committed");
    if (hasOption(call, "--hard")) changesTree(call);
  },
};

export const GIT_CLEAN: ProgramSpec = {
  operands: "text*",
  options: { "-e --exclude": "text", "-n --dry-run": "" },
  judge: (call) => {
    const { facts, parsed } = call;
    if (hasOption(call, "-n", "--dry-run")) return;
    facts.raise("high", "deletes files that are not tracked");
    for (const path of parsed.operands) facts.file(pathspec(path), "delete", "tree");
    if (parsed.operands.length > 0) return;
    // Without -d directories that are not tracked stay.
    const here = literalWord(".");
    facts.file(hasOption(call, "-d") ? here : { ...here, isPartial: true }, "delete", "tree");
  },
};

export const GIT_REMOVE: ProgramSpec = {
  does: "high",
  why: "deletes tracked files",
  operands: "text*",
  options: { "-r --cached": "", "--pathspec-from-file": "read" },
  judge: (call) => {
    if (hasOption(call, "--cached")) return;
    const scope = hasOption(call, "-r") ? "tree" : "self";
    for (const path of call.parsed.operands) call.facts.file(pathspec(path), "delete", scope);
  },
};

/** git expands `:/` and quoted globs itself. */
function pathspec(word: ExpandedWord): ExpandedWord {
  const { value } = word;
  if (/^:(\/|\(|!|\^)?/.test(value)) return literalWord(".");
  return /[*?[]/.test(value) && !word.isGlob ? { ...globWord(value), text: word.text } : word;
}

export const GIT_COMMIT: ProgramSpec = {
  does: "medium",
  why: "creates a commit, and runs the hooks of the repository",
  operands: "maybe*",
  options: {
    "-m --message -C -c --reuse-message --reedit-message --author --date --fixup --squash --trailer --cleanup": "text",
    "-F --file -t --template --pathspec-from-file": "read",
    "-S --gpg-sign -u --untracked-files": "text glued",
  },
};

/** Moves commits, and changes the working tree. */
export const GIT_MERGES: ProgramSpec = {
  does: "medium",
  why: "changes the branch and the working tree",
  operands: "maybe*",
  options: {
    "-x --exec": "high shell",
    "-s --strategy -X --strategy-option -m --message --onto --into-name --mainline": "text",
    "-F --file": "read",
    "-S --gpg-sign": "text glued",
  },
  judge: (call) => changesTree(call),
};
/** `git cherry-pick -x` only adds a line to the message. */
export const GIT_PICKS: ProgramSpec = {
  ...GIT_MERGES,
  options: { "-m --mainline -s --strategy -X --strategy-option --cleanup": "text", "-x": "" },
};

export const gitVerbs = (reads: string, rest: ProgramSpec = CHANGES_REPOSITORY): ProgramSpec => ({
  commands: { [reads]: LOOKS_AT_REPOSITORY },
  otherwise: rest,
});
