/** What a call reaches beside its backend, until it has settled. */
import type { HostContext } from "./context.js";
import type { HaftError } from "./errors.js";
import type { Io } from "./fs.js";
import { revoked } from "./guard.js";
import { RedactedStream } from "./redacted-stream.js";
import type { Artifacts, ArtifactWriter, Redactor } from "./services.js";

/**
 * The session, locks and artifacts, all of which end with the call. A cancelled tool can still use them, to store what it has;
 * an abandoned one cannot, and its locks are released.
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
  // What was written is stored; an error of ending it does not change a finished call.
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
        redactor: host.redactor,
        /** An artifact that is created after the end of the call is ended at once. */
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
  readonly redactor: Redactor | undefined;
  requireLife(): void;
  made(writer: ArtifactWriter): void;
  ended(writer: ArtifactWriter): void;
}

function artifactsUntilEnd(kept: Artifacts, tool: string, life: ArtifactLifetime): Artifacts {
  const { requireLife } = life;
  return Object.freeze<Artifacts>({
    async create({ exact, ...about }) {
      requireLife();
      const own = await kept.create({ ...about, tool });
      const writer = life.redactor === undefined || exact === true ? own : redactedWriter(own, life.redactor);
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
          requireLife();
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

/** Writes what is left after redaction; what is counted is that. */
function redactedWriter(writer: ArtifactWriter, redactor: Redactor): ArtifactWriter {
  const stream = new RedactedStream(redactor);
  let ending: ReturnType<ArtifactWriter["end"]> | undefined;
  return {
    id: writer.id,
    write: async (bytes) => writer.write(stream.push(bytes)),
    end() {
      ending ??= (async () => {
        const rest = stream.end();
        if (rest.length > 0) await writer.write(rest);
        return writer.end();
      })();
      return ending;
    },
    ...(writer.discard === undefined ? {} : { discard: async () => writer.discard?.() }),
  };
}

/** Runs the body under a lock, and releases the lock if the call ends first. */
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
