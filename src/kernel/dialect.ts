/** How a toolset is presented: names, schemas, limits and texts, as data and pure functions. No other code branches on a dialect. */
import type { OutputBudget } from "./output.js";
import type { ContentBlock, ToolResult, Truncation } from "./result.js";
import type { JsonSchema } from "./schema.js";
import type { ToolOutcome } from "./tool-outcome.js";

/** The result of `decode`: the tool's canonical input, or the problem in one sentence. */
export type Decoded<Input, Limits> =
  | { readonly input: Input; readonly limits?: Partial<Limits>; readonly notes?: readonly string[] }
  | {
      readonly problem: string;
      readonly parameter?: string;
      /** `parameter` was not sent. */
      readonly missing?: boolean;
    };

/** Context for rendering a result. */
export interface RenderContext {
  /** The arguments after repair, by the dialect's parameter names. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly budget: OutputBudget;
  readonly cwd: string;
  /** The name of the backend of the call. */
  readonly backend?: string;
  /** Notes on repaired arguments, and those of `decode`. */
  readonly notes: readonly string[];
  readonly tool: string;
}

/** The content blocks for the model, before the pipeline enforces the output budget. */
export interface Rendered {
  readonly content: readonly ContentBlock[];
  readonly truncations?: readonly Truncation[];
  /** The presenter truncated the text before the tool's own truncation, whose continuation hint is then omitted from the outcome. */
  readonly truncatedByPresenter?: boolean;
  /** The text already fits its budget, including the notice; the pipeline does not truncate it. */
  readonly clamped?: boolean;
  /** `false`: a call that did not run is not reported as an error. Default: every status except "ok" is an error. */
  readonly isError?: false;
}

/** One tool in one dialect. */
export interface ToolPresenter<Input = never, Data = unknown, Limits = unknown> {
  readonly name: string;
  /** Default: the tool's own. */
  readonly description?: string;
  /** Default: the tool's own schema. */
  readonly parameters?: JsonSchema;
  /** Alternative parameter names that models use: alias → parameter. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The parameter that receives input that is plain text instead of JSON. Only for tools that do not write, unless an existing protocol requires it. */
  readonly bareString?: string;
  /** Path parameters; a `file:` URL in one of them is converted to a path. */
  readonly paths?: readonly string[];
  /** Optional parameters whose empty value (`""`, `[]`, `{}`) is meaningful. Other empty parameters are treated as absent. */
  readonly acceptsEmpty?: readonly string[];
  /** Optional parameters that are conditions of the call: an empty one is refused, because the call would run without it. Null means absent. */
  readonly preconditions?: readonly string[];
  /** For parameters with an `enum`: what an unknown value stands for. Default: it is refused. */
  readonly unknownValues?: Readonly<Record<string, string>>;
  /** Override the tool's own limits. */
  readonly limits?: Partial<Limits>;
  decode(args: Readonly<Record<string, unknown>>): Decoded<Input, Limits>;
  /** Renders every possible result, including failures of the pipeline (see `code`). Never throws. */
  render(result: ToolResult<Data>, about: RenderContext): Rendered;
}

/** A presenter with erased input and data types, for registries. */
// biome-ignore lint/suspicious/noExplicitAny: a presenter is contravariant in what it decodes to and renders from; only its own tool calls it.
export type AnyPresenter = ToolPresenter<any, any, any>;

/** A presentation of the tools: names, schemas, limits, texts and the envelope of an outcome. */
export interface Dialect {
  readonly name: string;
  /** Canonical tool name → presenter, in the order of registration. */
  readonly tools: Readonly<Record<string, AnyPresenter>>;
  /** Collection → advertised tool names, in order. `all` is always every registered tool. Unregistered names are omitted. */
  readonly collections: Readonly<Record<string, readonly string[]>>;
  /** The policy that a toolkit of this dialect has unless it is given one: "zeroclaw". Absent: Haft's own. */
  readonly policyPreset?: string;
  /** What to do with a parameter that is not in the schema and is not a recognizable misspelling. */
  readonly unknownParameter: "refuse" | "ignore";
  /** The text for a call of an unknown tool; `nearest` lists similar names. */
  unknownTool(name: string, nearest: readonly string[]): string;
  /** The notice for the model when the pipeline truncated an answer that no presenter rendered. Absent: only `truncations` reports it. */
  truncationNote?(truncation: Truncation): string;
  /**
   * One sentence on how to read a stored artifact, with the tool and parameter names of this dialect. Absent: only the
   * artifact's id is shown.
   */
  artifactHint?(id: string): string;
  /** A cancel whose reason has `hard: true` makes `invoke` reject with that reason instead of returning an outcome. Default false. */
  readonly hardCancelRejects?: boolean;
  /** Converts an outcome to the shape that hosts of this dialect expect. */
  envelope(outcome: ToolOutcome): unknown;
}
