/** The tools of an agent: the descriptors that a model is shown, and the runner of its calls. */
import { nearestNames } from "../text/index.js";
import { cancelledBeforeStart, ended, resultOfThrown } from "./call-run.js";
import { isRecord } from "./coerce.js";
import type { HostContext } from "./context.js";
import { DEFAULT_DEADLINE_MS } from "./deadline.js";
import { explain } from "./define-tool.js";
import { HaftError } from "./errors.js";
import { bareFailure } from "./outcome.js";
import { type Explanation, refuseCall } from "./pipeline.js";
import { fail } from "./result.js";
import type { Approver, Clock } from "./services.js";
import { shownName } from "./shown-name.js";
import type { DefinedTool, ToolCall, ToolDescriptor } from "./tool.js";
import type { CallEvent } from "./tool-event.js";
import type { ToolOutcome } from "./tool-outcome.js";
import { withTimeout } from "./with-timeout.js";

/** Called once for each dispatch. A box with a clock waits `DEFAULT_DEADLINE_MS` for it. */
export type ContextFactory = () => HostContext | PromiseLike<HostContext>;

/** Options of a box. */
export interface ToolBoxOptions {
  /** Bounds the wait for a context: after `DEFAULT_DEADLINE_MS` the call ends as timed out. Absent: only a cancel ends that wait. */
  readonly clock?: Pick<Clock, "timer">;
}

/** Options of one call. */
export interface RunOptions {
  /** Cancels the call: what it started ends, and the outcome says cancelled. */
  readonly signal?: AbortSignal;
  /** Progress of this call. */
  readonly onEvent?: (event: CallEvent) => void;
  /** Asked instead of the host's approver, about this call only: for a host that has asked its user already. */
  readonly approver?: Approver;
}

/** What tools return, by the name that is called. */
export type DataByTool<Tools extends readonly DefinedTool[]> = {
  readonly [One in Tools[number] as One["name"]]: One extends DefinedTool<string, infer Data> ? Data : never;
};

/** The outcome of a call by its name. For several names it is a union, discriminated by `tool`. */
export type OutcomeOf<Tools extends object, Name extends keyof Tools> = Name extends string
  ? ToolOutcome<Name, Tools[Name]>
  : never;

/** Runs calls, each in a context of its own. With `Tools`, the outcome of a call of a literal name has the data of that tool. */
export interface ToolRunner<Tools extends object = object> {
  /**
   * Runs one call. An unknown name is an outcome too. Never rejects, except for a hard cancel in a dialect with
   * `hardCancelRejects`. If no context is created within `DEFAULT_DEADLINE_MS`, the outcome has `audit: ""`.
   */
  run<Name extends keyof Tools & string>(
    call: ToolCall<Name>,
    options?: RunOptions | null,
  ): Promise<OutcomeOf<Tools, Name>>;
  run(call: ToolCall, options?: RunOptions | null): Promise<ToolOutcome>;
}

/** The tools of one collection, ready for a model. */
export interface ToolBox<Tools extends object = object> {
  /** The descriptors, in order. With several `targets`, each tool also has the parameter `on`. */
  descriptors(targets?: readonly string[]): ToolDescriptor[];
  readonly runner: ToolRunner<Tools>;
  /** What the descriptors do not hold, in their order: hints for users and clients. */
  readonly tools: readonly Pick<DefinedTool, "name" | "effect" | "annotations">[];
  /**
   * What a call would touch and how policy decides, without running it; undefined for an unknown name.
   * @throws `CALL_TIMEOUT` when the box has a clock and there is no context within `DEFAULT_DEADLINE_MS`; else what the factory throws.
   */
  explain(call: ToolCall): Promise<Explanation | undefined>;
}

/** Makes a box of exactly these tools. `factory` is called once for each dispatch. */
export function createToolBox<const Tools extends readonly DefinedTool[]>(
  tools: Tools,
  factory: ContextFactory,
  options?: ToolBoxOptions,
): ToolBox<DataByTool<Tools>>;
export function createToolBox(
  tools: readonly DefinedTool[],
  factory: ContextFactory,
  { clock }: ToolBoxOptions = {},
): ToolBox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    descriptors: (targets = []) => tools.map((tool) => tool.descriptor(targets)),
    tools: tools.map(({ name, effect, annotations }) => ({ name, effect, annotations })),
    runner: {
      async run(received: ToolCall, options?: RunOptions | null) {
        const problem = callProblem(received);
        const call = problem === undefined ? received : answerable(received);
        const begun = await contextFor(call, factory, clock, options ?? {});
        if ("outcome" in begun) return begun.outcome;
        if (problem !== undefined) return refuseInvalid(call, begun.context, problem);
        const tool = byName.get(call.name);
        return tool === undefined ? refuseUnknown(call, begun.context, tools) : tool.invoke(call, begun.context);
      },
    },
    async explain(call) {
      const tool = byName.get(call.name);
      if (tool === undefined) return undefined;
      const context = await made(factory, clock, undefined, (): never => {
        throw new HaftError("CALL_TIMEOUT", `Did not explain \`${tool.name}\`: ${NO_CONTEXT}.`);
      });
      return explain(tool, call, context);
    },
  };
}

