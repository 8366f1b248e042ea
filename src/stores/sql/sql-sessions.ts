/** Sessions in a table, for both engines. */
import { newNonce } from "../../host/index.js";
import {
  isDocumentKey,
  requireDocumentKey,
  SESSION_IDLE_MS,
  type SessionInfo,
  type Sessions,
} from "../../kernel/index.js";
import type { Sql, SqlDatabase, SqlRow } from "./sql.js";

/** How many sessions are read at once. */
const PAGE = 200;
/** How many idle sessions the opening of a new one deletes at most. */
const MAX_EXPIRED = 20;

const COLUMNS = "id, version, owner, is_temporary, created_ms, used_ms";

export interface SqlSessionsOptions {
  readonly database: SqlDatabase;
  /** Milliseconds since the epoch, by the clock of the store. */
  now(sql: Sql): Promise<number>;
  /** Whether a process has the session open, so that it does not end for its age. Default: not known, so never. */
  isHeld?(id: string): boolean;
  /** Before a session begins: @throws where something else is in its place. */
  requireFree?(id: string): void;
}

/** Sessions, and the end of those that are idle. */
export interface SqlSessions extends Sessions {
  /** Ends some of the sessions that were idle for `SESSION_IDLE_MS`. */
  endIdle(): Promise<void>;
}

/** The sessions in a database. One ends together with its documents and what was approved for it. */
export function sqlSessions(options: SqlSessionsOptions): SqlSessions {
  const { database, now, isHeld = () => false, requireFree } = options;
  const find = async (id: string): Promise<SessionInfo | undefined> => {
    const [row] = await database.rows(`SELECT ${COLUMNS} FROM haft_sessions WHERE id = $1`, [id]);
    return row && sessionIn(row);
  };
  const endIn = async (sql: Sql, id: string, version?: string, usedBeforeMs?: number): Promise<boolean> => {
    const more = [
      ["version =", version],
      ["used_ms <", usedBeforeMs],
    ].flatMap(([condition, value]) => (value === undefined ? [] : [{ condition, value }]));
    const isMeant = ["id = $1", ...more.map(({ condition }, index) => `${condition} $${index + 2}`)].join(" AND ");
    const values = [id, ...more.map(({ value }) => value)];
    const isEnded = (await sql.run(`DELETE FROM haft_sessions WHERE ${isMeant}`, values)) === 1;
    // Without a version there may be what was approved for a session that has stored nothing else.
    if (isEnded || more.length === 0) await sql.run("DELETE FROM haft_documents WHERE session = $1", [id]);
    return isEnded;
  };
  const end = (...which: [id: string, version?: string, usedBeforeMs?: number]): Promise<boolean> =>
    database.transaction(`session:${which[0]}`, (sql) => endIn(sql, ...which));
  const endIdle = async (): Promise<void> => {
    const beforeMs = (await now(database)) - SESSION_IDLE_MS;
    const statement = `SELECT ${COLUMNS} FROM haft_sessions WHERE used_ms < $1 ORDER BY used_ms LIMIT $2`;
    const idle = (await database.rows(statement, [beforeMs, MAX_EXPIRED]))
      .map(sessionIn)
      .filter(({ id }) => !isHeld(id));
    if (idle.length === 0) return;
    await database.transaction("idle-sessions", async (sql) => {
      for (const { id, version } of idle) await endIn(sql, id, version, beforeMs);
    });
  };

  return {
    endIdle,
    async open(id, { owner, isTemporary = false } = {}) {
      requireDocumentKey(id);
      for (;;) {
        const found = await find(id);
        const nowMs = await now(database);
        const beforeMs = nowMs - SESSION_IDLE_MS;
        if (found !== undefined) {
          if (found.usedMs >= beforeMs || isHeld(id)) return found;
          await end(id, found.version, beforeMs);
        }
        requireFree?.(id);
        await endIdle();
        await database.run(
          `INSERT INTO haft_sessions (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $5) ON CONFLICT DO NOTHING`,
          [id, newNonce(), owner ?? null, isTemporary ? 1 : 0, nowMs],
        );
        // Another process may have ended it at once.
        const opened = await find(id);
        if (opened !== undefined) return opened;
      }
    },
    async touch(id) {
      const usedMs = await now(database);
      if (!isDocumentKey(id)) return false;
      return (await database.run("UPDATE haft_sessions SET used_ms = $2 WHERE id = $1", [id, usedMs])) === 1;
    },
    async *list({ owner } = {}) {
      const isOwn = owner === undefined ? "" : " AND owner = $3";
      const statement = `SELECT ${COLUMNS} FROM haft_sessions WHERE id > $1${isOwn} ORDER BY id LIMIT $2`;
      for (let after = ""; ; ) {
        const rows = await database.rows(statement, [after, PAGE, ...(owner === undefined ? [] : [owner])]);
        for (const row of rows) yield sessionIn(row);
        if (rows.length < PAGE) return;
        after = String(rows.at(-1)?.id);
      }
    },
    async end(id, version) {
      return isDocumentKey(id) ? end(id, version) : database.transaction("session", async () => false);
    },
  };
}

function sessionIn(row: SqlRow): SessionInfo {
  return {
    id: String(row.id),
    version: String(row.version),
    ...(row.owner === null ? {} : { owner: String(row.owner) }),
    isTemporary: Number(row.is_temporary) === 1,
    createdMs: Number(row.created_ms),
    usedMs: Number(row.used_ms),
  };
}
