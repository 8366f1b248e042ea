/** The artifacts of all sessions of a state directory, for commands that manage them outside a session. */
import { join } from "node:path";
import type { ArtifactInfo, ArtifactPart } from "../../kernel/index.js";
import { type FileArtifacts, fileArtifacts } from "./file-artifacts.js";
import { namesIn, readSessionRecord } from "./session-record.js";
import type { StateDirectory } from "./state-directory.js";

/** An artifact and its session. */
export interface StoredArtifact extends ArtifactInfo {
  readonly session: string;
}

export interface StoredArtifacts {
  /** Oldest first. */
  list(): Promise<readonly StoredArtifact[]>;
  /** As `Artifacts.read`, for any session. @throws `STORE_CONFLICT` if it is damaged. */
  read(id: string, offset: number, length: number): Promise<ArtifactPart | "evicted" | "unknown">;
  /** Deletes an artifact, also one that is still being written. False if there is none. @throws `STORE_UNWRITABLE` */
  remove(id: string): boolean;
  /** Ids of the artifacts whose records cannot be read; `list` omits them. */
  damaged(): readonly string[];
}

/** The artifacts in `<state>/sessions`. Reading creates no files. */
export function storedArtifacts(state: StateDirectory): StoredArtifacts {
  const root = join(state.path, "sessions");
  const sessions = (): readonly { readonly session: string; readonly artifacts: FileArtifacts }[] =>
    namesIn(root).flatMap((name) => {
      const session = readSessionRecord(join(root, name))?.id;
      return session === undefined
        ? []
        : [{ session, artifacts: fileArtifacts(state, ["sessions", name, "artifacts"]) }];
    });
  return {
    async list() {
      const lists = sessions().map(async ({ session, artifacts }) =>
        (await artifacts.list()).map((info) => ({ ...info, session })),
      );
      // Artifacts that a session created within one millisecond stay in their order.
      return (await Promise.all(lists)).flat().sort((one, other) => one.createdMs - other.createdMs);
    },
    async read(id, offset, length) {
      let found: "evicted" | "unknown" = "unknown";
      for (const { artifacts } of sessions()) {
        const part = await artifacts.read(id, offset, length);
        if (typeof part !== "string") return part;
        if (part === "evicted") found = part;
      }
      return found;
    },
    remove: (id) => sessions().some(({ artifacts }) => artifacts.remove(id)),
    damaged: () => sessions().flatMap(({ artifacts }) => artifacts.damaged()),
  };
}
