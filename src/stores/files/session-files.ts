/** What a session has in its directory beside documents: its artifacts, and the note that this process has it open. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { LocalSession } from "../document-session.js";
import { ARTIFACT_QUOTA_BYTES, fileArtifacts } from "./file-artifacts.js";
import { fileName } from "./file-store.js";
import { SessionRecord } from "./session-record.js";
import type { StateDirectory } from "./state-directory.js";

export interface SessionFilesOptions {
  readonly state: StateDirectory;
  readonly id: string;
  /** It cannot be resumed: `close` deletes its directory. Default false. */
  readonly isTemporary?: boolean;
  /** Bytes that its artifacts may take. Default `ARTIFACT_QUOTA_BYTES`. */
  readonly quotaBytes?: number;
  /** Milliseconds since the epoch. Default the system's time. */
  now?(): number;
}

/** The directory `<state>/sessions/<id>`. Opening creates no files; a directory without a record gets one with its first artifact. */
export function sessionFiles(options: SessionFilesOptions): LocalSession {
  const { state, id, isTemporary = false, quotaBytes = ARTIFACT_QUOTA_BYTES, now = Date.now } = options;
  const place = ["sessions", fileName(id)];
  const directory = join(state.path, ...place);
  const record = new SessionRecord(directory, { id, isTemporary }, now);
  const artifacts = fileArtifacts(state, [...place, "artifacts"], { quotaBytes, now });
  record.touch();

  async function end(): Promise<void> {
    await artifacts.close().catch(() => {});
    if (existsSync(directory) && !record.isTaken()) rmSync(directory, { recursive: true, force: true });
  }

  return {
    artifacts: {
      ...artifacts,
      async create(about) {
        record.requireLive("the artifact");
        const writer = await artifacts.create(about);
        record.kept();
        return writer;
      },
    },
    hold(session) {
      if (session !== undefined) record.begin(session, () => state.directory(...place));
      record.kept();
    },
    touch: () => record.touch(),
    isGone: () => record.isGone(),
    async close() {
      if (isTemporary || record.isGone()) return end();
      await artifacts.close();
      record.release();
    },
    end,
  };
}
