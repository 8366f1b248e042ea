/** Error messages are the same on every backend. */
import { onFs } from "../case-setup.js";
import { expectEqual, expectError } from "../expect.js";
import type { Fixture } from "../fixture.js";
import type { Suite } from "../plan.js";

const PLAIN_RM = { recursive: false, ignoreMissing: false };

export const fsErrorMessages: Suite<Fixture> = [
  onFs("fs:error:refusals", "Errors have the same message on every backend", async (fs, path) => {
    await fs.mkdir(path("dir/full"), true);
    await fs.writeFile(path("dir/full/file"), "text");
    await fs.writeFile(path("file"), "text");
    const directory = path("dir");
    const file = path("file");
    const gone = path("gone");
    const missing = "it does not exist. Check the path.";
    const blocked = "a parent of the path is not a directory. Check the path.";
    const taken = "it already exists. Choose another name.";
    const cancelled = AbortSignal.abort();
    const refusals: readonly (readonly [work: Promise<unknown>, message: string])[] = [
      [fs.readText(gone), `Did not read "${gone}": ${missing}`],
      [fs.readText(`${file}/below`), `Did not read "${file}/below": ${blocked}`],
      [fs.readText(directory), `Did not read "${directory}": it is a directory. Name a regular file.`],
      [
        fs.readBytes(file, { maxBytes: 3 }),
        `Did not read "${file}": it has 4 bytes and the limit is 3. Read part of it.`,
      ],
      [fs.readText(file, { signal: cancelled }), `Did not read "${file}": the operation was cancelled.`],
      [fs.stat(gone), `Did not inspect "${gone}": ${missing}`],
      [fs.readDir(gone), `Did not list "${gone}": ${missing}`],
      [fs.readDir(file), `Did not list "${file}": ${blocked}`],
      [fs.writeFile(`${gone}/file`, "x"), `Did not write "${gone}/file": ${missing}`],
      [fs.writeFile(directory, "x"), `Did not write "${directory}": it is a directory. Name a regular file.`],
      [
        fs.replaceAtomic(file, new Uint8Array(), "absent"),
        `Did not write "${file}": it already exists. Read it again before you write it.`,
      ],
      [
        fs.replaceAtomic(file, new Uint8Array(), { sha256: "0".repeat(64) }),
        `Did not write "${file}": the file has changed since it was read. Read it again before you write it.`,
      ],
      [
        fs.replaceAtomic(gone, new Uint8Array(), { sha256: "0".repeat(64) }),
        `Did not write "${gone}": the file no longer exists. Read it again before you write it.`,
      ],
      [fs.mkdir(directory, false), `Did not create the directory "${directory}": ${taken}`],
      [fs.mkdir(file, true), `Did not create the directory "${file}": ${taken}`],
      [fs.mkdir(`${file}/below`, true), `Did not create the directory "${file}/below": ${blocked}`],
      [fs.rm(gone, PLAIN_RM), `Did not remove "${gone}": ${missing}`],
      [
        fs.rm(directory, PLAIN_RM),
        `Did not remove "${directory}": the directory is not empty. Remove it recursively, or empty it first.`,
      ],
      [fs.rename(gone, path("new"), { replace: false }), `Did not rename "${gone}": ${missing}`],
      [fs.rename(file, directory, { replace: false }), `Did not rename "${directory}": ${taken}`],
      [
        fs.rename(directory, `${directory}/full/below`, { replace: false }),
        `Did not rename "${directory}": "${directory}/full/below" is inside it. Choose a target outside it.`,
      ],
    ];
    const reported = await Promise.allSettled(refusals.map(([work]) => work));
    for (const [index, one] of reported.entries()) {
      const message = one.status === "rejected" ? (one.reason as Error).message : "nothing: it succeeded";
      expectEqual(message, refusals[index]?.[1], "the message");
    }
  }),
  onFs("fs:error:long-path", "A path of more than 4,095 bytes is FS_BAD_PATH", async (fs, path) => {
    const long = path("directory/".repeat(450));
    const error = await expectError(fs.readText(long), "FS_BAD_PATH", "readText");
    expectEqual(
      error.message,
      `Did not read "${long}": it is longer than 4095 bytes. Use a shorter one.`,
      "the message",
    );
    await expectError(fs.mkdir(long, true), "FS_BAD_PATH", "mkdir");
  }),
  onFs("fs:error:root", "The root is neither removed nor moved: FS_PERMISSION", async (fs, path) => {
    const why = "it is the root directory. Name an entry in it.";
    const removed = await expectError(fs.rm("/", PLAIN_RM), "FS_PERMISSION", "rm");
    expectEqual(removed.message, `Did not remove "/": ${why}`, "the message");
    const moved = await expectError(fs.rename("/", path("new"), { replace: false }), "FS_PERMISSION", "rename");
    expectEqual(moved.message, `Did not rename "/": ${why}`, "the message");
  }),
];
