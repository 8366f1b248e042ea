/** Compiles each file of `types/` against the SDKs beside it: `node play-types.mjs TSC`. Ends with `N passed, M failed`. */
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const [tsc] = process.argv.slice(2);
const directory = fileURLToPath(new URL("types/", import.meta.url));
/** What not every release has: a package, or a major of one. */
const NEEDS = { "langchain-agent.ts": "langchain", "ai-sdk-6.ts": "ai@6", "ai-sdk-7.ts": "ai@7" };
const isMissing = (name) => {
  const [needed, major] = (NEEDS[name] ?? "haft").split("@");
  const manifest = join(directory, "..", "node_modules", needed, "package.json");
  if (!existsSync(manifest)) return true;
  const { version } = JSON.parse(readFileSync(manifest, "utf8"));
  return major !== undefined && version.split(".")[0] !== major;
};

const all = readdirSync(directory).filter((name) => name.endsWith(".ts"));
const exclude = all.filter(isMissing);
const files = all.filter((name) => !exclude.includes(name));
for (const name of exclude) console.log(`cannot types/${name} (needs ${NEEDS[name]})`);
const project = join(directory, "tsconfig.played.json");
writeFileSync(project, JSON.stringify({ extends: "./tsconfig.json", include: ["*.ts"], exclude }));
const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", project, "--pretty", "false"], {
  cwd: directory,
}).catch((error) => error);
const errors = stdout.split("\n").filter((line) => / error TS/.test(line));
for (const line of errors) console.log(line);
const wrong = files.filter((name) => errors.some((line) => line.startsWith(`${name}(`)));
for (const name of files) console.log(`${wrong.includes(name) ? "not ok" : "ok"} types/${name}`);
const failed = Math.max(wrong.length, errors.length > 0 ? 1 : 0);
console.log(`${files.length - wrong.length} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
