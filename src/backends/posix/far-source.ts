/** A far tree as the shared search engine wants it: listings and bytes, each moved here. */
import { HaftError, IGNORE_FILES, isWithin, type SearchSource } from "../../kernel/index.js";
import { baseName, parentOf } from "../../text/index.js";
import { BLOCK_BYTES } from "./bulk-channel.js";
import { readEntryLine } from "./entry-line.js";
import { fsFault, LISTING, LOOKING } from "./fs-faults.js";
import { type Bound, FsGuard } from "./fs-guard.js";
import { listKinds } from "./fs-listing.js";
import { readPart, readParts } from "./fs-reading.js";
import type { Limits } from "./limits.js";

/** Bytes of files that one search moves here; what lies beyond is counted. */
export const MAX_MOVED_BYTES = 64 * 1024 * 1024;

export class FarSource implements SearchSource {
  readonly #guarded: FsGuard;
  readonly #free: FsGuard;
  readonly #bound: Bound;
  readonly #limits: Limits;
  readonly #root: string;
  /** Files whose bytes need not be looked at: the far side has seen that they hold no match. */
  readonly #skip: (path: string) => boolean;
  #moved = 0;
  /** Files that were not looked at because too much had been moved. */
  unmoved = 0;

  constructor(
    guard: FsGuard,
    bound: Bound,
    limits: Limits,
    root: string,
    skip: (path: string) => boolean = () => false,
  ) {
    this.#guarded = guard;
    this.#free = new FsGuard(guard.bulk);
    this.#bound = bound;
    this.#limits = limits;
    this.#root = root;
    this.#skip = skip;
  }

  async stat(path: string): ReturnType<SearchSource["stat"]> {
    const frame = await this.#guarded.act(this.#limits, {
      doing: LOOKING,
      operation: "about",
      touches: [{ path, access: "read" }],
      words: ([allowed = ""]) => [path, allowed],
    });
    const { kind, size } = readEntryLine(new TextDecoder().decode(frame.bytes));
    return { kind, size };
  }

  async readDir(path: string): ReturnType<SearchSource["readDir"]> {
    if (this.#isAbove(path)) return listKinds(this.#free, this.#limits, path);
    const children = await listKinds(this.#guarded, this.#limits, path);
    if (!this.#guarded.coversTree({ path, access: "read" }, "left-out")) throw fsFault("unclaimed", "", LISTING, path);
    return children;
  }

  async *openRead(path: string): AsyncGenerator<Uint8Array, void> {
    if (this.#skip(path)) return;
    const isRule = IGNORE_FILES.some((name) => name === baseName(path));
    const guard = isRule && this.#isAbove(parentOf(path)) ? this.#free : this.#guarded;
    if (!isRule) this.#requireRoom(path);
    const first = await readPart(guard, this.#limits, path, 0, BLOCK_BYTES);
    this.#moved += first.bytes.length;
    if (first.bytes.length > 0) yield first.bytes;
    for await (const { bytes } of readParts(guard, this.#limits, path, first.bytes.length, first)) {
      this.#requireRoom(path);
      this.#moved += bytes.length;
      yield bytes;
    }
  }

  #requireRoom(path: string): void {
    if (this.#moved < MAX_MOVED_BYTES) return;
    this.unmoved += 1;
    throw new HaftError("FS_TOO_LARGE", `Did not search "${path}": ${MAX_MOVED_BYTES} bytes have been moved already.`, {
      details: { path },
    });
  }

  /** Ignore rules come from the workspace down; what they say is used and not told, so no claim covers it. */
  #isAbove(folder: string): boolean {
    const { workspace } = this.#bound.call;
    return (
      workspace !== undefined && folder !== this.#root && isWithin(workspace, folder) && isWithin(folder, this.#root)
    );
  }
}
