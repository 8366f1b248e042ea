/** How calls are undone: the steps, or what has changed since. Nothing is changed here. */
import {
  type CallRecord,
  type Digest,
  type Fs,
  HaftError,
  type OldEntry,
  type RecordedChange,
  withMissingPart,
} from "../../kernel/index.js";
import { parentOf, shellPath } from "../../text/index.js";
import { ABSENT, type Prospect, ProspectiveFiles } from "./prospective-files.js";

/** One step of undoing, in the order in which they are made. */
export type UndoStep =
  | {
      readonly kind: "write";
      readonly path: string;
      readonly over: string | undefined;
      readonly mode?: number;
      bytes(): Promise<Uint8Array>;
    }
  | { readonly kind: "remove" | "rmdir" | "mkdir"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly from: string; readonly isDirectory: boolean };

/** A file before and after undoing; undefined where there is none. */
export interface UndoneFile {
  readonly path: string;
  readonly did: "restored" | "removed";
  before(): Promise<Uint8Array | undefined>;
  after(): Promise<Uint8Array | undefined>;
}

/** `why` is a sentence that begins with the path. */
export interface UndoProblem {
  readonly path: string;
  readonly why: string;
  /** What undoing would have changed, where it is a file. */
  readonly file?: UndoneFile;
}

export interface UndoPlan {
  readonly steps: readonly UndoStep[];
  readonly files: readonly UndoneFile[];
  /** What has changed since: nothing may be undone. */
  readonly conflicts: readonly UndoProblem[];
  /** What is not put back, because it was not stored or cannot be created. */
  readonly lost: readonly UndoProblem[];
}

export interface UndoSource {
  /** Unguarded. */
  readonly fs: Fs;
  readonly digest: Digest;
  content(id: string, content: string): Promise<Uint8Array | undefined>;
}

/** Plans the undoing of calls on one target, the newest first. @throws `CALL_INVALID` where stored bytes are gone or damaged. */
export async function planUndo(calls: readonly CallRecord[], source: UndoSource): Promise<UndoPlan> {
  const planner = new UndoPlanner(source);
  for (const call of calls) for (const change of [...call.changes].reverse()) await planner.add(call, change);
  await planner.refuseSymlinks();
  return planner;
}

class UndoPlanner implements UndoPlan {
  readonly steps: UndoStep[] = [];
  readonly conflicts: UndoProblem[] = [];
  readonly lost: UndoProblem[] = [];
  readonly #files = new Map<string, UndoneFile>();
  /** The bits that the mode of a file keeps in a directory that is created again. */
  readonly #kept = new Map<string, number>();
  readonly #source: UndoSource;
  readonly #prospect: ProspectiveFiles;

  constructor(source: UndoSource) {
    this.#source = source;
    this.#prospect = new ProspectiveFiles(source.fs, source.digest);
  }

