/** Builds the request for a command: checks it, and sends long commands as a block and long input ahead of it. */
import { setMaxListeners } from "node:events";
import { newNonce } from "../../../host/index.js";
import {
  type Binding,
  commandProblem,
  cwdProblem,
  grantedDirectories,
  requireAuthorizedDirectory,
  type ShellOptions,
} from "../../../kernel/index.js";
import { posixQuote } from "../../../text/index.js";
import { BLOCK_BYTES } from "../channel/bulk-channel.js";
import { stoppedBefore } from "../channel/channel.js";
import type { CommandRequest } from "../channel/command-channel.js";
import type { Frame } from "../channel/frames.js";
import type { RemoteAgent } from "../channel/remote-agent.js";

/** A longer command is sent as a block. */
const MAX_INLINE_BYTES = 1_000;
/** Longer input is staged over a bulk channel, so that other commands do not wait behind it. */
const MAX_INPUT_BLOCK_BYTES = 65_536;

/** Why the command cannot be run by the remote shell, as a clause, or undefined. */
export function refuseCommand(command: string, options: Pick<ShellOptions, "cwd" | "env">): string | undefined {
  const own = Object.keys(options.env ?? {}).find((name) => name.startsWith("hf_"));
  const kept = own === undefined ? undefined : `"${own}" is a variable name that is reserved on the remote side`;
  return commandProblem(command, options) ?? kept;
}

/** Why the remote side did not enter a command's directory, as a clause. */
export function enterProblem(cwd: string, word: string | undefined): string {
  return cwdProblem(cwd, word === "absent" || word === "file" ? word : "closed");
}

/** Why a command did not start whose directory changed each time that it was authorized, as a clause. */
export function directoryChanges(cwd: string): string {
  return `the path "${cwd}" keeps resolving to different directories`;
}

/** Why a command did not start that the remote side could not record. */
export const NO_TRAILER = "the remote side cannot write to its state directory; the disk may be full";

/** The directories that one command may start in. The remote shell compares them with the real path that it has entered. */
export interface StartDirectories {
  /** Quoted for the remote shell; "*" for all. */
  readonly allowed: string;
  /** Authorizes the directory that the remote shell found; the caller then sends the command again. Rejects to refuse it. */
  authorize(frame: Frame): Promise<void>;
}

/** What a call claimed. */
export class Directories implements StartDirectories {
  readonly #binding: Binding | undefined;
  readonly #command: string;
  readonly #cwd: string;
  #authorized: string | undefined;

  constructor(binding: Binding | undefined, command: string, cwd: string) {
    this.#binding = binding;
    this.#command = command;
    this.#cwd = cwd;
  }

  get allowed(): string {
    if (this.#binding === undefined) return "*";
    const granted = grantedDirectories(this.#binding.grant, this.#command, this.#cwd);
    return [...granted, ...(this.#authorized === undefined ? [] : [this.#authorized])].map(posixQuote).join(" ");
  }

  /** @throws `POLICY_DENIED`, `POLICY_APPROVAL_REQUIRED` */
  async authorize({ bytes }: Frame): Promise<void> {
    const real = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    if (this.#binding !== undefined) await requireAuthorizedDirectory(this.#binding, this.#command, this.#cwd, real);
    this.#authorized = real;
  }
}

/** How the input of a command is sent. */
type StagedInput =
  | { readonly goes: "with-the-request" }
  /** `name` is the prefix of its files. */
  | { readonly goes: "ahead"; readonly name: string };

/** The remote side could not store the input of a command, so the command was not started. Not visible outside of this backend. */
export class InputNotStaged extends Error {}

/**
 * Sends input that is too long for a block ahead of its command.
 * @throws `InputNotStaged`; `ChannelLost` once the signal has fired; `BACKEND_UNAVAILABLE`. Nothing of it stays there then.
 */
export async function stageInput(
  remote: RemoteAgent,
  input: Uint8Array | undefined,
  signal: AbortSignal,
): Promise<StagedInput> {
  if (input === undefined || input.length <= MAX_INPUT_BLOCK_BYTES) return { goes: "with-the-request" };
  // Every block adds a listener.
  setMaxListeners(0, signal);
  const name = `input-${newNonce()}`;
  const blocks: ReturnType<RemoteAgent["bulk"]["request"]>[] = [];
  for (let at = 0; at < input.length && !signal.aborted; at += BLOCK_BYTES) {
    const file = `${name}.${String(at / BLOCK_BYTES).padStart(6, "0")}`;
    blocks.push(remote.bulk.request("stage", [file], { data: input.slice(at, at + BLOCK_BYTES), signal }));
  }
  // Until all have settled one of them could still be stored, over another channel.
  const answers = await Promise.allSettled(blocks);
  const isStaged = answers.every((one) => one.status === "fulfilled" && one.value.words[0] === "staged");
  if (isStaged && !signal.aborted) return { goes: "ahead", name };
  remote.bulk.request("unstage", [name]).catch(() => {});
  if (signal.aborted) throw stoppedBefore();
  for (const one of answers) if (one.status === "rejected") throw one.reason;
  throw new InputNotStaged(NO_TRAILER);
}

/** @param extra - Words of the operation that come between the command and the variables. */
export function commandRequest(
  operation: "exec" | "spawn",
  what: {
    readonly id: number;
    readonly tag: string;
    readonly command: string;
    readonly input: StagedInput;
    readonly directories: StartDirectories;
  },
  options: Pick<ShellOptions, "cwd" | "env" | "input">,
  extra: readonly string[],
): CommandRequest {
  const bytes = Buffer.from(what.command);
  const isInline = bytes.length <= MAX_INLINE_BYTES;
  const variables = Object.entries(options.env ?? {}).map(([name, value]) => `${name}=${value}`);
  const { input } = options;
  const staged = what.input.goes === "ahead" ? what.input.name : "";
  const isBlock = input !== undefined && input.length > 0 && what.input.goes === "with-the-request";
  return {
    id: what.id,
    operation,
    words: [
      what.tag,
      options.cwd,
      what.directories.allowed,
      staged,
      isInline ? what.command : "",
      ...extra,
      ...variables,
    ],
    ...(isInline ? {} : { command: bytes }),
    ...(isBlock ? { input } : {}),
  };
}
