/** The mark of a session's folder: whose it is, when it was used last, and which processes have it open. */
import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isMoment } from "./moment.js";
import { isAlive, ownIdentity, type ProcessIdentity } from "./process-identity.js";
import { readIfThere, replaceFile } from "./replace-file.js";

const MARK = "session.json";
const HELD = /^held-([0-9a-f]{8})-(\d+)-(\w+)$/;
/** Milliseconds between two touches: the time of a last use is that precise. */
const TOUCH_EVERY_MS = 60_000;
/** A process of another machine or container counts as alive while it touches what it holds. */
const FOREIGN_STALE_MS = 60 * 60 * 1000;

/** What the mark says. */
export interface MarkedSession {
  readonly id: string;
  readonly isTemporary: boolean;
  readonly createdMs: number;
  /** The end of its last call, to the minute. */
  readonly usedMs: number;
}

/** The mark as this process keeps it. A folder that is not there yet gets none: a session makes nothing until it has to. */
export class SessionMark {
  readonly #folder: string;
  readonly #about: Pick<MarkedSession, "id" | "isTemporary">;
  readonly #now: () => number;
  readonly #heldName: string;
  #lookedMs: number | undefined;
  #touchedMs: number | undefined;
  /** What tells this mark from that of a later session of the same name. */
  #nonce: string | undefined;

  constructor(folder: string, about: Pick<MarkedSession, "id" | "isTemporary">, now: () => number) {
    this.#folder = folder;
    this.#about = about;
    this.#now = now;
    const { machine, pid, started } = ownIdentity();
    this.#heldName = `held-${machine}-${pid}-${started}`;
  }

  /** The session has kept something just now. Harmless where the folder cannot be written: the next write tells. */
  kept(): void {
    if (this.#touchedMs === undefined) this.#lookedMs = undefined;
    this.touch();
  }

  /** The session was used just now. A folder that is missing is looked for seldom: `kept` says when there is one. */
  touch(): void {
    const nowMs = this.#now();
    if (this.#lookedMs !== undefined && nowMs - this.#lookedMs < TOUCH_EVERY_MS) return;
    this.#lookedMs = nowMs;
    if (this.isGone() || !existsSync(this.#folder)) return;
    try {
      const mark = join(this.#folder, MARK);
      const held = join(this.#folder, this.#heldName);
      if (this.#nonce === undefined && readNonce(mark) === undefined) {
        const nonce = randomBytes(8).toString("hex");
        replaceFile(mark, `${JSON.stringify({ ...this.#about, createdMs: nowMs, nonce })}\n`);
      }
      this.#nonce ??= readNonce(mark);
      writeFileSync(held, "", { mode: 0o600 });
      const now = new Date(nowMs);
      for (const path of [mark, held]) utimesSync(path, now, now);
      this.#touchedMs = nowMs;
    } catch {
      // A state folder that takes no more is told by the call that has something to keep.
    }
  }

  /** Whether somebody ended the session: its mark is no more, or that of another session that took its name since. */
  isGone(): boolean {
    return this.#nonce !== undefined && readNonce(join(this.#folder, MARK)) !== this.#nonce;
  }

  /** Whether another session took its name since. */
  isTaken(): boolean {
    return this.isGone() && existsSync(join(this.#folder, MARK));
  }

  /** This process has the session open no longer. */
  release(): void {
    if (this.#touchedMs !== undefined) rmSync(join(this.#folder, this.#heldName), { force: true });
  }
}

/** What the mark in a folder says; undefined where there is none that can be read. */
export function readMark(folder: string): MarkedSession | undefined {
  try {
    const path = join(folder, MARK);
    const { id, isTemporary, createdMs } = JSON.parse(readIfThere(path) ?? "") as Partial<MarkedSession>;
    if (typeof id !== "string" || !isMoment(createdMs)) return undefined;
    return { id, isTemporary: isTemporary === true, createdMs, usedMs: statSync(path).mtimeMs };
  } catch {
    return undefined;
  }
}

/** The processes that have the session of this folder open, by their numbers. */
export function holdersOf(folder: string, own: ProcessIdentity, nowMs: number): readonly number[] {
  return namesIn(folder).flatMap((name) => {
    const [, machine, pid, started] = HELD.exec(name) ?? [];
    if (machine === undefined || pid === undefined || started === undefined) return [];
    const alive = isAlive({ machine, pid: Number(pid), started }, own);
    const isHeld = alive === "unknown" ? isFresh(join(folder, name), nowMs) : alive;
    return isHeld ? [Number(pid)] : [];
  });
}

/** The names in a folder; none where it is missing. */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readNonce(path: string): string | undefined {
  try {
    const { nonce } = JSON.parse(readIfThere(path) ?? "") as { readonly nonce?: unknown };
    return typeof nonce === "string" ? nonce : undefined;
  } catch {
    return undefined;
  }
}

function isFresh(path: string, nowMs: number): boolean {
  try {
    return nowMs - statSync(path).mtimeMs < FOREIGN_STALE_MS;
  } catch {
    return false;
  }
}
