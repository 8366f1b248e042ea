/** Opens what a command's redirections name. */
import type { RedirectPlan, WordPlan } from "./command-plan.js";
import { expandWord } from "./expand-words.js";
import type { FileNode, FileTree } from "./file-tree.js";
import { systemText } from "./memory-command.js";
import { retainStreams, type Streams } from "./process-table.js";
import { NO_INPUT, NO_OUTPUT, type Sink, sourceOf } from "./streams.js";
import { READING, requirePath, treeError, WRITING } from "./tree-errors.js";

/** Why a redirection could not be opened, for standard error. */
export class RedirectProblem extends Error {}

/** The streams of a command, one hold on each. @throws RedirectProblem */
export function openRedirects(
  tree: FileTree,
  redirects: readonly RedirectPlan[],
  streams: Streams,
  resolve: (path: string) => string,
  lookUp: (variable: string) => string,
): Streams {
  const own = { ...streams };
  const put = (descriptor: number, sink: Sink): void => {
    if (descriptor === 1) own.stdout = sink;
    else own.stderr = sink;
  };
  for (const redirect of redirects) {
    if (redirect.kind === "copy") put(redirect.descriptor, redirect.from === 1 ? own.stdout : own.stderr);
    else if (redirect.kind === "text")
      own.stdin = sourceOf(new TextEncoder().encode(expandWord(redirect.text, lookUp)));
    else {
      const word = wordOf(redirect.target, lookUp);
      if (redirect.kind === "read")
        own.stdin =
          word === "/dev/null" ? NO_INPUT : opened(word, () => sourceOf(fileToRead(tree, resolve(word)).bytes));
      else if (word === "/dev/null") put(redirect.descriptor, NO_OUTPUT);
      else if (word === "/dev/stdout") put(redirect.descriptor, own.stdout);
      else if (word === "/dev/stderr") put(redirect.descriptor, own.stderr);
      else
        put(
          redirect.descriptor,
          opened(word, () => fileSink(tree, fileToWrite(tree, resolve(word), redirect.kind === "append"))),
        );
    }
  }
  return retainStreams(own);
}

function wordOf(target: WordPlan, lookUp: (variable: string) => string): string {
  const word = expandWord(target, lookUp);
  if (word === "") throw new RedirectProblem(`"": No such file or directory`);
  return word;
}

function opened<T>(word: string, open: () => T): T {
  try {
    return open();
  } catch (thrown) {
    throw new RedirectProblem(`${word}: ${systemText(thrown)}`);
  }
}

function fileToRead(tree: FileTree, path: string): FileNode {
  requirePath(READING, path);
  const spot = tree.walk(path, true, READING);
  if (spot.node === undefined) throw treeError(spot.isBlocked ? "FS_NOT_A_DIRECTORY" : "FS_NOT_FOUND", READING, path);
  if (spot.node.kind !== "file")
    throw new Error(spot.node.kind === "directory" ? "Is a directory" : "Not a regular file");
  return spot.node;
}

function fileToWrite(tree: FileTree, path: string, isAppending: boolean): FileNode {
  requirePath(WRITING, path);
  const spot = tree.walk(path, true, WRITING);
  if (spot.node === undefined) {
    if (spot.parent === undefined)
      throw treeError(spot.isBlocked ? "FS_NOT_A_DIRECTORY" : "FS_NOT_FOUND", WRITING, path);
    const file = tree.newFile(new Uint8Array());
    tree.attach(spot.parent, spot.name, file);
    return file;
  }
  if (spot.node.kind !== "file")
    throw new Error(spot.node.kind === "directory" ? "Is a directory" : "Not a regular file");
  if (!isAppending) tree.setBytes(spot.node, new Uint8Array());
  return spot.node;
}

/** Appends to the file itself, whatever its name becomes meanwhile. */
function fileSink(tree: FileTree, node: FileNode): Sink {
  return {
    async write(bytes) {
      const longer = new Uint8Array(node.bytes.length + bytes.length);
      longer.set(node.bytes);
      longer.set(bytes, node.bytes.length);
      tree.setBytes(node, longer);
    },
    retain() {},
    release() {},
  };
}
