/** The latest events of a session of the older protocol, to resend them to a client that reconnects. */
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** Characters kept per session; the newest event is kept whatever its length. */
export const MAX_KEPT_CHARACTERS = 128 * 1024;
/** Counted for each event in addition to its texts. */
const EVENT_CHARACTERS = 300;
const ID = /^(.+)_(\d+)$/;

interface Event {
  readonly number: number;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly characters: number;
}

/** Numbers the events of one session. Dropped events are not sent again; a client that reconnects later gets the rest. */
export class EventLog implements EventStore {
  readonly #mark: string;
  /** Oldest first. */
  readonly #events: Event[] = [];
  #characters = 0;
  #last = 0;

  /** @param mark - What the ids begin with, where other logs may be asked for them. */
  constructor(mark = "") {
    this.#mark = mark;
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const characters = EVENT_CHARACTERS + charactersIn(message);
    const number = ++this.#last;
    this.#events.push({ number, streamId, message, characters });
    this.#characters += characters;
    while (this.#characters > MAX_KEPT_CHARACTERS && this.#events.length > 1)
      this.#characters -= this.#events.shift()?.characters ?? 0;
    return `${this.#mark}${streamId}_${number}`;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return ID.exec(this.#unmarked(eventId))?.[1];
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send(eventId: string, message: JSONRPCMessage): Promise<void> },
  ): Promise<string> {
    const [, streamId = "", last = ""] = ID.exec(this.#unmarked(lastEventId)) ?? [];
    for (const event of this.#events.filter((one) => one.streamId === streamId && one.number > Number(last))) {
      // The first event of a stream carries only its id.
      if (Object.keys(event.message).length > 0) await send(`${this.#mark}${streamId}_${event.number}`, event.message);
    }
    return streamId;
  }

  #unmarked(eventId: string): string {
    return eventId.startsWith(this.#mark) ? eventId.slice(this.#mark.length) : "";
  }
}

/** All strings in a value, at any depth: results of calls, ranges of artifacts, lists of tools. */
function charactersIn(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, part]) => sum + key.length + charactersIn(part), 0);
}
