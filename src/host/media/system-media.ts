/** Reads images and documents with optional packages, each file in a process of its own. */
import { createRequire } from "node:module";
import {
  type FittedImage,
  HaftError,
  type ImageBounds,
  type Io,
  type Media,
  type MediaFault,
  PDF_PAGE_CHARACTERS,
  type PdfPages,
  type PdfText,
} from "../../kernel/index.js";
import { byteSize } from "../../text/index.js";
import { ConcurrencyLimit } from "./concurrency-limit.js";
import { MediaAnswer, type MediaFact } from "./media-answer.js";
import {
  cancelled,
  MAX_MEMORY_BYTES,
  type MediaEnd,
  type MediaJob,
  type MediaTask,
  runMediaProcess,
} from "./media-process.js";

/** Default timeout for one file in milliseconds. */
const DEFAULT_MEDIA_MS = 20_000;
/** Each may take a gigabyte. */
const PROCESSES_AT_ONCE = 2;
/** Maximum bytes of one character in the output. */
const CHARACTER_BYTES = 6;
const LINE_BYTES = 64 * 1024;

export interface SystemMediaOptions {
  /** Resolves a package to an absolute path; throws if it is not installed. Default: resolution from Haft. */
  readonly find?: (name: string) => string;
}

/** The media port of this machine. Packages are located and loaded on first use. */
export function createSystemMedia({ find = findPackage }: SystemMediaOptions = {}): Media {
  const turns = new ConcurrencyLimit(PROCESSES_AT_ONCE);
  const run = async (name: string, job: Pick<MediaJob, "task" | "bytes" | "take">, io: Io = {}): Promise<RunEnd> => {
    const packagePath = pathOf(name, find);
    const until = performance.now() + (io.timeoutMs ?? DEFAULT_MEDIA_MS);
    const giveBack = await turns.take(io.signal ?? NEVER).catch(() => {
      throw cancelled(io.signal);
    });
    try {
      const timeoutMs = until - performance.now();
      return timeoutMs <= 0 ? "busy" : await runMediaProcess({ ...job, packagePath, timeoutMs, signal: io.signal });
    } finally {
      giveBack();
    }
  };
  return Object.freeze({
    async fitImage(bytes: Uint8Array, bounds: ImageBounds, io?: Io) {
      const answer = new MediaAnswer(bounds.maxBytes);
      const task: MediaTask = { kind: "image", ...bounds };
      const end = await run("sharp", { task, bytes, take: (chunk) => answer.take(chunk) }, io);
      return fittedImage(answer, bytes, end);
    },
    async pdfText(bytes: Uint8Array, pages: PdfPages, io?: Io) {
      const answer = new MediaAnswer(pages.maxCharacters * CHARACTER_BYTES + LINE_BYTES);
      const take = (chunk: Buffer) => answer.take(chunk) && answer.characters <= pages.maxCharacters;
      const end = await run("unpdf", { task: { kind: "pdf", first: pages.first }, bytes, take }, io);
      return pdfText(answer, end, pages.maxCharacters);
    },
  });
}

const NEVER = new AbortController().signal;

/** busy: no slot was free in time. */
type RunEnd = MediaEnd | "busy";

function findPackage(name: string): string {
  return createRequire(import.meta.url).resolve(name);
}

function pathOf(name: string, find: (name: string) => string): string {
  try {
    return find(name);
  } catch {
    throw missing(name);
  }
}

function missing(name: string): HaftError {
  const message = `The package ${name} is not installed, or not for this platform.`;
  const hint = `Install it beside Haft: \`npm install ${name}\`.`;
  return new HaftError("CONFIG_MISSING_PACKAGE", message, { hint, details: { package: name } });
}

const ENDS: Readonly<Record<RunEnd, MediaFault>> = {
  busy: "busy",
  done: "crashed", // without having said what it was to say
  enough: "large",
  time: "slow",
  memory: "memory",
  crashed: "crashed",
};

const PROBLEMS: Readonly<Record<MediaFault, string>> = {
  damaged: "it is damaged or truncated",
  encrypted: "it is encrypted and needs a password",
  large: "its content exceeds the limit",
  slow: "reading it took too long and was stopped",
  memory: `reading it took over ${byteSize(MAX_MEMORY_BYTES)} of memory and was stopped`,
  crashed: "the process that reads it exited unexpectedly",
  busy: `other files were being read (at most ${PROCESSES_AT_ONCE} at once) until its time was up. Try again`,
  unstarted:
    "the process that reads such files did not start: the system has no free process, thread or memory, or is overloaded. Try again later",
};

function unreadable(why: MediaFault): HaftError {
  const problem = PROBLEMS[why];
  return new HaftError("MEDIA_UNREADABLE", `Did not read the file: ${problem}.`, { details: { why, problem } });
}

function requireNoFault(facts: readonly MediaFact[], name: string): void {
  for (const fact of facts) {
    if (fact.kind === "fault") throw fact.why === "package" ? missing(name) : unreadable(fact.why);
  }
}

/** The fault for incomplete output. */
function faultOf({ hasBegun }: MediaAnswer, end: RunEnd): HaftError {
  return unreadable(hasBegun || end === "busy" ? ENDS[end] : "unstarted");
}

function fittedImage(answer: MediaAnswer, given: Uint8Array, end: RunEnd): FittedImage {
  const [fact] = answer.facts;
  requireNoFault(answer.facts, "sharp");
  if (end !== "done" || (fact?.kind !== "same" && fact?.kind !== "image")) throw faultOf(answer, end);
  const { mime, width, height } = fact;
  return { bytes: fact.kind === "same" ? given : answer.body, mime, width, height };
}

/** Truncates after the page that exceeds the character limit; one chunk may contain more pages. */
function pagesWithin(texts: readonly (string | undefined)[], maxCharacters: number): readonly (string | undefined)[] {
  let characters = 0;
  const last = texts.findIndex((text) => {
    characters += PDF_PAGE_CHARACTERS + (text?.length ?? 0);
    return characters > maxCharacters;
  });
  return last === -1 ? texts : texts.slice(0, last + 1);
}

const STOPS: Partial<Readonly<Record<RunEnd, "time" | "size">>> = { time: "time", enough: "size" };

function pdfText(answer: MediaAnswer, end: RunEnd, maxCharacters: number): PdfText {
  const { facts } = answer;
  requireNoFault(facts, "unpdf");
  const pages = facts.find((fact) => fact.kind === "pages")?.pages;
  const all = facts.flatMap((fact) => (fact.kind === "page" ? [fact.text] : []));
  const texts = pagesWithin(all, maxCharacters);
  const isCut = texts.length < all.length;
  const isWhole = (end === "done" || end === "enough") && facts.at(-1)?.kind === "end" && !isCut;
  if (pages === undefined || (!isWhole && texts.length === 0)) throw faultOf(answer, end);
  if (isWhole) return { pages, texts };
  return { pages, texts, stopped: isCut ? "size" : (STOPS[end] ?? "fault") };
}
