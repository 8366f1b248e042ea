/** What `haft memory` does. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import pc from "picocolors";
import { type Memories, type MemoryContent, type MemoryEntry, messageOf } from "../../../../kernel/index.js";
import { showControls } from "../../../../text/index.js";
import { clientTokens, type MemoryAdmin, memoryAdmin } from "../../../../toolkit/index.js";
import { secretOptions } from "../../common-options.js";
import { loadConfig, type StateOptions, stateAdminOptions } from "../../configuration.js";
import { printJson, printNotice, shownLines, utcTime } from "../../output.js";
import { EXIT, UsageError } from "../../usage.js";
import { entryFileName, entryText, parseEntry } from "./entry-file.js";

export interface MemoryOptions extends StateOptions {
  readonly owner?: string;
  readonly json?: boolean;
}

export interface MemoryListOptions extends MemoryOptions {
  readonly category?: string;
}

export interface MemoryExportOptions extends MemoryOptions {
  readonly force?: boolean;
}

/** Columns of a row on a terminal for key and content. */
const KEY_WIDTH = 28;
const CONTENT_WIDTH = 60;
/** Bytes of a file that is imported: content of the most characters, escaped. */
const MAX_FILE_BYTES = 1_048_576;

export async function listMemories(options: MemoryListOptions): Promise<number> {
  return withMemories(options, async (memories) => {
    const { category } = options;
    const entries = await entriesOf(memories, category === undefined ? {} : { category });
    if (options.json) printJson(entries);
    else process.stdout.write(entries.map(process.stdout.isTTY === true ? rowOf : lineOf).join(""));
    const { owner } = options;
    if (entries.length === 0 && !options.json)
      printNotice(
        owner !== undefined && category === undefined
          ? `the client "${owner}" has no notes. ${await clientsText(owner, options)}`
          : category === undefined
            ? `nothing is remembered. A model does it with the tool memory_store: \`haft call memory_store '{"key":"K","content":"TEXT"}'\`.`
            : `no note has the category "${category}".`,
      );
    return EXIT.ok;
  });
}

export async function showMemory(key: string, options: MemoryOptions): Promise<number> {
  return withMemories(options, async (memories) => {
    const entry = await memories.get(key);
    if (entry === undefined) return refuse(key, options);
    if (options.json) printJson(entry);
    else process.stdout.write(process.stdout.isTTY === true ? shown(entry) : `${entry.content}\n`);
    return EXIT.ok;
  });
}

export async function showHistory(key: string, options: MemoryOptions): Promise<number> {
  return withMemories(options, async (memories) => {
    const versions = await memories.history(key);
    if (versions.length === 0) return refuse(key, options);
    if (options.json) printJson(versions);
    else process.stdout.write(versions.map(shown).join("\n"));
    return EXIT.ok;
  });
}

export async function forgetMemories(keys: readonly string[], options: MemoryOptions): Promise<number> {
  return withMemories(options, async (memories) => {
    const forgotten: string[] = [];
    for (const key of keys) if (await memories.forget(key)) forgotten.push(key);
    if (options.json) printJson({ forgotten });
    for (const key of keys)
      if (forgotten.includes(key)) printNotice(`forgot "${key}" with its older versions.`);
      else refuse(key, options);
    return keys.every((key) => forgotten.includes(key)) ? EXIT.ok : EXIT.errorResult;
  });
}

export async function exportMemories(directory: string, options: MemoryExportOptions): Promise<number> {
  return withMemories(options, async (memories) => {
    const entries = await entriesOf(memories);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const files = entries.map((entry) => ({ path: join(directory, entryFileName(entry.key)), entry }));
    const taken = files.filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }) !== undefined);
    if (taken.length > 0 && options.force !== true)
      throw new UsageError(
        `Did not export: ${taken.length} of the files exist already, such as "${taken[0]?.path}". Use another directory, or --force.`,
      );
    for (const { path, entry } of files) {
      if (options.force === true) rmSync(path, { force: true });
      writeFileSync(path, entryText(entry), { flag: "wx", mode: 0o600 });
    }
    printNotice(
      `exported ${counted(entries.length)} to "${directory}". \`haft memory import\` reads them; older versions are not exported.`,
    );
    return EXIT.ok;
  });
}

/** All or nothing of what cannot be read or stored; what is stored already as it is in its file is left as it is. */
export async function importMemories(paths: readonly string[], options: MemoryOptions): Promise<number> {
  const read = paths.flatMap(filesOf).map((path) => ({ path, entry: readEntry(path) }));
  return withMemories(options, async (memories, { storable }) => {
    const files: { readonly path: string; readonly entry: MemoryContent }[] = [];
    for (const { path, entry } of read) {
      try {
        if (typeof entry === "string") printNotice(`"${path}" is not a note: ${entry}.`);
        else files.push({ path, entry: await storable(entry) });
      } catch (error) {
        printNotice(`"${path}" cannot be stored: ${messageOf(error)}`);
      }
    }
    if (files.length < read.length) {
      printNotice(`imported nothing: ${read.length - files.length} of ${read.length} files cannot be imported.`);
      return EXIT.errorResult;
    }
    let stored = 0;
    for (const { path, entry } of files) {
      try {
        if (await storeUnlessSame(memories, entry)) stored += 1;
      } catch (error) {
        printNotice(`stopped at "${path}", after ${counted(stored)}: ${messageOf(error)}`);
        return EXIT.errorResult;
      }
    }
    const same = read.length - stored;
    printNotice(
      `imported ${counted(stored)}${same === 0 ? "" : `; ${same} ${same === 1 ? "was" : "were"} stored already`}.`,
    );
    return EXIT.ok;
  });
}

