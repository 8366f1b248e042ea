/** Changes the user's own haft.jsonc: comments and all other bytes are preserved. */
import { isDeepStrictEqual } from "node:util";
import type { Node } from "jsonc-parser";
import { messageOf } from "../../kernel/index.js";
import { parseConfig } from "../../toolkit/index.js";
import { withItem, withProperty } from "./clients/json-insert.js";
import { readClientFile, replaceClientFile } from "./clients/replace-client-file.js";
import { userConfigPath } from "./configuration.js";
import { UsageError } from "./usage.js";

type Path = readonly [string, ...string[]];

const OPTIONS = { allowTrailingComma: true, allowEmptyContent: true } as const;
const NEW_FILE = "// Haft's configuration for everything you start.\n{}\n";

/**
 * Adds `value` to the list at `path`, or puts it in the place of the item for which `replaces` holds. What is absent on the way is
 * created, the file too.
 *
 * @returns The path of the file, and whether it was changed.
 * @throws UsageError if it cannot be read or written, `CONFIG_INVALID` if it is not a configuration
 */
export async function addToUserList(
  path: Path,
  value: string,
  replaces: (item: unknown) => boolean = () => false,
): Promise<ConfigEdit> {
  return editUserConfig((before) => withListItem(before ?? NEW_FILE, path, value, replaces));
}

/**
 * Removes the items of the list at `path` for which `isRemoved` holds, each with its comma and the comment behind it.
 *
 * @throws UsageError, `CONFIG_INVALID`, as `addToUserList`
 */
export async function removeFromUserList(path: Path, isRemoved: (item: unknown) => boolean): Promise<ConfigEdit> {
  return editUserConfig((before) => (before === undefined ? undefined : withoutListItems(before, path, isRemoved)));
}

interface ConfigEdit {
  readonly file: string;
  readonly isChanged: boolean;
}

async function editUserConfig(edit: (before: string | undefined) => Promise<string> | undefined): Promise<ConfigEdit> {
  const file = userConfigPath();
  try {
    const before = readClientFile(file);
    if (before !== undefined) await parseConfig(before, file);
    const text = await edit(before);
    if (text === before || text === undefined) return { file, isChanged: false };
    await parseConfig(text, file);
    replaceClientFile(file, text, before, false);
    return { file, isChanged: true };
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "CONFIG_INVALID") throw error;
    throw new UsageError(`Did not change ${file}: ${messageOf(error)}.`);
  }
}

async function withListItem(
  text: string,
  path: Path,
  value: string,
  replaces: (item: unknown) => boolean,
): Promise<string> {
  const { findNodeAtLocation, getNodeValue, parseTree } = await import("jsonc-parser");
  const bom = text.startsWith("\ufeff") ? "\ufeff" : "";
  const json = text.slice(bom.length);
  const root = parseTree(json, [], OPTIONS);
  if (root === undefined) return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${newText(path, value)}\n`;
  const list = findNodeAtLocation(root, [...path]);
  const items = (list?.children ?? []).map((node): unknown => getNodeValue(node));
  if (items.some((item) => isDeepStrictEqual(item, value))) return text;
  const old = list?.children?.[items.findIndex(replaces)];
  if (old !== undefined)
    return bom + json.slice(0, old.offset) + JSON.stringify(value) + json.slice(old.offset + old.length);
  if (list !== undefined) return bom + withItem(json, list, value);
  let parent: Node = root;
  let depth = 0;
  for (
    let next = findNodeAtLocation(root, [path[0]]);
    next !== undefined;
    next = findNodeAtLocation(parent, [path[depth]!])
  ) {
    parent = next;
    depth++;
  }
  return bom + withProperty(json, parent, path[depth]!, nested(path.slice(depth + 1), value));
}

async function withoutListItems(text: string, path: Path, isRemoved: (item: unknown) => boolean): Promise<string> {
  const { findNodeAtLocation, getNodeValue, parseTree } = await import("jsonc-parser");
  const bom = text.startsWith("\ufeff") ? "\ufeff" : "";
  let json = text.slice(bom.length);
  const root = parseTree(json, [], OPTIONS);
  const items = (root && findNodeAtLocation(root, [...path])?.children) ?? [];
  for (const { offset, length } of items.filter((item) => isRemoved(getNodeValue(item))).reverse()) {
    const [comma = ""] = /^(?:\s|\/\*[\s\S]*?\*\/|\/\/.*\n)*,/.exec(json.slice(offset + length)) ?? [];
    const tail = json.slice(offset + length + comma.length);
    const [comment = ""] = /^[ \t]*(?:\/\/.*)?(?=\r?\n|$)/.exec(tail) ?? [];
    const head = json.slice(0, offset);
    const after = tail.slice(comment.length);
    // A line of its own goes as a whole.
    const isWholeLine = /\n[ \t]*$/.test(head) && /^\r?\n/.test(after);
    json = isWholeLine ? head.replace(/\r?\n[ \t]*$/, "") + after : head + after.replace(/^ /, "");
  }
  return bom + json;
}

const newText = ([key, ...rest]: Path, value: string): string =>
  JSON.stringify({ [key]: nested(rest, value) }, null, 2);

const nested = (keys: readonly string[], value: string): unknown =>
  keys.reduceRight<unknown>((inner, key) => ({ [key]: inner }), [value]);
