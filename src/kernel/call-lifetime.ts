/** What a call reaches beside its backend, until it has settled. */
import type { HostContext } from "./context.js";
import type { HaftError } from "./errors.js";
import type { Io } from "./fs.js";
import { revoked } from "./guard.js";
import type { Artifacts, ArtifactWriter } from "./services.js";

/**
 * Locks and artifacts, which end with the call, as does whatever asks `requireLife`. A cancelled tool still has them, so that it can keep what it has; one
 * that was abandoned has nothing, and a lock that it held is free again.
 */
export interface CallLifetime {
  /** @throws `CALL_REVOKED` once the call has ended. */
  requireLife(): void;
  readonly artifacts: Artifacts;
  lock<T>(key: string, io: Io, body: () => Promise<T>): Promise<T>;
  /** Ends all of it. Idempotent. */
  end(): void;
}

export function callLifetime(callId: string, tool: string, context: HostContext): CallLifetime {
  const { host, session } = context;
  let isOver = false;
  const waiting = new Set<(why: HaftError) => void>();
  /** Artifacts that the tool has not ended. */
  const open = new Set<ArtifactWriter>();
  // What was written is stored; a store that cannot end it has no say over a call that is over.
  const close = async (writer: ArtifactWriter) => {
    try {
      await writer.end();
    } catch {}
  };
  const requireLife = () => {
    if (isOver) throw revoked(callId);
  };
  // Made when a tool asks for them: many do not.
  let ownArtifacts: Artifacts | undefined;
  return {
    requireLife,
    get artifacts() {
      ownArtifacts ??= artifactsUntilEnd(session.artifacts, tool, {
        requireLife,
        /** One that comes when the call is over already is ended at once. */
        made(writer) {
          open.add(writer);
          if (isOver) void close(writer);
        },
        ended: (writer) => void open.delete(writer),
      });
      return ownArtifacts;
    },
    async lock(key, io, body) {
      requireLife();
      return host.locks.hold(key, io, () => untilEnd(body, waiting, requireLife));
    },
    end() {
      if (isOver) return;
      isOver = true;
      for (const release of waiting) release(revoked(callId));
      for (const writer of open) void close(writer);
    },
  };
}

interface ArtifactLifetime {
  requireLife(): void;
  made(writer: ArtifactWriter): void;
  ended(writer: ArtifactWriter): void;
}

function artifactsUntilEnd(kept: Artifacts, tool: string, life: ArtifactLifetime): Artifacts {
  const { requireLife } = life;
  return Object.freeze<Artifacts>({
    async create(about) {
      requireLife();
      const writer = await kept.create({ ...about, tool });
      life.made(writer);
      return {
        id: writer.id,
        async write(bytes) {
          requireLife();
          return writer.write(bytes);
        },
        async end() {
          life.ended(writer);
          return writer.end();
        },
        async discard() {
          life.ended(writer);
          await writer.discard?.();
        },
      };
    },
    async read(id, offset, length) {
      requireLife();
      return kept.read(id, offset, length);
    },
    async list() {
      requireLife();
      return kept.list();
    },
    async export(id, fs, path) {
      requireLife();
      return kept.export(id, fs, path);
    },
  });
}

/** Runs what is done under a lock, and lets go of it when the call ends before that. */
async function untilEnd<T>(
  body: () => Promise<T>,
  waiting: Set<(why: HaftError) => void>,
  requireLife: () => void,
): Promise<T> {
  requireLife();
  let release: (why: HaftError) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    release = reject;
  });
  waiting.add(release);
  try {
    return await Promise.race([body(), ended]);
  } finally {
    waiting.delete(release);
  }
}