/** Why a call is invalid, as a clause: hosts pass on what a model sent, which may be incomplete. */
function callProblem(call: unknown): string | undefined {
  if (!isRecord(call)) return "a call must be an object with `id`, `name` and `input`";
  if (typeof call.name !== "string") return "`name` must be a string";
  return typeof (call.id ?? "") === "string" ? undefined : "`id` must be a string";
}

/** The call that an invalid one is audited and answered as. */
function answerable(call: Partial<ToolCall> | null | undefined): ToolCall {
  const text = (value: unknown) => (typeof value === "string" || typeof value === "number" ? String(value) : "");
  return { id: text(call?.id), name: text(call?.name), input: call?.input };
}

function refuseInvalid(call: ToolCall, context: HostContext, problem: string): Promise<ToolOutcome> {
  const name = shownName(call.name);
  const message = `Did not run ${name === "" ? "the call" : `\`${name}\``}: ${problem}.`;
  const result = fail("CALL_INVALID", message, { details: { problem } });
  return refuseCall(nameOnly(name), call, context, () => ended("invalid", result));
}

const NO_CONTEXT = `the host did not create a context within ${DEFAULT_DEADLINE_MS} ms. Try again, or restart the host`;

/** The context of one dispatch. Without it there is no host to audit the call or to render its result. */
async function contextFor(
  call: ToolCall,
  factory: ContextFactory,
  clock: Pick<Clock, "timer"> | undefined,
  options: RunOptions,
): Promise<{ readonly context: HostContext } | { readonly outcome: ToolOutcome }> {
  try {
    const { onEvent, approver } = options;
    const signal = options.signal ?? undefined;
    if (signal !== undefined && !isSignal(signal)) {
      const problem = "`signal` is not an AbortSignal; pass the `signal` of an AbortController";
      const message = `Did not run \`${shownName(call.name)}\`: ${problem}.`;
      const details = { parameter: "signal", problem };
      return { outcome: bareFailure(call, fail("CALL_INVALID", message, { details }), "invalid") };
    }
    // A cancelled call is audited too, if there is a context for that.
    const context = await made(factory, clock, signal, (why) => why);
    if (context === "cancelled")
      return { outcome: bareFailure(call, cancelledBeforeStart(shownName(call.name)).result, "cancelled") };
    if (context === "late") {
      const message = `Did not run \`${shownName(call.name)}\`: ${NO_CONTEXT}.`;
      return { outcome: bareFailure(call, fail("CALL_TIMEOUT", message), "timed-out") };
    }
    const cancellable = signal === undefined ? context : context.withCancel(signal);
    const own = { ...(onEvent === undefined ? {} : { onEvent }), ...(approver === undefined ? {} : { approver }) };
    return { context: Object.keys(own).length === 0 ? cancellable : { ...cancellable, ...own } };
  } catch (thrown) {
    return { outcome: bareFailure(call, resultOfThrown(thrown, shownName(call.name))) };
  }
}

/** Checks members, not the class: a polyfill or another realm has an AbortSignal class of its own. */
function isSignal(value: unknown): value is AbortSignal {
  if (!isRecord(value)) return false;
  const { aborted, addEventListener, removeEventListener } = value;
  return (
    typeof aborted === "boolean" && typeof addEventListener === "function" && typeof removeEventListener === "function"
  );
}

/** The context of the factory, or the result of `otherwise` on a timeout. */
function made<T>(
  factory: ContextFactory,
  clock: Pick<Clock, "timer"> | undefined,
  signal: AbortSignal | undefined,
  otherwise: (why: "late" | "cancelled") => T,
): Promise<HostContext | T> {
  return withTimeout<HostContext | T>({ clock: clock ?? UNTIMED, ms: DEFAULT_DEADLINE_MS, signal }, factory, otherwise);
}

/** For a box without a clock: timers never fire. */
const UNTIMED: Pick<Clock, "timer"> = Object.freeze({ timer: () => () => {} });

/** A placeholder for an unknown tool, so that its call is audited like any other. */
function refuseUnknown(call: ToolCall, context: HostContext, tools: readonly DefinedTool[]): Promise<ToolOutcome> {
  const name = shownName(call.name);
  return refuseCall(nameOnly(name), call, context, () => {
    const nearest = nearestNames(
      name,
      tools.map((tool) => tool.name),
      3,
    );
    const dialect = context.dialect ?? tools[0]?.dialect;
    const message = dialect?.unknownTool(name, nearest) ?? `This session exposes no tool called "${name}".`;
    return ended("unknown-tool", fail("CALL_UNKNOWN_TOOL", message, { details: { name, nearest } }));
  });
}

function nameOnly(name: string): DefinedTool {
  return { name, effect: "none", body: { name, limits: {} } } as DefinedTool;
}
