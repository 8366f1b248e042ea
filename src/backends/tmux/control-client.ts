/**
 * One client in control mode: all commands go through it, and it receives what the panes of its session print.
 *
 * Text of a pane is printed as it is in the answer to a command, and may imitate the lines that end an answer. So each command is
 * followed by one that prints a word that pane text cannot contain: what precedes that word is the answer.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { newNonce } from "../../host/index.js";
import { HaftError } from "../../kernel/index.js";
import { type Channel, clauseOf } from "../posix/index.js";
import { LineSplitter, outputBytes, tmuxWord } from "./control-lines.js";

/** Milliseconds for the answer to one command. None of those that are sent waits for anything. */
const ANSWER_MS = 20_000;

/** Milliseconds for a client to end, and for `Channel.destroy` to kill one that does not. */
const CLOSE_MS = 2_000;
const HANGING_MS = 5_200;

/** tmux refused a command; the message is tmux's. */
export class TmuxRefusal extends Error {}

/** The client has ended. The server may still run. */
export class ClientLost extends Error {
  /** @param wasSent - The command was sent; whether it was carried out is unknown. */
  constructor(
    why: string | undefined,
    readonly wasSent = false,
  ) {
    super(why);
  }
}

/**
 * Commands whose answer has text of panes, titles or names. tmux gives it at once; other commands may wait for a file, and lines
 * that arrive meanwhile are notifications.
 */
const WITH_TEXT = ["capture-pane", "display-message", "list-clients", "list-panes", "new-window", "show-buffer"];

interface Request {
  readonly sentinel: string;
  readonly hasText: boolean;
  readonly lines: string[];
  failed: boolean;
  resolve(lines: readonly string[]): void;
  reject(error: Error): void;
}

export interface ClientEvents {
  output(pane: string, bytes: Uint8Array): void;
  /** A window or session was opened, closed or changed. */
  changed(): void;
  /** Once, with the reason as a clause. */
  ended(why: string): void;
}

const decoder = new TextDecoder();
const OUTPUT = Buffer.from("%output ");

export class ControlClient {
  readonly #channel: Channel;
  readonly #events: ClientEvents;
  readonly #nonce = newNonce();
  readonly #splitter = new LineSplitter();
  readonly #requests: Request[] = [];
  #count = 0;
  #isOpen = false;
  #why: string | undefined;
  #exit: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #onAttached: (() => void) | undefined;
  #heardAt = 0;
  /** The first line, which the script prints that starts the client. Resolves when the client is attached: before, it cannot read files. */
  readonly opened: Promise<string>;

