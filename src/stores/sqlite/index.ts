/** State in a SQLite file: the embedded default, where this machine can open one. */
export { type SqliteDriver, sqliteDriver } from "./sqlite-driver.js";
export { type SqliteStateOptions, sqliteState } from "./sqlite-state.js";
