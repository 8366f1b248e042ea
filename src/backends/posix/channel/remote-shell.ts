/** A remote shell that runs our script: it takes lines and blocks, and returns frames. */
import { randomBytes } from "node:crypto";
import { HaftError, messageOf } from "../../../kernel/index.js";
import { BOOT, BOOT_END, BOOT_LINE } from "../remote/boot.sh.js";
import type { Channel, EndReason, OpenChannel } from "./channel.js";
import { type Frame, FrameReader } from "./frames.js";
import { quoteWords } from "./quote-words.js";

interface RemoteShellOptions {
  /** For messages. */
  readonly name: string;
  readonly open: OpenChannel;
  readonly script: string;
  /** The settings that the script reads first, after its nonce. */
  readonly settings: readonly string[];
  /** Milliseconds in which the remote side must answer, with the time that opening the channel takes. */
  readonly timeoutMs: number;
  /** See `Transport`. */
  readonly shellAdvice?: string | undefined;
}

/** More output than this before the script has started means that it is not a shell. */
const MAX_GREETING_BYTES = 65_536;

export class RemoteShell {
  readonly #channel: Channel;
  readonly #frames: FrameReader;
  #onFrame: (frame: Frame) => void = () => {};
  #onEnd: ((why: EndReason) => void) | undefined;
  #onGone: () => void = () => {};
  #ended: EndReason | undefined;
  #greeting: Buffer | undefined = Buffer.alloc(0);
  #booted: () => void = () => {};

  private constructor(channel: Channel, nonce: string) {
    this.#channel = channel;
    this.#frames = new FrameReader(
      nonce,
      (frame) => this.#onFrame(frame),
      (why) => {
        this.#finish(`its response is corrupt: ${why}`);
        channel.destroy();
      },
    );
    channel.onBytes((bytes) => this.#take(bytes));
    channel.onEnd((why) => this.#finish(why));
  }

  /**
   * Opens a channel, sends the script and waits for its first frame.
   * @throws `BACKEND_UNAVAILABLE`
   */
  static async start(options: RemoteShellOptions): Promise<{ readonly shell: RemoteShell; readonly ready: Frame }> {
    const startedAt = performance.now();
    const channel = await options.open().catch((thrown: unknown) => {
      throw HaftError.is(thrown) ? thrown : unavailable(options.name, messageOf(thrown));
    });
    // It is sent over stdin only, after the shell has answered, so no process list ever shows it.
    const nonce = randomBytes(18).toString("hex");
    const shell = new RemoteShell(channel, nonce);
    try {
      return { shell, ready: await shell.#boot(options, nonce, performance.now() - startedAt) };
    } catch (thrown) {
      shell.destroy();
      throw thrown;
    }
  }

  #boot(options: RemoteShellOptions, nonce: string, passedMs: number): Promise<Frame> {
    const { name, script, settings, timeoutMs, shellAdvice } = options;
    return new Promise<Frame>((resolve, reject) => {
      // Until then only the login shell and its start-up files have run.
      const advice = () => (this.#greeting === undefined ? undefined : shellAdvice);
      const late = `it did not answer within ${timeoutMs} ms`;
      const timer = setTimeout(() => reject(unavailable(name, late, advice())), Math.max(0, timeoutMs - passedMs));
      this.#onEnd = (why) => {
        clearTimeout(timer);
        reject(unavailable(name, why, advice()));
      };
      this.#onFrame = (frame) => {
        clearTimeout(timer);
        if (frame.words[0] === "ready") resolve(frame);
        else reject(new RemoteRefusal(name, new TextDecoder().decode(frame.bytes)));
      };
      this.#booted = () => this.#channel.write(`${script}${BOOT_END}\n${quoteWords([nonce, ...settings])}\n`);
      if (this.#ended !== undefined) this.#onEnd(this.#ended);
      else this.#channel.write(BOOT);
    });
  }

  /** Sends a line and the blocks that follow it. */
  send(line: string, ...blocks: readonly Uint8Array[]): void {
    this.#channel.write(blocks.length === 0 ? `${line}\n` : Buffer.concat([Buffer.from(`${line}\n`), ...blocks]));
  }

  /** Sets the listeners for frames and for the end. The latter is called at once if the shell has already ended. */
  listen(onFrame: (frame: Frame) => void, onEnd: (why: EndReason) => void): void {
    this.#onFrame = onFrame;
    this.#onEnd = onEnd;
    if (this.#ended !== undefined) onEnd(this.#ended);
  }

  /** Resolves when the remote shell has exited; after `timeoutMs` the channel is closed. */
  ended(timeoutMs: number): Promise<void> {
    if (this.#ended !== undefined) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.destroy(), timeoutMs);
      this.#onGone = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** Sends end of file. */
  end(): void {
    this.#channel.end();
  }

  destroy(): void {
    this.#channel.destroy();
  }

  #take(bytes: Uint8Array): void {
    if (this.#greeting === undefined) {
      this.#frames.push(bytes);
      return;
    }
    // A login shell may print a greeting first.
    const all = Buffer.concat([this.#greeting, bytes]);
    const at = all.indexOf(`${BOOT_LINE}\n`);
    this.#greeting = all;
    if (at !== -1) {
      this.#greeting = undefined;
      this.#booted();
      this.#frames.push(all.subarray(at + BOOT_LINE.length + 1));
    } else if (all.length > MAX_GREETING_BYTES) {
      this.#finish(`it did not answer like a shell: ${all.toString("utf8", 0, 200)}`);
      this.#channel.destroy();
    }
  }

  #finish(why: EndReason): void {
    if (this.#ended !== undefined) return;
    this.#ended = why;
    this.#onEnd?.(why);
    this.#onGone();
  }
}

/** The remote shell answered that it cannot serve. Callers outside of this backend see `BACKEND_UNAVAILABLE`. */
export class RemoteRefusal extends HaftError {
  constructor(name: string, why: string) {
    const isDirectory = why.startsWith("cannot enter the directory");
    const { code, message, details } = unavailable(
      name,
      why,
      isDirectory ? "Name a directory that exists there, then try again." : undefined,
    );
    super(code, message, { details });
  }
}

/** @param why - An error that has the cause is returned as it is. */
export function unavailable(name: string, why: EndReason, advice = "Check that it runs, then try again."): HaftError {
  if (typeof why !== "string") return why;
  const sentence = /[.!?]$/.test(why) ? why : `${why}.`;
  return new HaftError("BACKEND_UNAVAILABLE", `Could not reach "${name}": ${sentence} ${advice}`, {
    details: { backend: name, why },
  });
}
