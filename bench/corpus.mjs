/** Makes the files that the cases work on, from a seed, once: the same bytes on every machine. */

import { once } from "node:events";
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Changes whenever the corpus does, so that an older one is not used. */
const EDITION = 1;

/** A small generator of repeatable numbers (xorshift32). */
export function seeded(seed) {
  let state = seed >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state / 2 ** 32;
  };
}

const WORDS =
  "alpha buffer cache delta engine frame graph handle index journal kernel ledger module node object parser queue record stream token".split(
    " ",
  );

function sourceLine(random, number) {
  const word = () => WORDS[Math.floor(random() * WORDS.length)];
  return `  const ${word()}${number} = ${word()}(${word()}, ${Math.floor(random() * 1e6)}); // ${word()} ${word()}`;
}

export function sourceText(lines, seed) {
  const random = seeded(seed);
  return `${Array.from({ length: lines }, (_, number) => sourceLine(random, number)).join("\n")}\n`;
}

/** A tree of source files with 20 needles, four of them in deep directories. */
function makeTree(directory, files) {
  const random = seeded(7);
  for (let number = 0; number < files; number++) {
    const place = join(directory, `pkg${number % 97}`, `part${number % 13}`);
    if (number < 97 * 13) mkdirSync(place, { recursive: true });
    const needle = number % Math.floor(files / 20) === 0 ? `export const QUARTZ_NEEDLE_${number} = 1;\n` : "";
    writeFileSync(join(place, `file${number}.ts`), needle + sourceText(40 + Math.floor(random() * 160), number + 1));
  }
}

/** A tree of empty files, a hundred to a directory. */
function makeNames(directory, files) {
  for (let number = 0; number < files; number++) {
    const place = join(directory, `g${Math.floor(number / 10_000)}`, `p${Math.floor(number / 100) % 100}`);
    if (number % 100 === 0) mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `name${number}.${number % 10 === 0 ? "md" : "txt"}`), "");
  }
}

/** A log of numbered lines, 107 bytes each; nine of them hold the needle, the last one at the very end. */
async function makeLog(path, bytes) {
  const out = createWriteStream(path, { highWaterMark: 8 << 20 });
  const lines = Math.floor(bytes / 107);
  const needles = new Set(Array.from({ length: 9 }, (_, index) => Math.floor(((index + 1) * lines) / 9) - 1));
  let block = [];
  for (let number = 0; number < lines; number++) {
    const tag = needles.has(number) ? "QUARTZ_NEEDLE" : "plain-message";
    block.push(`${`2026-01-01T00:00:00.000Z worker-${number % 64} ${tag} request ${number} done`.padEnd(106, ".")}\n`);
    if (block.length === 20_000) {
      if (!out.write(block.join(""))) await once(out, "drain");
      block = [];
    }
  }
  out.end(block.join(""));
  await once(out, "finish");
  return lines;
}

/** Fills a directory beside its place and then moves it there, so that what is there is whole. */
function make(place, fill) {
  if (existsSync(place)) return;
  const draft = `${place}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  fill(draft);
  renameSync(draft, place);
}

/**
 * A tree of 129,000 small source files (a tenth in the small corpus) with 20 needles, made when a case first needs it. An ignore file
 * in some directories, as in a repository of many packages.
 */
export function largeTree({ many, manyFiles }) {
  make(many, (draft) => {
    for (let number = 0; number < manyFiles; number++) {
      const place = join(draft, `pkg${Math.floor(number / 1000)}`, `part${Math.floor(number / 100) % 10}`);
      if (number % 100 === 0) mkdirSync(place, { recursive: true });
      if (number % 10_000 === 0) writeFileSync(join(place, ".gitignore"), "*.log\nbuild/\n");
      const needle = number % Math.floor(manyFiles / 20) === 7 ? `export const QUARTZ_NEEDLE_${number} = 1;\n` : "";
      writeFileSync(join(place, `file${number}.ts`), needle + sourceText(4, number + 1));
    }
  });
  return many;
}

/** The corpus under `directory`; `size` is "full" (the figures of the goals) or "small" (a tenth, to try the bench itself). */
export async function corpus(directory, size) {
  const scale = size === "full" ? 1 : 0.1;
  const home = join(directory, `corpus-${EDITION}-${size}`);
  const layout = {
    home,
    tree: join(home, "tree"),
    log: join(home, "log.txt"),
    names: join(directory, `names-${size}`),
    many: join(directory, `many-${size}`),
    manyFiles: 129_000 * scale,
    treeFiles: Math.floor(20_000 * scale),
    logBytes: Math.floor(2 ** 30 * scale),
    editLines: Math.floor(155_000 * scale),
    diffLines: Math.floor(20_000 * scale),
    outputBytes: Math.floor(2 ** 31 * scale),
  };
  layout.logLines = Math.floor(layout.logBytes / 107);
  make(layout.names, (draft) => makeNames(draft, Math.floor(200_000 * scale)));
  if (existsSync(home)) return layout;
  const draft = `${home}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true });
  makeTree(join(draft, "tree"), layout.treeFiles);
  await makeLog(join(draft, "log.txt"), layout.logBytes);
  renameSync(draft, home);
  return layout;
}
