/** The state ports over a SQL database, for both engines. */
import { type Approvals, type Documents, HaftError, messageOf, type State } from "../../kernel/index.js";
import { documentApprovals } from "../document-approvals.js";
import type { Sql, SqlDatabase } from "./sql.js";
import { sqlDocuments } from "./sql-documents.js";
import { sqlMemories } from "./sql-memories.js";
import { sqlSchedules } from "./sql-schedules.js";
import { type SqlSessions, type SqlSessionsOptions, sqlSessions } from "./sql-sessions.js";

export interface SqlStateOptions extends Omit<SqlSessionsOptions, "database"> {
  /** Closed with the state. */
  readonly database: SqlDatabase;
  /** As of `State`. */
  readonly directories?: readonly string[];
}

/** Collections of the state itself, beside those of its users, which no name of theirs can reach. */
export const COLLECTIONS = { requests: "approvals", approved: "approved" };

/** Where the documents of a collection of the users are. */
export const collectionOf = (name: string): string => `documents/${name}`;

/** The document with what was approved for a session. */
const APPROVED = "approved";

/** State that a database holds, and what only those do with it who look after it. */
export interface SqlState extends State {
  readonly sessions: SqlSessions;
  /** Deletes what was approved for projects. Returns for how many. */
  forgetApprovedProjects(): Promise<number>;
}

/** State that all processes share which use the database. */
export function sqlState({ database, now, directories, isHeld, requireFree }: SqlStateOptions): SqlState {
  let isClosed = false;
  const sessions = sqlSessions({
    database,
    now,
    ...(isHeld === undefined ? {} : { isHeld }),
    ...(requireFree === undefined ? {} : { requireFree }),
  });
  return {
    shared: true,
    ...(directories === undefined ? {} : { directories }),
    documents: (name, session): Documents =>
      sqlDocuments({ database, collection: collectionOf(name), ...(session === undefined ? {} : { session }) }),
    sessions,
    approvals: sqlApprovals(database, now),
    forgetApprovedProjects: () =>
      database.run("DELETE FROM haft_documents WHERE session = '' AND collection = $1", [COLLECTIONS.approved]),
    memories: (namespace) => sqlMemories(database, { namespace, now }),
    schedules: sqlSchedules(database, { now }),
    async problem() {
      if (isClosed) return "the state was closed";
      try {
        await database.rows("SELECT 1 AS one");
        return undefined;
      } catch (error) {
        return clauseOf(error);
      }
    },
    async close() {
      isClosed = true;
      await database.close();
    },
  };
}

function sqlApprovals(database: SqlDatabase, now: (sql: Sql) => Promise<number>): Approvals {
  const { requests, approved } = COLLECTIONS;
  return documentApprovals({
    requests: sqlDocuments({ database, collection: requests }),
    remembered(scope) {
      if (!("session" in scope))
        return { documents: sqlDocuments({ database, collection: approved }), key: scope.project };
      const { session: id, version } = scope;
      const session = version === undefined ? { id } : { id, version };
      return { documents: sqlDocuments({ database, collection: approved, session }), key: APPROVED };
    },
    now: () => now(database),
  });
}

/** What an error says, as a clause. */
function clauseOf(error: unknown): string {
  const { reason } = HaftError.is(error) ? error.details : {};
  return typeof reason === "string" ? reason : messageOf(error);
}
