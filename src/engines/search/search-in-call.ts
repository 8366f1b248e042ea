import type { Binding, BoundCall, Clock, Io, WalkQuery } from "../../kernel/index.js";
import {
  type Grant,
  HaftError,
  includesPath,
  isWithin,
  MAX_TIMER_MS,
  type Place,
  requireLive,
} from "../../kernel/index.js";
import type { SearchScope } from "./source.js";

/** Milliseconds of matching between two pauses. */
const PAUSE_EVERY_MS = 25;

/**
 * Runs one search for a call: the signals and time limits of query and call end it, and what the grant excepts is omitted.
 *
 * @param search - Gets the binding that its source judges by; see {@link searchBinding}.
 * @throws `CALL_REVOKED` when the call has ended before; one that ends meanwhile still gets its end record.
 */
export async function* searchInCall<T>(
  bound: Binding,
  clock: Clock,
  query: WalkQuery,
  search: (scope: SearchScope, binding: Binding) => AsyncIterable<T>,
): AsyncGenerator<T, void> {
  const { call } = bound;
  requireLive(call);
  const stop = searchStop(query, call, clock);
  const binding = searchBinding(bound, query.root);
  const workspace = call.workspace === undefined ? {} : { workspace: call.workspace };
  const scope = {
    except: binding.grant.except,
    exceptNames: binding.grant.exceptNames,
    signal: stop.signal,
    pause: stop.pause,
    isPauseDue: stop.isPauseDue,
    ...workspace,
  };
  try {
    yield* search(scope, binding);
  } finally {
    stop.release();
  }
}

/**
 * The binding of one search. If the root is a symlink to another directory, policy is asked once for the whole real tree; if
 * it is allowed, the grant covers that tree, except what the decision excludes: paths, by the real path and by the path below
 * the root, and names. This applies to this search only.
 *
 * A root that the call claimed without its tree is authorized like any other path.
 */
export function searchBinding({ grant, call }: Binding, root: string): Binding {
  const readsTree = (place: Place) =>
    place.scope === "tree" && place.access.includes("read") && includesPath(grant, place, root);
  const trees = grant.files.filter(readsTree);
  if (trees.length === 0) return { grant, call };
  const files = [...grant.files];
  const except = [...grant.except];
  const exceptNames = [...grant.exceptNames];
  const addTree = (tree: Place, excepted: readonly string[]): void => {
    files.push(tree);
    for (const path of excepted) {
      if (path === tree.path || !isWithin(tree.path, path)) continue;
      except.push(path, `${root === "/" ? "" : root}${tree.path === "/" ? path : path.slice(tree.path.length)}`);
    }
  };
  // A pair belongs to the claim that policy decided on: it covers the whole tree only if exactly this path was claimed.
  const isClassifiedWhole = trees.some(({ path }) => path === root);
  const ofRoot = grant.symlinkTargets.filter(({ asked }) => asked === root);
  if (isClassifiedWhole)
    for (const { real } of ofRoot) addTree({ path: real, access: ["read"], scope: "tree" }, except);
  const forSearch: Grant = {
    ...grant,
    files,
    except,
    exceptNames,
    symlinkTargets: isClassifiedWhole
      ? grant.symlinkTargets
      : grant.symlinkTargets.filter((pair) => !ofRoot.includes(pair)),
  };
  return {
    grant: forSearch,
    call: {
      ...call,
      async authorizeRealPath(asked, real) {
        if (asked !== root) return call.authorizeRealPath(asked, real);
        const tree: Place = { ...real, scope: "tree" };
        const decision = await call.authorizeRealPath(asked, tree);
        if (decision.effect === "allow") {
          addTree(tree, [...grant.except, ...decision.grant.except]);
          exceptNames.push(...decision.grant.exceptNames.filter((name) => !exceptNames.includes(name)));
        }
        return decision;
      },
    },
  };
}

/** What ends a search, and lets the end come through. */
interface SearchStop {
  readonly signal: AbortSignal;
  /** Waits for what is due, when `PAUSE_EVERY_MS` have passed since it last did. */
  pause(): Promise<void>;
  isPauseDue(): boolean;
  release(): void;
}

/**
 * One signal for all that ends a search: the query's own, the call's, and both time limits; a time limit gives the reason
 * `CALL_TIMEOUT`. `release` once the search has ended.
 */
export function searchStop(io: Io, call: Pick<BoundCall, "signal" | "deadline">, clock: Clock): SearchStop {
  const controller = new AbortController();
  const limitMs = Math.min(io.timeoutMs ?? Number.POSITIVE_INFINITY, call.deadline - clock.now());
  const onTime = (): void =>
    controller.abort(new HaftError("CALL_TIMEOUT", "The search timed out.", { details: { deadlineMs: limitMs } }));
  const stopTimer = limitMs > MAX_TIMER_MS ? () => {} : clock.timer(Math.max(0, limitMs), onTime);
  const signals = [io.signal, call.signal].filter((one) => one !== undefined);
  const forward = (event: Event): void => controller.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) controller.abort(signal.reason);
    else signal.addEventListener("abort", forward, { once: true });
  }
  let pausedMs = clock.now();
  const isPauseDue = (): boolean => clock.now() - pausedMs >= PAUSE_EVERY_MS;
  return {
    signal: controller.signal,
    isPauseDue,
    async pause() {
      if (!isPauseDue()) return;
      await new Promise<void>((resolve) => void clock.timer(0, resolve));
      pausedMs = clock.now();
    },
    release() {
      stopTimer();
      for (const signal of signals) signal.removeEventListener("abort", forward);
    },
  };
}
