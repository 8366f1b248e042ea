/**
 * Mutual exclusion between processes by ticket files, after Lamport's bakery algorithm.
 *
 * To wait for a key, a process creates an empty file whose name contains a number above all waiting ones, and its process id.
 * The lowest ticket holds the key. The number is chosen before the file is created, so a ticket can end up below one that
 * already holds the key. So its owner lists the tickets again after creating it: the ticket is valid only if there is none
 * above it; otherwise it is withdrawn. Of two valid tickets, the higher was created after the lower's check, so its owner
 * sees the lower one and waits.
 *
 * A name is never used twice, so any process may delete the ticket of a dead one, any number of times.
 */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, readdirSync, statSync, unlinkSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { isProcessAlive, type ProcessIdentity } from "./process-identity.js";

/** A ticket of another machine or container counts as abandoned when its file was not touched for this long. */
export const FOREIGN_STALE_MS = 30_000;

interface Ticket {
  readonly name: string;
  readonly order: string;
  readonly owner: ProcessIdentity;
}

const NAME = /^([0-9a-f]{32})\.(\d{12})-([0-9a-f]{8})-(\d+)-(\w+)-([0-9a-f]{8})$/;

/** Creates a ticket for `key` (32 hex digits) in `directory` and returns its file name. */
export function takeTicket(directory: string, key: string, own: ProcessIdentity): string {
  for (;;) {
    const highest = waiting(directory, key).at(-1);
    const number = highest === undefined ? 1 : Number(highest.order.slice(0, 12)) + 1;
    const order = `${String(number).padStart(12, "0")}-${randomBytes(4).toString("hex")}`;
    const name = `${key}.${order.slice(0, 12)}-${own.machine}-${own.pid}-${own.started}-${order.slice(13)}`;
    closeSync(openSync(join(directory, name), "wx", 0o600));
    const above = waiting(directory, key).at(-1);
    if (above === undefined || above.name === name || above.order < order) return name;
    dropTicket(directory, name);
  }
}

/**
 * Who holds the key of this ticket: "mine", the id of another process, or "lost" if the ticket itself is gone because the
 * state directory was deleted. Also deletes the tickets of dead processes.
 */
export function holderOf(directory: string, ticket: string, own: ProcessIdentity): "mine" | "lost" | number {
  for (const other of waiting(directory, ticket.slice(0, 32))) {
    if (other.name === ticket) return "mine";
    if (isOver(directory, other, own)) dropTicket(directory, other.name);
    else return other.owner.pid;
  }
  return "lost";
}

/** Touches the ticket, for machines that cannot look up our process id. */
export function touchTicket(directory: string, ticket: string): void {
  try {
    const now = new Date();
    utimesSync(join(directory, ticket), now, now);
  } catch {
    // The directory was deleted; the holder detects that when it releases the ticket.
  }
}

export function dropTicket(directory: string, ticket: string): void {
  try {
    unlinkSync(join(directory, ticket));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}

/** Deletes the tickets of dead processes, for all keys. Returns their number. */
export function sweepTickets(directory: string, own: ProcessIdentity): number {
  const dead = list(directory, "").filter((ticket) => isOver(directory, ticket, own));
  for (const ticket of dead) dropTicket(directory, ticket.name);
  return dead.length;
}

function waiting(directory: string, key: string): readonly Ticket[] {
  return list(directory, `${key}.`).sort((a, b) => (a.order < b.order ? -1 : 1));
}

function list(directory: string, prefix: string): Ticket[] {
  const found: Ticket[] = [];
  for (const name of namesIn(directory)) {
    const parts = name.startsWith(prefix) ? NAME.exec(name) : null;
    if (parts === null) continue;
    const [, , number, machine, pid, started, salt] = parts as unknown as readonly string[];
    found.push({
      name,
      order: `${number}-${salt}`,
      owner: { pid: Number(pid), started: started ?? "0", machine: machine ?? "" },
    });
  }
  return found;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function isOver(directory: string, ticket: Ticket, own: ProcessIdentity): boolean {
  const alive = isProcessAlive(ticket.owner, own);
  if (alive !== "unknown") return !alive;
  try {
    return Date.now() - statSync(join(directory, ticket.name)).mtimeMs > FOREIGN_STALE_MS;
  } catch {
    return true;
  }
}