  /** @param mark - What that line begins with. */
  constructor(channel: Channel, mark: string, events: ClientEvents) {
    this.#channel = channel;
    this.#events = events;
    this.opened = new Promise((resolve, reject) => {
      channel.onBytes((bytes) => {
        this.#heardAt = performance.now();
        for (const line of this.#splitter.push(bytes)) {
          if (this.#isOpen) this.#onLine(line);
          else {
            const text = decoder.decode(line);
            this.#isOpen = text.startsWith(mark);
            if (!this.#isOpen) continue;
            const words = text.slice(mark.length).trim();
            if (words.startsWith("fail ")) resolve(words);
            else this.#onAttached = () => resolve(words);
          }
        }
      });
      channel.onEnd((why) => {
        this.#end(this.#exit === undefined || this.#exit === "" ? clauseOf(why) : this.#exit);
        reject(new ClientLost(this.#why));
      });
    });
    this.opened.catch(() => {});
  }

  /** Why it has ended, as a clause. */
  get why(): string | undefined {
    return this.#why;
  }

  /** Sends one command. @throws `TmuxRefusal`, `ClientLost`. */
  send(words: readonly string[]): Promise<readonly string[]> {
    return this.sendAll([words]).then(([lines]) => lines!);
  }

  /** Sends commands at once; if one is refused, the others are sent all the same. */
  sendAll(commands: readonly (readonly string[])[]): Promise<readonly (readonly string[])[]> {
    if (this.#why !== undefined) return Promise.reject(new ClientLost(this.#why));
    const answers = commands.map(
      ([name = ""]) =>
        new Promise<readonly string[]>((resolve, reject) => {
          this.#count += 1;
          const sentinel = `${this.#nonce}-${this.#count}`;
          const hasText = WITH_TEXT.includes(name);
          this.#requests.push({ sentinel, hasText, lines: [], failed: false, resolve, reject });
        }),
    );
    const sent = this.#requests.slice(-commands.length);
    this.#channel.write(
      commands
        .map((words, index) => `${words.map(tmuxWord).join(" ")}\ndisplay-message -p ${sent[index]!.sentinel}\n`)
        .join(""),
    );
    this.#watch();
    return Promise.all(answers);
  }

  /** Ends the client. Its output is read until it has ended: it waits for that. One that hangs is killed. */
  async close(): Promise<void> {
    this.#channel.end();
    const until = performance.now() + CLOSE_MS;
    while (this.#why === undefined && performance.now() < until) await sleep(5);
    if (this.#why !== undefined) return this.#channel.destroy();
    this.#channel.destroy();
    await sleep(HANGING_MS);
  }

  #onLine(line: Uint8Array): void {
    const current = this.#requests[0];
    if (current?.hasText === true) {
      const text = Buffer.from(line).toString("latin1"); // keeps every byte
      if (text !== current.sentinel) current.lines.push(text);
      else {
        this.#requests.shift();
        this.#answer(
          current,
          unwrap(current, (one) => this.#notify(one)),
        );
      }
      return;
    }
    if (line[0] !== 0x25) {
      const text = decoder.decode(line);
      if (text !== current?.sentinel) current?.lines.push(text);
      else this.#answer(this.#requests.shift()!, current.lines);
      return;
    }
    this.#notify(line);
  }

  #notify(line: Uint8Array): void {
    if (OUTPUT.equals(line.subarray(0, OUTPUT.length))) {
      const space = line.indexOf(0x20, OUTPUT.length);
      const pane = decoder.decode(line.subarray(OUTPUT.length, space));
      this.#events.output(pane, outputBytes(line.subarray(space + 1)));
      return;
    }
    const [name, ...rest] = decoder.decode(line).split(" ");
    if (name === "%error" && rest[2] === "1" && this.#requests[0] !== undefined) this.#requests[0].failed = true;
    else if (name === "%exit") this.#exit = rest.join(" ");
    else if (name !== "%begin" && name !== "%end") {
      if (name === "%session-changed") this.#onAttached?.();
      this.#events.changed();
    }
  }

  #answer(request: Request, lines: readonly string[]): void {
    this.#watch();
    if (request.failed) request.reject(new TmuxRefusal(lines.join("; ")));
    else request.resolve(lines);
  }

  /** One timer for the oldest request. */
  #watch(): void {
    clearTimeout(this.#timer);
    if (this.#requests.length === 0) return;
    this.#timer = setTimeout(() => {
      // Much output may come before the answer.
      if (performance.now() - this.#heardAt < ANSWER_MS) return this.#watch();
      this.#end("it did not answer in 20 s");
      this.#channel.destroy();
    }, ANSWER_MS);
    this.#timer.unref();
  }

  #end(why: string): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    clearTimeout(this.#timer);
    for (const request of this.#requests.splice(0)) request.reject(new ClientLost(why, true));
    this.#events.ended(why);
  }
}

/**
 * The answer among the lines that precede the sentinel: from the first `%begin` of ours to the last line that can end it. Real
 * notifications stand before and after it.
 */
function unwrap(request: Request, notify: (line: Uint8Array) => void): readonly string[] {
  const { lines } = request;
  const begin = lines.findIndex((line) => /^%begin \d+ \d+ 1$/.test(line));
  const guard = (lines[begin] ?? "").slice("%begin".length);
  const end = Math.max(lines.lastIndexOf(`%end${guard}`), lines.lastIndexOf(`%error${guard}`));
  request.failed = (lines[end] ?? "").startsWith("%error");
  for (const line of [...lines.slice(0, begin), ...lines.slice(end + 1)])
    if (line.startsWith("%") && !/^%(?:begin|end) /.test(line)) notify(Buffer.from(line, "latin1"));
  return lines.slice(begin + 1, end).map((line) => decoder.decode(Buffer.from(line, "latin1")));
}

/** The error for a client that was lost before it answered. `name` is the target. */
export function terminalLost(name: string, why: string): HaftError {
  return new HaftError(
    "BACKEND_UNAVAILABLE",
    `Lost the connection to tmux on "${name}" before it answered: ${why}. What was sent may have been typed. Look at the pane before you send it again.`,
    { details: { backend: name, began: "unknown" } },
  );
}

/** The error for a client that cannot be used. `name` is the target. */
export function terminalUnavailable(name: string, why: string): HaftError {
  return new HaftError("BACKEND_UNAVAILABLE", `Did not use tmux on "${name}": ${why}. The next use connects again.`, {
    details: { backend: name },
  });
}
