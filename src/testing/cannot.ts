/** What backends cannot do by their nature, for the `cannot` of their plans. Each list is for all four suites of a backend together. */
import { shellSuite } from "./suites.js";

const reasons = (reason: string, ids: readonly string[]) => Object.fromEntries(ids.map((id) => [id, reason]));

/** Cases that make symlinks and follow them. */
const SYMLINKS = [
  "fs:symlink:to-a-file",
  "fs:symlink:write-follows",
  "fs:symlink:dangling",
  "fs:symlink:dangling-is-never-replaced",
  "fs:symlink:loop",
  "fs:symlink:rename-moves-the-symlink",
  "fs:symlink:rename-to-a-taken-name",
  "fs:symlink:mkdir-over-a-symlink",
  "fs:resolve:many",
  "fs:resolve:symlink-target-is-walked",
];

/** What a backend made by `completeBackend` cannot do: ids of suite cases, each with the reason. */
export const COMPLETED_CANNOT: Readonly<Record<string, string>> = Object.freeze({
  ...reasons("the core reports no kinds besides file and directory", ["fs:read:fifo-is-refused"]),
  ...reasons("the core overwrites files in place", ["fs:replace:by-renaming", "fs:replace:whole-or-nothing"]),
  ...reasons("the core does not report modes", [
    "fs:replace:keeps-mode",
    "fs:replace:mode-of-a-new-file",
    "fs:stream:keeps-mode",
    "fs:stream:mode-of-a-new-file",
  ]),
  ...reasons("the core reports that a path is a symlink, not its target, and cannot move one", [...SYMLINKS]),
  ...reasons("the core does not report hard links", ["fs:rename:hard-links", "fs:replace:reports-in-place"]),
  ...reasons("checked, then acted on: a swap in between can win", ["fs:guard:swapped-during-the-act"]),
  ...reasons("the core hands a command over as one argument", ["shell:exec:long-command"]),
  ...reasons("the core does not name signals", ["shell:exit:signal"]),
  ...reasons("the core reports output at the end", ["shell:output:reported-before-the-end"]),
  ...reasons("the core reports output at the end, so the case cannot know when to stop it", [
    "shell:exec:abort-ends-tree",
    "shell:exec:call-end-ends-tree",
  ]),
  ...reasons("the core has no access to processes", [
    "shell:tree:gone",
    "shell:exec:timeout-ends-tree",
    "shell:exec:call-deadline",
    "shell:exec:odd-numbers",
    "shell:exec:term-is-heard",
    "shell:exec:term-ignored",
    "shell:exec:child-ignores-term",
    "shell:exec:new-session-ends-too",
    "shell:exec:endless-output",
    "shell:output:a-stuck-listener-holds-no-deadline",
    "shell:survivor:does-not-hold-the-call",
    "shell:survivor:holds-nothing",
    "shell:survivor:new-session",
    "shell:survivor:output-does-not-leak",
    "shell:survivor:slow-printer-does-not-leak",
    "shell:survivor:output-before-the-end-is-whole",
    "shell:jobs:survivors",
  ]),
  ...reasons("the core has no commands that outlive their call", [
    "shell:exec:detach",
    "shell:spawn:result",
    "shell:spawn:waiting",
    "shell:spawn:signal",
    "shell:spawn:signal-names",
    "shell:directory:spawn",
    "shell:directory:read-once-by-spawn",
    "shell:spawn:cannot-start",
    "shell:spawn:outlives-the-call",
    "shell:spawn:handle-is-revoked",
    "shell:session:ends-its-jobs",
    "backend:close:kept-job",
    "shell:attach:unclaimed-is-refused",
    "shell:spawn:output",
    "shell:spawn:input",
    "shell:spawn:input-waits",
    "shell:spawn:input-then-end-of-file",
    "shell:spawn:input-closed",
    "shell:spawn:input-closed-by-itself",
    "shell:spawn:input-end",
    "shell:spawn:kill",
    "shell:spawn:listeners",
    "shell:jobs:running-and-ended",
    "shell:jobs:of-a-session",
    "shell:jobs:claimed-actions",
    "shell:jobs:claimed-input",
    "shell:jobs:claimed-end-of-file",
    "shell:jobs:started-by-the-call",
  ]),
});

/**
 * What a backend cannot do whose files have no symlinks, hard links or FIFOs. Its fixture needs no `plant`. Not for a backend that
 * only lacks `plant`: these cases prove that no symlink leads a call out of its grant.
 */
export const CANNOT_WITHOUT_SYMLINKS: Readonly<Record<string, string>> = Object.freeze(
  reasons("there are no symlinks, hard links or FIFOs", [
    "fs:read:fifo-is-refused",
    ...SYMLINKS,
    "fs:rename:hard-links",
    "fs:guard:swapped-during-the-act",
    "fs:replace:keeps-hard-links",
    "fs:replace:reports-in-place",
    "fs:stream:keeps-hard-links",
    "fs:replace:in-place-of-any-size",
    "fs:symlink:to-a-directory",
    "fs:symlink:read-follows",
    "fs:symlink:absent-is-exclusive",
    "fs:symlink:rm-removes-the-symlink",
    "fs:symlink:rm-does-not-follow",
    "fs:resolve:loop",
    "fs:grant:except-through-a-symlink",
    "fs:grant:except-names-through-a-symlink",
    "fs:real-path:deny",
    "fs:real-path:stat-does-not-look-outside",
    "fs:real-path:allow",
    "fs:real-path:ask",
    "fs:real-path:approved-pair",
    "fs:real-path:inside-is-not-asked",
    "fs:guard:swapped-before-the-act",
    "search:walk:symlinks",
    "search:ignore:symlink",
    "search:ignore:special",
    "search:symlinks:not-followed",
    "search:symlinks:as-root",
    "search:special:fifo",
    "search:grant:except-names-through-a-symlink",
    "search:grant:symlink-out",
    "search:moved:allow",
    "search:moved:excepts",
    "search:moved:approved-pair",
    "shell:directory:read-once",
    "shell:directory:deny",
    "shell:directory:ask",
    "shell:directory:allow",
    "shell:directory:approved",
    "shell:directory:replaced-by-a-symlink",
    "shell:directory:swapped-after-the-question",
    "shell:directory:swapped-during-the-start",
    "shell:directory:root-is-unguarded",
  ]),
);

/** What a shell cannot do whose commands are no processes of a system with /proc, such as one in memory. */
export const CANNOT_WITHOUT_PROCESSES: Readonly<Record<string, string>> = Object.freeze(
  reasons("its commands are no processes that /proc shows", [
    "shell:process:default-signals",
    "shell:process:no-foreign-descriptors",
    "shell:process:no-terminal",
    "shell:process:own-group",
    "shell:exec:abort-of-held-output",
  ]),
);

/** What is refused before a command is looked at: without a shell, too. */
const REFUSED_FIRST = [
  "shell:exec:nul-in-command",
  "shell:guard:revoked",
  "shell:options:checked",
  "shell:jobs:unclaimed-is-refused",
];

/** What a backend cannot do that runs no commands: nearly all of `shellSuite`. */
export const CANNOT_WITHOUT_SHELL: Readonly<Record<string, string>> = Object.freeze(
  reasons(
    "there are no commands",
    shellSuite.map(({ id }) => id).filter((id) => !REFUSED_FIRST.includes(id)),
  ),
);
