/** Sends one file operation: the path is checked against the grant here, and its real path on the remote side in the step that performs it. */

import { requireNoProcessSecret } from "../../../host/index.js";
import {
  AbortHub,
  type Access,
  type Binding,
  covers,
  type FsOperation,
  HaftError,
  includesPath,
  isWithin,
  requireAuthorized,
  requireCovered,
  requireLive,
  requirePath,
} from "../../../kernel/index.js";
import { posixQuote } from "../../../text/index.js";
import type { BulkPool } from "../channel/bulk-pool.js";
import type { Frame } from "../channel/frames.js";
import type { OperationDeadline } from "./deadline.js";
import { remoteFsFault } from "./faults.js";

/** One path that an operation touches. */
interface RemoteTouch {
  readonly path: string;
  readonly access: Access;
}

interface GuardedOperation {
  readonly fsOperation: FsOperation;
  readonly operation: string;
  readonly touches: readonly RemoteTouch[];
  /** The words of the request. `allowed` holds, for each touch, the real paths that the remote side may use. */
  words(allowed: readonly string[]): readonly string[];
  readonly data?: Uint8Array;
  readonly changes?: boolean;
  /** Maps error words that are specific to this operation. */
  fault?(code: string, note: string): HaftError | undefined;
}

/** How often an operation is sent again because a symlink in its path has changed. */
const MAX_SYMLINK_CHANGES = 20;

export class FsGuard {
  readonly bulk: BulkPool;
  readonly bound: Binding | undefined;
  /** One listener on the signal of the call, for all its operations. */
  readonly callEnds: AbortHub | undefined;
  /** Real paths that were authorized, by access and requested path, so that each is authorized once per call. */
  readonly #authorized = new Map<string, Set<string>>();

  constructor(bulk: BulkPool, bound?: Binding) {
    this.bulk = bulk;
    this.bound = bound;
    this.callEnds = bound && new AbortHub(bound.call.signal);
  }

  /**
   * Sends the operation. Where a path resolves to another place, that place is authorized and the operation is sent again.
   * The remote side only uses real paths that it was given, even when symlinks change meanwhile.
   *
   * @throws What ends the deadline; with `details.began` "unknown" when the change was sent, and may have happened.
   */
  async run(deadline: OperationDeadline, act: GuardedOperation): Promise<Frame> {
    const { fsOperation, touches } = act;
    this.requireTouches(fsOperation, touches);
    const options = { signal: deadline.signal, ...(act.data === undefined ? {} : { data: act.data }) };
    for (let moves = 0; moves < MAX_SYMLINK_CHANGES; moves += 1) {
      const words = act.words(touches.map((touch) => this.#allowed(touch)));
      const changes = act.changes === true;
      let wasSent = false;
      const onSend = (): void => {
        wasSent = true;
      };
      const request = this.bulk.request(act.operation, words, { ...options, changes, onSend });
      const frame = await deadline.race(request, () => changes && wasSent);
      const [what, code = "", which] = frame.words;
      if (what !== "fail") return frame;
      const note = new TextDecoder().decode(frame.bytes);
      const touch = touches[which === "2" ? 1 : 0] as RemoteTouch;
      if (code === "changed") continue;
      if (code !== "moved") throw act.fault?.(code, note) ?? remoteFsFault(code, note, fsOperation, touch.path);
      await deadline.race(this.#authorize(touch, note));
    }
    throw new HaftError(
      "FS_IO",
      `Did not ${fsOperation[0]} "${touches[0]?.path}": its symlinks keep changing. Try again.`,
      {
        details: { path: touches[0]?.path },
      },
    );
  }

  /** Compares the paths with the grant. @throws `CALL_UNCLAIMED`, and for what is not a path or never readable. */
  requireTouches(fsOperation: FsOperation, touches: readonly RemoteTouch[]): void {
    for (const { path, access } of touches) {
      requirePath(fsOperation, path);
      if (access === "read") requireNoProcessSecret(path, path, fsOperation[0]);
    }
    if (this.bound !== undefined)
      for (const { path, access } of touches) requireCovered(this.bound.grant, path, access);
  }

  /** Whether the target of a symlink may be reported without asking policy. */
  reaches(asked: string, real: string): boolean {
    if (this.bound === undefined) return true;
    const { grant } = this.bound;
    return (
      covers(grant, real, "read") || grant.symlinkTargets.some((pair) => pair.asked === asked && pair.real === real)
    );
  }

  /**
   * Whether the grant also covers everything below the path, at each real path that it may resolve to.
   * @param excepted - "skipped": the operation skips what the grant excepts, so exceptions do not matter.
   */
  coversTree({ path, access }: RemoteTouch, excepted?: "skipped"): boolean {
    if (this.bound === undefined) return true;
    const { grant } = this.bound;
    const places = [path, ...this.#places({ path, access })];
    return places.every(
      (place) =>
        (excepted === "skipped" || !grant.except.some((directory) => isWithin(place, directory))) &&
        grant.files.some(
          (one) => one.scope === "tree" && includesPath(grant, one, place) && one.access.includes(access),
        ),
    );
  }

  /** @throws `CALL_UNCLAIMED` if the grant excepts something below the path. */
  requireNothingExcepted(path: string, access: Access): void {
    const inside = this.bound?.grant.except.find((directory) => isWithin(path, directory));
    if (this.bound !== undefined && inside !== undefined) requireCovered(this.bound.grant, inside, access);
  }

  /** Whether no other real path is known for the path. */
  isPlain(touch: RemoteTouch): boolean {
    return this.#places(touch).length === 0;
  }

  /** The real paths that the path may have, as far as they are authorized. */
  realPaths(touch: RemoteTouch): readonly string[] {
    return this.#places(touch);
  }

  async #authorize(touch: RemoteTouch, real: string): Promise<void> {
    const { grant, call } = this.bound as Binding;
    if (touch.access === "read") requireNoProcessSecret(touch.path, real, "read");
    await requireAuthorized(grant, call, touch.path, real, touch.access);
    requireLive(call);
    const key = `${touch.access} ${touch.path}`;
    this.#authorized.set(key, (this.#authorized.get(key) ?? new Set()).add(real));
  }

  #allowed(touch: RemoteTouch): string {
    if (this.bound === undefined) return "*";
    return this.#places(touch).map(posixQuote).join(" ");
  }

  #places({ path, access }: RemoteTouch): readonly string[] {
    const approved =
      this.bound?.grant.symlinkTargets.filter((pair) => pair.asked === path).map((pair) => pair.real) ?? [];
    return [...approved, ...(this.#authorized.get(`${access} ${path}`) ?? [])];
  }
}