  get files(): readonly UndoneFile[] {
    return [...this.#files.values()];
  }

  async add(call: CallRecord, change: RecordedChange): Promise<void> {
    if (change.lost !== undefined) {
      const path = change.kind === "mkdir" ? change.paths[0]! : change.kind === "rename" ? change.to : change.path;
      this.lost.push({ path, why: `${path} is not restored: ${change.lost}.` });
    } else if (change.kind === "write") await this.#unwrite(call, change);
    else if (change.kind === "remove")
      for (const { path, ...entry } of change.entries) await this.#restore(call, path, entry);
    else if (change.kind === "mkdir") for (const path of [...change.paths].reverse()) await this.#unmake(path);
    else await this.#moveBack(call, change);
  }

  /** The recorded paths are real paths: a symlink in one is new, and nothing is changed through it. */
  async refuseSymlinks(): Promise<void> {
    const paths = [
      ...new Set(this.steps.flatMap((step) => (step.kind === "rename" ? [step.path, step.from] : [step.path]))),
    ];
    const parents = [...new Set(paths.map(parentOf))];
    for (const [index, found] of (await this.#source.fs.resolve(parents)).entries()) {
      const path = parents[index]!;
      const real = withMissingPart(found);
      if (real !== path)
        this.conflicts.push({
          path,
          why: `${path} is a symlink, or below one, that was not there: it leads to ${real}.`,
        });
    }
  }

  async #unwrite(call: CallRecord, change: RecordedChange & { readonly kind: "write" }): Promise<void> {
    const { path, before, after } = change;
    const now = await this.#prospect.at(path);
    const old = before === undefined ? ABSENT : this.#stored(call, path, before);
    if (old === undefined) return this.#notStored(path, before);
    if (await isSame(now, old)) return;
    if (now.kind === "file" && after !== undefined && (await now.sha256()) === after) {
      if (old.kind === "file") await this.#write(path, now, old, after);
      else this.#step({ kind: "remove", path }, now, ABSENT);
      return;
    }
    const why =
      change.isUnfinished && now.kind === "file" ? "was being written when its process ended" : since(now, "file");
    this.#conflict(path, `${path} ${why}.`, now, old);
  }

  async #restore(call: CallRecord, path: string, entry: OldEntry, mode?: number): Promise<void> {
    if (entry.kind === "link") {
      const hint = `${path} is not restored: symlinks cannot be created. Create it with: ln -s ${shellPath(entry.target)} ${shellPath(path)}`;
      return void this.lost.push({ path, why: hint });
    }
    if (entry.kind === "other")
      return void this.lost.push({ path, why: `${path} is not restored: it was not a regular file.` });
    const now = await this.#prospect.at(path);
    const old: Prospect | undefined =
      entry.kind === "directory" ? { kind: "directory", isNew: true } : this.#stored(call, path, entry);
    if (old === undefined) return this.#notStored(path, entry);
    if (await isSame(now, old)) return;
    if (now.kind !== "absent") return this.#conflict(path, `${path} ${since(now, "absent")}.`, now, old);
    const parent = parentOf(path);
    if ((await this.#prospect.at(parent)).kind !== "directory")
      return this.#conflict(path, `The directory ${parent} of ${path} no longer exists.`, now, old);
    const kept = this.#kept.get(parent) ?? 0o7777;
    const own = entry.mode ?? mode;
    if (old.kind === "file") return this.#write(path, now, old, undefined, own === undefined ? own : own & kept);
    this.#step({ kind: "mkdir", path }, now, old);
    this.#keepPrivate(path, own ?? 0o777, kept);
  }

  /** Directories are created without a mode, so what was private in one is for its user alone. */
  #keepPrivate(path: string, mode: number, keptAbove: number): void {
    const group = (mode & 0o050) === 0o050 ? 0o070 : 0;
    const others = (mode & 0o005) === 0o005 ? 0o007 : 0;
    const kept = keptAbove & (0o7700 | group | others);
    this.#kept.set(path, kept);
    if (group !== 0 && others !== 0) return;
    const octal = (mode & 0o7777).toString(8);
    const hint = `The files in it are restored without the access that it denied. Set it with: chmod ${octal} ${shellPath(path)}`;
    this.lost.push({ path, why: `${path} is restored, but not its mode ${octal}. ${hint}` });
  }

  async #unmake(path: string): Promise<void> {
    const now = await this.#prospect.at(path);
    if (now.kind === "directory" && (await this.#prospect.isEmpty(path)))
      this.#step({ kind: "rmdir", path }, now, ABSENT);
    else if (now.kind !== "absent") this.lost.push({ path, why: `${path} is not removed: it has other contents.` });
  }

  async #moveBack(call: CallRecord, change: RecordedChange & { readonly kind: "rename" }): Promise<void> {
    const { from: path, to: from, moved, replaced } = change;
    const now = await this.#prospect.at(from);
    const old = await this.#prospect.at(path);
    // Its process was killed before the move.
    if (change.isUnfinished && old.kind === moved.kind && (now.kind === "absent" || replaced !== undefined)) return;
    if (now.kind !== moved.kind) return this.#conflict(from, `${from} ${since(now, moved.kind)}.`);
    if (now.kind === "file") {
      const { size, sha256, modifiedMs } = moved;
      const isMoved =
        sha256 === undefined
          ? now.size === size && (now.modifiedMs ?? modifiedMs) === modifiedMs
          : (await now.sha256()) === sha256;
      if (!isMoved) return this.#conflict(from, `${from} ${since(now, "file")}.`);
    }
    if (old.kind !== "absent") return this.#conflict(path, `${path} ${since(old, "absent")}.`);
    const parent = parentOf(path);
    if ((await this.#prospect.at(parent)).kind !== "directory")
      return this.#conflict(path, `The directory ${parent} of ${path} no longer exists.`);
    this.steps.push({ kind: "rename", path, from, isDirectory: now.kind === "directory" });
    this.#prospect.move(from, path);
    if (replaced !== undefined) await this.#restore(call, from, replaced);
  }

  async #write(
    path: string,
    now: Prospect,
    old: Prospect & { readonly kind: "file" },
    over: string | undefined,
    mode?: number,
  ): Promise<void> {
    // Before the first file is changed.
    await old.bytes();
    this.#step({ kind: "write", path, over, bytes: old.bytes, ...(mode === undefined ? {} : { mode }) }, now, old);
  }

  #step(step: UndoStep, now: Prospect, then: Prospect): void {
    this.steps.push(step);
    this.#prospect.put(step.path, then);
    if (step.kind !== "write" && step.kind !== "remove") return;
    const first = this.#files.get(step.path);
    const did = step.kind === "write" ? "restored" : "removed";
    this.#files.set(step.path, {
      path: step.path,
      did,
      before: first?.before ?? contentOf(now),
      after: contentOf(then),
    });
  }

  #conflict(path: string, why: string, now: Prospect = ABSENT, old: Prospect = ABSENT): void {
    const isFile = now.kind === "file" || old.kind === "file";
    const file = { path, did: "restored", before: contentOf(now), after: contentOf(old) } as const;
    this.conflicts.push({ path, why, ...(isFile ? { file } : {}) });
  }

  #notStored(path: string, entry: OldEntry | undefined): void {
    const size =
      entry?.kind === "file" ? `its ${entry.size} old bytes were not stored` : "its old content was not stored";
    this.lost.push({ path, why: `${path} is not restored: ${size}.` });
  }

  /** The old file; undefined where its bytes were not stored. Reading them is refused where they are not as they were. */
  #stored(call: CallRecord, path: string, entry: OldEntry): (Prospect & { readonly kind: "file" }) | undefined {
    if (entry.kind !== "file" || entry.content === undefined || entry.sha256 === undefined) return undefined;
    const { content: name, sha256, size } = entry;
    const { content, digest } = this.#source;
    const bytes = async () => {
      const found = await content(call.id, name);
      if (found === undefined || (await digest(found)) !== sha256) throw goneBytes(call, path);
      return found;
    };
    return { kind: "file", size, bytes, sha256: async () => sha256 };
  }
}

function goneBytes({ id, tool }: CallRecord, path: string): HaftError {
  const problem = `the stored old bytes of "${path}" are gone or damaged`;
  const message = `Did not undo "${id}" (${tool}): ${problem}. Nothing was changed. Undo other calls by their ids.`;
  return new HaftError("CALL_INVALID", message, { details: { problem } });
}

function contentOf(one: Prospect): () => Promise<Uint8Array | undefined> {
  return one.kind === "file" ? one.bytes : async () => undefined;
}

async function isSame(now: Prospect, old: Prospect): Promise<boolean> {
  if (now.kind !== old.kind) return false;
  return (
    now.kind !== "file" ||
    old.kind !== "file" ||
    (now.size === old.size && (await now.sha256()) === (await old.sha256()))
  );
}

/** What has happened since, after the path. */
function since(now: Prospect, expected: string): string {
  if (now.kind === "absent") return "no longer exists";
  if (expected === "absent") return "exists again";
  if (now.kind === expected) return "was changed since";
  return `is now a ${now.kind === "link" ? "symlink" : now.kind === "other" ? "special file" : now.kind}`;
}
