import { describe, expect, it } from "vitest";
import type { CopyData } from "../../tools/copy/contract.js";
import type { DeleteData } from "../../tools/delete/contract.js";
import type { MoveData } from "../../tools/move/contract.js";
import { failedWith, seenBy, succeeded } from "../golden.fixture.js";
import { haftDialect } from "./haft-dialect.js";

const MOVE: MoveData = {
  from: "a.txt",
  to: "b.txt",
  kind: "file",
  sizeBytes: 3,
  targetChanges: false,
  replaced: false,
};
const NOTHING = { files: 0, directories: 0, symlinks: 0, others: 0 };
const DELETE: DeleteData = { path: "a.txt", kind: "file", sizeBytes: 3, inside: NOTHING, kept: [] };

const moved = (more: Partial<MoveData>, details: Readonly<Record<string, unknown>> = {}) =>
  seenBy(haftDialect, "move", { ...succeeded({ ...MOVE, ...more }), details }, { from: "a.txt", to: "b.txt" }).envelope;
const deleted = (more: Partial<DeleteData>) =>
  seenBy(haftDialect, "delete", succeeded({ ...DELETE, ...more }), { path: more.path ?? "a.txt" }).envelope;

describe("movePresenter", () => {
  it("reports what was moved, and where the replaced bytes are", () => {
    expect(moved({})).toBe('Moved "a.txt" to "b.txt": a file, 3 bytes.');
    expect(moved({ replaced: true }, { backup: { artifact: "a3", bytes: 9 } })).toBe(
      'Moved "a.txt" to "b.txt": a file, 3 bytes. Replaced the existing file. Old content: artifact:a3.',
    );
    expect(moved({ replaced: true, replacedTarget: "../x\n" })).toBe(
      'Moved "a.txt" to "b.txt": a file, 3 bytes. Replaced the symlink itself, which pointed to "../x\\n".',
    );
    expect(moved({ kind: "directory", sizeBytes: 0 })).toBe('Moved "a.txt" to "b.txt": a directory.');
  });

  it("reports that a relative symlink resolves differently from its new directory", () => {
    expect(moved({ kind: "link", sizeBytes: 0, target: "x\n", targetChanges: true, to: "d/b" })).toBe(
      'Moved "a.txt" to "d/b": a symlink. Its relative target "x\\n" resolves differently from the new directory.',
    );
  });
});

describe("copyPresenter", () => {
  const COPY: CopyData = {
    from: "a.txt",
    to: "b.txt",
    target: "here",
    sizeBytes: 3,
    sha256: "0123456789abcdef",
    created: true,
  };
  const copied = (more: Partial<CopyData>, details: Readonly<Record<string, unknown>> = {}) =>
    seenBy(haftDialect, "copy", { ...succeeded({ ...COPY, ...more }), details }, { from: "a.txt", to: "b.txt" })
      .envelope;

  it("reports what was copied, between which targets, and where the replaced bytes are", () => {
    expect(copied({})).toBe('Copied "a.txt" to "b.txt": 3 bytes, sha256 0123456789ab.');
    expect(copied({ source: "there", created: false, inPlace: true }, { backup: { artifact: "a3", bytes: 9 } })).toBe(
      'Copied "a.txt" on "there" to "b.txt" on "here": 3 bytes, sha256 0123456789ab. Replaced the existing file. Written in place to preserve hard links, owner and attributes. Old content: artifact:a3.',
    );
  });
});

describe("deletePresenter", () => {
  it("reports what was deleted and where its content is", () => {
    expect(deleted({ kept: [{ path: "a.txt", artifact: "a1", sizeBytes: 3 }] })).toBe(
      'Deleted "a.txt": a file, 3 bytes. Backup: artifact:a1.',
    );
    expect(deleted({ sizeBytes: 0 })).toBe('Deleted "a.txt": a file, 0 bytes.');
    expect(deleted({ kind: "link", sizeBytes: 0, target: "../x" })).toBe(
      'Deleted "a.txt": a symlink to "../x" (not deleted).',
    );
    expect(deleted({ kind: "directory", sizeBytes: 0 })).toBe('Deleted "a.txt": an empty directory.');
    expect(deleted({ kind: "other", sizeBytes: 0 })).toBe('Deleted "a.txt": a FIFO, a socket or a device.');
  });

  it("lists each file of a directory with its artifact", () => {
    const kept = [
      { path: "d/a.txt", artifact: "a1", sizeBytes: 1 },
      { path: "d/b\n", artifact: "a2", sizeBytes: 2 },
    ];
    const inside = { files: 3, directories: 1, symlinks: 1, others: 1 };
    expect(deleted({ path: "d", kind: "directory", inside, kept })).toBe(
      [
        'Deleted "d": a directory with 3 files, 1 directory, 1 symlink, 1 special file, 3 bytes. Backups of its files:',
        'artifact:a1  "d/a.txt", 1 byte',
        'artifact:a2  "d/b\\n", 2 bytes',
      ].join("\n"),
    );
  });

  it("adds no second step to a refusal that names one", () => {
    const said =
      'Did not delete "d": it is a directory that is not empty. Set `recursive` to delete it and its contents.';
    expect(seenBy(haftDialect, "delete", failedWith("FS_NOT_EMPTY", said, {}), { path: "d" }).envelope).toBe(said);
  });
});
