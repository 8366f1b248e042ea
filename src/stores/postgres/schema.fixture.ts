/** A schema of its own for a test, in a database of the tests. */
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";
import { postgresDatabase } from "./postgres-database.js";

const prepare = async () => {};

/** The URL of an empty schema in the database at `url`, to be dropped with `dropSchema`. */
export async function createSchema(url: string): Promise<string> {
  const name = `haft_test_${randomBytes(6).toString("hex")}`;
  await once(url, `CREATE SCHEMA ${name}`);
  const of = new URL(url);
  of.searchParams.set("options", `-c search_path=${name}`);
  return of.href;
}

export async function dropSchema(url: string): Promise<void> {
  await once(url, `DROP SCHEMA IF EXISTS ${schemaOf(url)} CASCADE`);
}

/** The URL of an empty schema that is dropped at the end of the test. */
export async function newSchema(url: string): Promise<string> {
  const created = await createSchema(url);
  onTestFinished(() => dropSchema(created));
  return created;
}

function schemaOf(url: string): string {
  return /search_path=(\w+)/.exec(new URL(url).searchParams.get("options") ?? "")?.[1] ?? "public";
}

async function once(url: string, statement: string): Promise<void> {
  const database = postgresDatabase({ url, prepare });
  try {
    await database.run(statement);
  } finally {
    await database.close();
  }
}
