/** What the servers behind a balancer keep of a client's session of the older protocol, so that each of them can serve it. */
import { randomUUID } from "node:crypto";
import { isRecord, type Json, type SessionInfo, type State } from "../../kernel/index.js";
import { legacyKey } from "./session-key.js";

const COLLECTION = "mcp";
const BEGIN = "initialize";
const MAIL = "mail";
/** Messages that wait for another server; the oldest is dropped first. */
const MAX_MAIL = 100;

/** This process, in what it shares with others. */
const HERE = randomUUID();
const OWN = `${HERE}:`;

/** A session that is stored. It ends with the stored session of the same key. */
export class SharedSession {
  readonly #state: State;
  readonly #info: SessionInfo;
  /** The message by which the client began. */
  readonly begin: unknown;

  constructor(state: State, info: SessionInfo, begin: unknown) {
    this.#state = state;
    this.#info = info;
    this.begin = begin;
  }

  /** Whether no server has ended it. A state that is away ends nothing. */
  async isThere(): Promise<boolean> {
    try {
      return (await this.#documents.get(BEGIN)) !== undefined;
    } catch {
      return true;
    }
  }

  /** Leaves a message to the server that waits for it. */
  async post(message: object): Promise<void> {
    await this.#documents.update(MAIL, (old) => [...asList(old), message as Json].slice(-MAX_MAIL));
  }

  /** Takes the messages that are for this server. */
  async take(isWanted: (message: unknown) => boolean): Promise<readonly unknown[]> {
    if (!asList((await this.#documents.get(MAIL))?.value).some(isWanted)) return [];
    let taken: readonly unknown[] = [];
    await this.#documents.update(MAIL, (old) => {
      const all = asList(old);
      taken = all.filter(isWanted);
      return all.filter((one) => !isWanted(one));
    });
    return taken;
  }

  async end(): Promise<void> {
    await this.#state.sessions.end(this.#info.id, this.#info.version);
  }

  get #documents() {
    return this.#state.documents(COLLECTION, this.#info);
  }
}

/** Stores a session that has begun here. */
export async function shareSession(state: State, client: string, id: string, begin: unknown): Promise<SharedSession> {
  const info = await state.sessions.open(legacyKey(client, id), { owner: client });
  await state.documents(COLLECTION, info).update(BEGIN, () => begin as Json);
  return new SharedSession(state, info, begin);
}

/** A session that has begun anywhere; undefined where there is none, or it is of another client. */
export async function sharedSession(state: State, client: string, id: string): Promise<SharedSession | undefined> {
  const key = legacyKey(client, id);
  // Opening would create it.
  if (!(await state.sessions.touch(key))) return undefined;
  const info = await state.sessions.open(key, { owner: client });
  const found = info.owner === client ? await state.documents(COLLECTION, info).get(BEGIN) : undefined;
  return found === undefined ? undefined : new SharedSession(state, info, found.value);
}

/** An id of this process, for whatever another server may be asked about. */
export const markedId = (id: unknown): string => `${OWN}${JSON.stringify(id)}`;

/** Whether an id is one that another server has marked. */
export function isMarkedElsewhere(id: unknown): boolean {
  return typeof id === "string" && !id.startsWith(OWN) && /^[0-9a-f-]{36}:/.test(id);
}

/** A request to the client, or its cancellation, under an id that names this server: the answer may reach another one. */
export function withMarkedId<Message extends object>(message: Message): Message {
  if (!isRecord(message) || typeof message.method !== "string") return message;
  if (message.id !== undefined) return { ...message, id: markedId(message.id) };
  if (message.method !== "notifications/cancelled" || !isRecord(message.params)) return message;
  return { ...message, params: { ...message.params, requestId: markedId(message.params.requestId) } };
}

/** An answer of the client with the id that the request had here; other messages, and answers for other servers, stay as they are. */
export function withOwnId(message: unknown): unknown {
  if (!isAnswer(message) || typeof message.id !== "string" || !message.id.startsWith(OWN)) return message;
  return { ...message, id: JSON.parse(message.id.slice(OWN.length)) };
}

/** Whether a message is for a server with these open requests: an answer to what it has asked, or the end of what it does. */
export function isForHere(message: unknown, has: (request: unknown) => boolean): boolean {
  if (isAnswer(message)) return typeof message.id === "string" && message.id.startsWith(OWN);
  return isRecord(message) && isRecord(message.params) && has(message.params.requestId);
}

/** Whether a message of the client is for another server: an answer to what that one asked, or the end of what is not done here. */
export function isForAnother(message: unknown, has: (request: unknown) => boolean): message is object {
  if (isAnswer(message)) return isMarkedElsewhere(message.id);
  if (!isRecord(message) || message.method !== "notifications/cancelled" || !isRecord(message.params)) return false;
  return !has(message.params.requestId);
}

function isAnswer(message: unknown): message is Readonly<Record<string, unknown>> {
  return isRecord(message) && message.method === undefined && ("result" in message || "error" in message);
}

function asList(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
