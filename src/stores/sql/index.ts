/** What the stores on SQL share: statements that SQLite and PostgreSQL both understand. */

export { scheduleTables } from "./schedule-rows.js";
export type { Sql, SqlDatabase, SqlRow, SqlValue } from "./sql.js";
export { sqlSchedules } from "./sql-schedules.js";