async function storeUnlessSame(memories: Memories, content: MemoryContent): Promise<boolean> {
  const old = await memories.get(content.key);
  if (old !== undefined) {
    const { id: _, supersededBy: __, ...rest } = old;
    if (isDeepStrictEqual(rest, { storedMs: old.storedMs, ...content })) return false;
  }
  await memories.store(content);
  return true;
}

/** @throws UsageError for a path that is not there. */
function filesOf(path: string): readonly string[] {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) throw new UsageError(`Did not import: there is no "${path}".`);
  if (!info.isDirectory()) return [path];
  const names = readdirSync(path, { withFileTypes: true }).filter((one) => one.isFile() && one.name.endsWith(".md"));
  return names.map(({ name }) => join(path, name)).sort();
}

function readEntry(path: string): MemoryContent | string {
  try {
    const info = statSync(path);
    if (!info.isFile()) return "it is not a regular file";
    if (info.size > MAX_FILE_BYTES) return `it has ${info.size} bytes, at most ${MAX_FILE_BYTES} are read`;
    return parseEntry(readFileSync(path, "utf8"));
  } catch (error) {
    return messageOf(error);
  }
}

async function withMemories(
  options: MemoryOptions,
  act: (memories: Memories, admin: MemoryAdmin) => Promise<number>,
): Promise<number> {
  const { owner } = options;
  const place = await stateAdminOptions(options);
  const secrets = secretOptions((await loadConfig(options)).settled, place.store);
  const admin = await memoryAdmin({ ...secrets, ...place, ...(owner === undefined ? {} : { owner }) });
  try {
    return await act(admin.memories, admin);
  } finally {
    await admin.close();
  }
}

async function entriesOf(
  memories: Memories,
  filter: Parameters<Memories["list"]>[0] = {},
): Promise<readonly MemoryEntry[]> {
  const entries: MemoryEntry[] = [];
  for await (const entry of memories.list(filter)) entries.push(entry);
  return entries;
}

function refuse(key: string, { owner }: MemoryOptions): number {
  const of = owner === undefined ? "" : ` of the client "${owner}"`;
  const more = owner === undefined ? "" : ` --owner ${owner}`;
  printNotice(`no note${of} has the key "${key}". \`haft memory list${more}\` lists them.`);
  return EXIT.errorResult;
}

function counted(notes: number): string {
  return notes === 1 ? "1 note" : `${notes} notes`;
}

/** Whether a client of this name exists. */
async function clientsText(owner: string, options: MemoryOptions): Promise<string> {
  const names = (await (await clientTokens(await stateAdminOptions(options))).list()).map(({ name }) => name);
  if (names.includes(owner)) return "It stores them with the tool memory_store.";
  const known = names.length === 0 ? "no client has a token" : `clients with a token: ${names.join(", ")}`;
  return `No token has this name; ${known}.`;
}

/** For programs: key, category, tags, time and the first line of the content, between tabs. */
function lineOf({ key, category, tags, storedMs, content }: MemoryEntry): string {
  const cells = [key, category, tags.join(","), utcTime(storedMs), firstLine(content)];
  return `${cells.map(showControls).join("\t")}\n`;
}

function rowOf({ key, category, tags, storedMs, content }: MemoryEntry): string {
  const facts = [category, ...tags.map((tag) => `#${tag}`), utcTime(storedMs, "minute")].map(showControls).join("  ");
  const name = showControls(key).padEnd(KEY_WIDTH);
  return `${pc.bold(name)} ${pc.dim(facts)}\n  ${showControls(firstLine(content).slice(0, CONTENT_WIDTH + KEY_WIDTH))}\n`;
}

function firstLine(content: string): string {
  return content.split("\n", 1)[0] ?? "";
}

/** A note with what is known of it, on a terminal without what the terminal would obey. */
function shown(entry: MemoryEntry): string {
  const { key, category, tags, storedMs, session, pinned, supersededBy, content } = entry;
  const facts = [
    category,
    ...(tags.length === 0 ? [] : [`tags ${tags.join(", ")}`]),
    `stored ${utcTime(storedMs)}`,
    ...(session === undefined ? [] : [`by session ${session}`]),
    ...(pinned ? ["pinned"] : []),
    ...(supersededBy === undefined ? [] : ["replaced"]),
  ];
  return `${pc.bold(showControls(key))}\n  ${showControls(facts.join("; "))}\n${shownLines(content)}\n`;
}
