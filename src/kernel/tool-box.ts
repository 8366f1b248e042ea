/** What an agent holds: the descriptors a model is shown, and the runner that fulfils its calls. */
import { nearestNames } from "../text/index.js";
import { cancelledUnbegun, ended, resultOfThrown } from "./call-run.js";
import { isRecord } from "./coerce.js";
import type { HostContext, ToolEvent } from "./context.js";
import { explain } from "./define-tool.js";
import { bareFailure } from "./outcome.js";
import { type Explanation, refuseCall } from "./pipeline.js";
import { fail, type ToolOutcome } from "./result.js";
import type { JsonSchema } from "./schema.js";
import { shownName } from "./shown-name.js";
import type { DefinedTool, ToolCall, ToolDescriptor } from "./tool.js";

/** Called once for each dispatch. */
export type ContextFactory = () => HostContext | Promise<HostContext>;

/** How one call is run. */
export interface RunOptions {
  /** Cancels the call: what it started ends, and the outcome says cancelled. */
  readonly signal?: AbortSignal;
  /** Progress of this call. */
  readonly onEvent?: (event: ToolEvent & { readonly callId: string }) => void;
}

/** Fulfils calls, one context each. */
export interface ToolRunner {
  /**
   * Runs one call. An unknown name is an outcome too, and so is a context that could not be made (`audit` is then ""). Never
   * rejects (a hard cancel aside, in a dialect that asks for it).
   */
  run(call: ToolCall, options?: RunOptions): Promise<ToolOutcome>;
}

/** The tools of one collection, ready for a model. */
export interface ToolBox {
  /** What the model is shown, in order. With `targets` of more than one name each tool also takes `on`. */
  descriptors(targets?: readonly string[]): ToolDescriptor[];
  readonly runner: ToolRunner;
  /** What a call would touch and how policy decides, without running it; undefined for an unknown name. */
  explain(call: ToolCall): Promise<Explanation | undefined>;
}

/** Makes a box of exactly these tools. `factory` is called once for each dispatch. */
export function createToolBox(tools: readonly DefinedTool[], factory: ContextFactory): ToolBox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    descriptors: (targets = []) => tools.map((tool) => aimable(tool.descriptor(), targets)),
    runner: {
      async run(call, options = {}) {
        const asked = readCall(call);
        const made = await contextFor(asked, factory, options);
        if ("outcome" in made) return made.outcome;
        const tool = byName.get(asked.name);
        return tool === undefined ? refuseUnknown(asked, made.context, tools) : tool.invoke(asked, made.context);
      },
    },
    async explain(call) {
      const tool = byName.get(call.name);
      return tool === undefined ? undefined : explain(tool, call, await factory());
    },
  };
}

/** What a model sent: it may be of any form, and its parts may be missing or refuse to be read. */
function readCall(call: ToolCall): ToolCall {
  try {
    const { id, name, input, resume } = call ?? {};
    return { id, name, input, ...(resume === undefined ? {} : { resume }) };
  } catch {
    return { id: "", name: "", input: undefined };
  }
}

/** The context of one dispatch. Without it there is no host to record the call or to render its answer. */
async function contextFor(
  call: ToolCall,
  factory: ContextFactory,
  { signal, onEvent }: RunOptions,
): Promise<{ readonly context: HostContext } | { readonly outcome: ToolOutcome }> {
  let stop = () => {};
  const cancelled = new Promise<undefined>((done) => {
    stop = () => done(undefined);
  });
  signal?.addEventListener("abort", stop, { once: true });
  try {
    // A call that is cancelled already is recorded, as long as there is a context to record it in.
    const context = await Promise.race([factory(), cancelled]);
    if (context === undefined && signal?.aborted === true)
      return { outcome: bareFailure(call, cancelledUnbegun(nameOf(call)).result, "cancelled") };
    if (!isRecord(context)) throw new Error("its factory gave no context");
    const cancellable = signal === undefined ? context : context.withCancel(signal);
    return { context: onEvent === undefined ? cancellable : { ...cancellable, onEvent } };
  } catch (thrown) {
    return { outcome: bareFailure(call, resultOfThrown(thrown, nameOf(call))) };
  } finally {
    signal?.removeEventListener("abort", stop);
  }
}

function nameOf(call: ToolCall): string {
  const name: unknown = call.name;
  return typeof name === "string" ? shownName(name) : "";
}

/** A tool that only stands for a name that the box does not have, so that its call is recorded like any other. */
function refuseUnknown(call: ToolCall, context: HostContext, tools: readonly DefinedTool[]): Promise<ToolOutcome> {
  const name = nameOf(call);
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
  const unreachable = () => {
    throw new Error(`"${name}" is not a tool`);
  };
  const body = {
    name,
    effect: "none" as const,
    schema: {},
    limits: {},
    annotations: {},
    deadlineMs: () => 0,
    run: unreachable,
  };
  const shown = { name, label: name, description: "", parameters: {}, effect: "none" as const, annotations: {} };
  return {
    ...shown,
    body,
    descriptor: () => ({ name, description: "", parameters: {} }),
    invoke: unreachable,
    execute: unreachable,
  };
}

/** Adds the choice of the backend where there is one. */
function aimable(descriptor: ToolDescriptor, targets: readonly string[]): ToolDescriptor {
  if (targets.length < 2) return descriptor;
  const on = { type: "string", enum: targets, description: `Where to run. Default "${targets[0]}".` };
  const parameters: JsonSchema = {
    ...descriptor.parameters,
    properties: { ...(descriptor.parameters.properties as object), on },
  };
  return { ...descriptor, parameters };
}
