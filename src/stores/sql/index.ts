/** What the stores on SQL share: statements that SQLite and PostgreSQL both understand. */
export type { Sql, SqlDatabase, SqlRow, SqlValue } from "./sql.js";
