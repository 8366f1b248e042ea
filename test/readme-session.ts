/** The session that the README shows: real commands in a small project, with what each of them printed. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cleanEnv, runHaft } from "../src/testing/built.fixture.js";

const FILES: Readonly<Record<string, string>> = {
  "price.js": `export function total(items) {
  let sum = 0; // TODO: discounts
  for (const item of items) sum += item.price;
  return sum;
}
`,
  "check.mjs": `import { total } from "./price.js";

const sum = total([{ price: 2, count: 3 }]);
if (sum !== 6) throw new Error(\`3 for 2 each are \${sum}\`);
console.log("right");
`,
  "package.json": '{ "type": "module" }\n',
};

/** Each may have a remark, which is printed above it. */
const STEPS: readonly (readonly [remark: string, ...args: string[]])[] = [
  ["", "call", "grep", "pattern=TODO"],
  [
    "a near miss changes nothing, and shows the nearest place",
    "call",
    "edit",
    "path=price.js",
    "oldText=sum += item.prize;",
    "newText=sum += item.price * item.count;",
  ],
  ["", "call", "edit", "path=price.js", "oldText=+= item.price;", "newText=+= item.price * item.count;"],
  ["", "call", "bash", "command=node check.mjs"],
  ["what a call would touch, without running it", "call", "delete", "path=check.mjs", "--explain"],
  ["what was done here, and whether the log is intact", "audit", "--in", "."],
];

export async function readmeSession(): Promise<string> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "haft-session-")));
  const project = join(root, "shop");
  mkdirSync(project);
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
  const options = { cwd: project, env: cleanEnv(join(root, "home")) };
  try {
    const shown: string[] = [];
    for (const [remark, ...args] of STEPS) {
      const { stdout, stderr } = await runHaft(args, options);
      if (remark !== "") shown.push(`# ${remark}`);
      shown.push(`$ npx haft ${args.map(quoted).join(" ")}`, settled(stdout + stderr, root), "");
    }
    return shown.join("\n").trimEnd();
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

function quoted(word: string): string {
  const [, name = "", value = ""] = /^(\w+=)?(.*)$/s.exec(word) ?? [];
  return name + (/^[\w./-]+$/.test(value) ? value : `'${value}'`);
}

/** With one directory, one day and one length of time for all, so that each run prints the same. */
function settled(text: string, root: string): string {
  return text
    .trimEnd()
    .replaceAll(root, "/home/ada")
    .replace(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/g, "2026-11-28 10:20:30 UTC")
    .replace(/ +\d+ ms/g, "    9 ms")
    .replace(/ +\d\.\d s /g, "    9 ms ");
}
