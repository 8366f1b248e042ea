/** State on a PostgreSQL server that any number of hosts share. */
export { type PostgresDatabaseOptions, postgresDatabase, postgresNow } from "./postgres-database.js";
export { type PostgresStateOptions, postgresState } from "./postgres-state.js";
export { isPostgresUrl, secretsOfPostgresUrl, shownPostgresUrl } from "./postgres-url.js";
