/**
 * The Node.js script of the process that reads one image or document. It is a string because a bundled file cannot locate
 * its siblings.
 *
 * It reads the bytes from stdin and the job as JSON from the first argument (see `MediaJob`), and writes to descriptor 3: lines
 * of JSON, and after the line `image` the bytes of an image. A worker thread checks memory and the host, because the main
 * thread may be blocked by the file.
 */
export const MEDIA_SCRIPT = String.raw`
import { readFileSync, writeSync } from "node:fs";
import { Worker } from "node:worker_threads";

const job = JSON.parse(process.argv[1]);
const watch = 'const { host, maxMemoryBytes, lookMs } = require("node:worker_threads").workerData;' +
  'const asleep = new Int32Array(new SharedArrayBuffer(4));' +
  'for (;;) {' +
  '  Atomics.wait(asleep, 0, 0, lookMs);' +
  '  if (process.ppid !== host || process.memoryUsage.rss() > maxMemoryBytes) process.kill(process.pid, "SIGKILL");' +
  '}';
new Worker(watch, { eval: true, execArgv: [], workerData: job }).unref();

const write = (bytes) => {
  for (let at = 0; at < bytes.length; ) at += writeSync(3, bytes, at);
};
const say = (fact) => write(Buffer.from(JSON.stringify(fact) + "\n"));
const end = (fact) => {
  say(fact);
  process.exit(0);
};

const bytes = readFileSync(0);
const part = await import(job.module).catch(() => end({ kind: "fault", why: "package" }));
say({ kind: "begun" });
await (job.kind === "image" ? image(part.default) : pdf(part.getDocumentProxy));

async function image(sharp) {
  sharp.cache(false);
  const open = () => sharp(bytes, { limitInputPixels: job.maxPixels, failOn: "error", sequentialRead: true });
  try {
    const { width, height, pages = 1, hasAlpha, format, autoOrient } = await open().metadata();
    const fits = width <= job.maxWidth && height <= job.maxHeight && bytes.length <= job.maxBytes;
    if (fits && pages === 1) {
      await open().raw().toBuffer();
      end({ kind: "same", mime: "image/" + format, width: autoOrient.width, height: autoOrient.height });
    }
    const sides = { width: Math.min(autoOrient.width, job.maxWidth), height: Math.min(autoOrient.height, job.maxHeight) };
    for (let scale = 1; scale > 0.05; scale *= 0.75) {
      const [width, height] = [sides.width, sides.height].map((side) => Math.max(1, Math.floor(side * scale)));
      const fitted = () => open().autoOrient().resize({ width, height, fit: "inside", withoutEnlargement: true });
      const lossless = () => fitted().png();
      const lossy = (quality) => () => fitted().flatten({ background: "#ffffff" }).jpeg({ quality });
      const isDrawn = hasAlpha || format === "png" || format === "gif";
      for (const encode of [...(isDrawn ? [lossless] : []), lossy(85), lossy(70)]) {
        const { data, info } = await encode().toBuffer({ resolveWithObject: true });
        if (data.length > job.maxBytes) continue;
        say({ kind: "image", mime: "image/" + info.format, width: info.width, height: info.height });
        write(data);
        process.exit(0);
      }
    }
    end({ kind: "fault", why: "large" });
  } catch (thrown) {
    end({ kind: "fault", why: /pixel limit/i.test(String(thrown)) ? "large" : "damaged" });
  }
}

async function pdf(open) {
  const document = await open(new Uint8Array(bytes), { verbosity: 0 }).catch((thrown) =>
    end({ kind: "fault", why: thrown?.name === "PasswordException" ? "encrypted" : "damaged" }),
  );
  say({ kind: "pages", pages: document.numPages });
  for (let number = job.first; number <= document.numPages; number++) {
    try {
      const page = await document.getPage(number);
      const { items } = await page.getTextContent();
      say({ kind: "page", text: items.map(({ str = "", hasEOL }) => (hasEOL ? str + "\n" : str)).join("") });
      page.cleanup();
    } catch {
      say({ kind: "page" });
    }
  }
  end({ kind: "end" });
}
`;
