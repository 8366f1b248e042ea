/** Writing a far file: small data goes with the request, large data is staged over there first. */
import { createHash, randomBytes } from "node:crypto";
import type { Access, Expect, ReplaceResult } from "../../kernel/index.js";
import { BLOCK_BYTES } from "./bulk-channel.js";
import { fsFault, staleFault, WRITING } from "./fs-faults.js";
import type { FsGuard } from "./fs-guard.js";
import type { Limits } from "./limits.js";

export interface ReplaceOptions {
  /** "create": the grant lets a new file be made, and no old one be changed. */
  readonly access: Extract<Access, "create" | "write">;
}

/** Staged blocks that are under way at once. */
const AHEAD = 3;

export async function replaceFile(
  guard: FsGuard,
  limits: Limits,
  path: string,
  bytes: Uint8Array,
  expect: Expect,
  options: ReplaceOptions,
): Promise<ReplaceResult> {
  const temp = `.haft-${randomBytes(8).toString("hex")}.tmp`;
  const staged = bytes.length > BLOCK_BYTES ? await stage(guard, limits, bytes) : "";
  const [kind, value] = expectWords(expect);
  const isNewOnly = options.access === "create" ? "yes" : "no";
  try {
    const { words } = await guard.act(limits, {
      doing: WRITING,
      operation: "replace",
      touches: [{ path, access: options.access }],
      words: ([allowed = ""]) => [path, allowed, kind, value, temp, staged, isNewOnly, String(bytes.length)],
      ...(staged === "" && bytes.length > 0 ? { data: bytes } : {}),
      changes: true,
      fault: (code, note) => (code === "stale" ? staleFault(note, path, { expected: value || kind }) : undefined),
    });
    const [, created, inPlace, before = "-"] = words;
    return {
      before: before === "-" ? null : before,
      after: createHash("sha256").update(bytes).digest("hex"),
      created: created === "yes",
      inPlace: inPlace === "yes",
    };
  } finally {
    if (staged !== "") guard.bulk.request("unstage", [staged]).catch(() => {});
  }
}

function expectWords(expect: Expect): readonly [string, string] {
  if (typeof expect === "string") return [expect, ""];
  return "sha256" in expect ? ["sha256", expect.sha256.toLowerCase()] : ["version", expect.version];
}

/** Brings the bytes into files of the far spool folder, which nobody else can reach. @returns How their names begin. */
async function stage(guard: FsGuard, limits: Limits, bytes: Uint8Array): Promise<string> {
  const name = `stage-${randomBytes(8).toString("hex")}`;
  const underWay: Promise<void>[] = [];
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    if (underWay.length === AHEAD) await underWay.shift();
    // A file a block: blocks may travel on several channels, in any order.
    const file = `${name}.${String(at / BLOCK_BYTES).padStart(6, "0")}`;
    const part = stagePart(guard, limits, file, bytes.subarray(at, at + BLOCK_BYTES));
    part.catch(() => {});
    underWay.push(part);
  }
  await Promise.all(underWay);
  return name;
}

async function stagePart(guard: FsGuard, limits: Limits, file: string, data: Uint8Array): Promise<void> {
  const { words } = await limits.race(guard.bulk.request("stage", [file], { data, signal: limits.signal }));
  if (words[0] !== "staged") throw fsFault("nospace", "", WRITING, file);
}
