/** A process of a user of a test: reads a document of a state and changes it, and prints what came of either. */
import { HaftError } from "../../kernel/index.js";
import { sqliteDriver } from "./sqlite-driver.js";
import { sqliteState } from "./sqlite-state.js";

const state = sqliteState({ driver: sqliteDriver()!, path: process.argv[2] ?? "" });
const notes = state.documents("notes");
const outcome = (act: Promise<unknown>): Promise<unknown> =>
  act.then(
    () => "done",
    (thrown: unknown) => (HaftError.is(thrown) ? { code: thrown.code, message: thrown.message } : String(thrown)),
  );
const read = await outcome(notes.get("k1"));
const changed = await outcome(notes.update("k1", () => 1));
console.log(JSON.stringify({ read, changed, problem: (await state.problem()) ?? null }));
await state.close();
