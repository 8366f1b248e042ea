/** A schema of its own for a test, in a database of the tests. */
import { randomBytes } from "node:crypto";
import pg from "pg";
import { onTestFinished } from "vitest";

/** The URL of an empty schema in the database at `url`, to be dropped with `dropSchema`. */
export async function createSchema(url: string): Promise<string> {
  const name = `haft_test_${randomBytes(6).toString("hex")}`;
  await once(url, `CREATE SCHEMA ${name}`);
  const of = new URL(url);
  of.searchParams.set("options", `-c search_path=${name}`);
  return of.href;
}

export async function dropSchema(url: string): Promise<void> {
  const [, name] = /search_path=(\w+)/.exec(new URL(url).searchParams.get("options") ?? "") ?? [];
  if (name !== undefined) await once(url, `DROP SCHEMA IF EXISTS ${name} CASCADE`);
}

/** The URL of an empty schema that is dropped at the end of the test. */
export async function newSchema(url: string): Promise<string> {
  const created = await createSchema(url);
  onTestFinished(() => dropSchema(created));
  return created;
}

async function once(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
