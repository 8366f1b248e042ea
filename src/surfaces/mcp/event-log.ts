/** What a session of the older protocol has sent lately, for a client whose connection broke and who comes back for it. */
import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/** Characters of one session that are kept, and the newest event whatever its length. */
export const MAX_KEPT_CHARACTERS = 128 * 1024;
/** Counted for each event beside its texts. */
const EVENT_CHARACTERS = 300;
const ID = /^(.+)_(\d+)$/;

interface Event {
  readonly number: number;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
  readonly characters: number;
}

/** Numbers the events of one session. Those that were forgotten are not sent again; a client that asks later gets what is left. */
export class EventLog implements EventStore {
  /** The oldest stand first. */
  readonly #events: Event[] = [];
  #characters = 0;
  #last = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    const characters = charactersOf(message);
    const number = ++this.#last;
    this.#events.push({ number, streamId, message, characters });
    this.#characters += characters;
    while (this.#characters > MAX_KEPT_CHARACTERS && this.#events.length > 1)
      this.#characters -= this.#events.shift()?.characters ?? 0;
    return `${streamId}_${number}`;
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return ID.exec(eventId)?.[1];
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { send(eventId: string, message: JSONRPCMessage): Promise<void> },
  ): Promise<string> {
    const [, streamId = "", last = ""] = ID.exec(lastEventId) ?? [];
    for (const event of this.#events.filter((one) => one.streamId === streamId && one.number > Number(last))) {
      // The first event of a stream says nothing but its number.
      if (Object.keys(event.message).length > 0) await send(`${streamId}_${event.number}`, event.message);
    }
    return streamId;
  }
}

/** About as many as it takes up: the texts and images of an answer are what is long. */
function charactersOf(message: JSONRPCMessage): number {
  const { result } = message as { readonly result?: { readonly content?: unknown } };
  const blocks: readonly unknown[] = Array.isArray(result?.content) ? result.content : [];
  return blocks.reduce<number>((sum, block) => {
    const { text, data } = (block ?? {}) as { readonly text?: unknown; readonly data?: unknown };
    const lengths = [text, data].map((one) => (typeof one === "string" ? one.length : 0));
    return sum + Math.max(...lengths);
  }, EVENT_CHARACTERS);
}
