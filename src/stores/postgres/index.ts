/** State on a PostgreSQL server that any number of hosts share. */
export { type PostgresDatabaseOptions, postgresDatabase, postgresNow } from "./postgres-database.js";
export { inspectPostgres, type PostgresStateOptions, postgresState } from "./postgres-state.js";
