/**
 * A search as it is written when nothing about speed is known: files read whole, one awaited after the other, split into
 * lines, a regex for each line. Nothing is left out. It is what the engines are compared with, never a part of Haft.
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

async function* files(directory) {
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    if (entry.name === ".git" || entry.name === "node_modules") continue;
    const path = join(directory, entry.name);
    if (entry.isDirectory()) yield* files(path);
    else yield path;
  }
}

export async function plainGrep({ pattern, path }, cwd) {
  const regex = new RegExp(pattern, "u");
  const hits = [];
  const start = join(cwd, path);
  const some = (await stat(start)).isDirectory() ? files(start) : [start];
  for await (const file of some) {
    const lines = (await readFile(file, "utf8")).split("\n");
    lines.forEach((line, index) => {
      if (regex.test(line)) hits.push(`${file}:${index + 1}: ${line}`);
    });
  }
  return hits;
}

export async function plainFind(name, cwd) {
  const found = [];
  for await (const path of files(cwd)) {
    const { size } = await stat(path);
    if (path.slice(path.lastIndexOf("/")).includes(name)) found.push({ path, size });
  }
  return found;
}
