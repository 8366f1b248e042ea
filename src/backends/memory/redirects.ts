/** Opens the redirections of a command. */
import { FS_OPERATIONS, requirePath } from "../../kernel/index.js";
import type { RedirectPlan, WordPlan } from "./command-plan.js";
import { expandWord } from "./expand-words.js";
import type { FileNode, FileTree } from "./file-tree.js";
import { systemText } from "./memory-command.js";
import { retainStreams, type Streams } from "./process-table.js";
import { fileAt, parentAt } from "./resolved-node.js";
import { NO_INPUT, NO_OUTPUT, type Sink, sourceOf } from "./streams.js";

/** Why a redirection could not be opened, for stderr. */
export class RedirectProblem extends Error {}

/** The streams of a command, with one reference to each. @throws RedirectProblem */
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
  requirePath(FS_OPERATIONS.read, path);
  return fileAt(tree.walk(path, true, FS_OPERATIONS.read), FS_OPERATIONS.read, path);
}

function fileToWrite(tree: FileTree, path: string, isAppending: boolean): FileNode {
  requirePath(FS_OPERATIONS.write, path);
  const resolved = tree.walk(path, true, FS_OPERATIONS.write);
  if (resolved.node === undefined) {
    const file = tree.newFile(new Uint8Array());
    tree.attach(parentAt(resolved, FS_OPERATIONS.write, path), resolved.name, file);
    return file;
  }
  const file = fileAt(resolved, FS_OPERATIONS.write, path);
  if (!isAppending) tree.setBytes(file, new Uint8Array());
  return file;
}

/** Appends to the node itself, even if it is renamed. Capacity grows geometrically, so small writes copy each byte only a few times. */
function fileSink(tree: FileTree, node: FileNode): Sink {
  /** The file content followed by spare capacity. */
  let buffer = node.bytes;
  let shown = node.bytes;
  return {
    async write(bytes) {
      if (node.bytes !== shown) buffer = shown = node.bytes;
      const size = shown.length + bytes.length;
      if (size > buffer.length) {
        buffer = new Uint8Array(Math.max(size, 2 * shown.length));
        buffer.set(shown);
      }
      buffer.set(bytes, shown.length);
      shown = buffer.subarray(0, size);
      tree.setBytes(node, shown);
    },
    retain() {},
    release() {},
  };
}
