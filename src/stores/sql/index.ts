/** What the stores on SQL share: statements that SQLite and PostgreSQL both understand. */
export { checkMemory } from "./memory-checks.js";
export { type MovedRow, replaceRows } from "./moved-rows.js";
export { scheduleTables } from "./schedule-rows.js";
export { prepareSchema, SCHEMA_VERSION, type SchemaOptions } from "./schema.js";
export type { Sql, SqlDatabase, SqlRow, SqlValue } from "./sql.js";
export { type SqlMemoriesOptions, sqlMemories } from "./sql-memories.js";
export { sqlSchedules } from "./sql-schedules.js";
export { type SqlState, type SqlStateOptions, sqlState } from "./sql-state.js";
