/** The file that is copied: read in chunks, and refused if it changes meanwhile. */
import { type FsEntryInfo, fail, HaftError, type ToolContext, type ToolResult } from "../../kernel/index.js";
import { type FileRequest, fileFailure, refuseKind } from "../shared/file-failure.js";
import { quoted } from "../shared/path-input.js";
import { refuseTrailingSlash } from "../shared/trailing-slash.js";

/** Permission bits that a copy keeps: who may write to it beside its owner is not decided elsewhere. */
const KEPT_MODE = 0o755;

export class SourceFile {
  readonly path: string;
  readonly asked: FileRequest;
  readonly #fs: ToolContext["fs"];
  #info: FsEntryInfo | undefined;
  #version = "";
  #thrown: { readonly error: unknown } | undefined;
  #sizeBytes = 0;

  constructor(givenPath: string, ctx: ToolContext) {
    const { source } = ctx;
    this.path = (source ?? ctx).resolve(givenPath);
    this.#fs = (source ?? ctx).fs;
    const on = source === undefined ? {} : { target: source.target };
    this.asked = { verb: "copy", givenPath, absolute: this.path, ...on };
  }

  /** What reading it threw, as the failure of the call; undefined if it was not that. */
  get failure(): ToolResult<never> | undefined {
    return this.#thrown && fileFailure(this.#thrown.error, this.asked);
  }

  /** Bytes that were read. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Of a new file; undefined where the bits of the file itself are not known. */
  get mode(): number | undefined {
    return this.#info?.kind === "file" ? this.#info.mode & KEPT_MODE : undefined;
  }

  /** Looks at it before anything is written. */
  async inspect(): Promise<ToolResult<never> | undefined> {
    try {
      this.#info = await this.#fs.stat(this.path);
      const { kind } = this.#info;
      if (kind === "directory") return this.#refuseDirectory();
      const bad = refuseKind(kind, this.asked) ?? refuseTrailingSlash(kind, this.asked);
      if (bad === undefined) this.#version = await this.#versionNow();
      return bad;
    } catch (thrown) {
      return fileFailure(thrown, this.asked);
    }
  }

  /** @throws `FS_STALE` at the end if it is not what it was when it was inspected. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of this.#fs.openRead(this.path, { isScan: true })) {
        this.#sizeBytes += chunk.length;
        yield chunk;
      }
      if ((await this.#versionNow()) === this.#version) return;
      const why = "it changed while it was copied. Nothing was written; repeat the call";
      throw new HaftError("FS_STALE", `Did not copy "${this.path}": ${why}.`, { details: { why } });
    } catch (error) {
      this.#thrown = { error };
      throw error;
    }
  }

  /** That of the file itself, where the path is a symlink. */
  async #versionNow(): Promise<string> {
    return (await this.#fs.readRange(this.path, 0, 0)).version;
  }

  #refuseDirectory(): ToolResult<never> {
    const { givenPath: path } = this.asked;
    const why = "it is a directory, and `copy` copies one file. Make an archive of it with a command, and copy that";
    return fail("FS_NOT_A_FILE", `Did not copy ${quoted(path)}: ${why}.`, { details: { path, kind: "directory" } });
  }
}
