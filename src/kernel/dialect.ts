/** How a toolset is presented: names, schemas, limits, texts. Data plus pure functions; nothing else branches on a dialect. */
import type { OutputBudget } from "./output.js";
import type { ContentBlock, ToolOutcome, ToolResult, Truncation } from "./result.js";
import type { JsonSchema } from "./schema.js";

/** What `decode` makes of validated arguments: the tool's canonical input, or the problem in one sentence. */
export type Decoded<Input, Limits> =
  | { readonly input: Input; readonly limits?: Partial<Limits>; readonly notes?: readonly string[] }
  | { readonly problem: string; readonly parameter?: string };

/** What a presenter knows of the call while it renders. */
export interface RenderContext {
  /** The arguments after repair, in the dialect's own words. */
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly budget: OutputBudget;
  readonly cwd: string;
  /** The backend that the call was for, by name. */
  readonly backend?: string;
  /** What was repaired in the arguments, and the notes of `decode`. */
  readonly notes: readonly string[];
  readonly tool: string;
}

/** The blocks that the model will read, before the clamp. */
export interface Rendered {
  readonly content: readonly ContentBlock[];
  readonly truncations?: readonly Truncation[];
  /** The text ends before the tool's own cut: how that one continues is no longer what to do next, and is omitted from the outcome. */
  readonly truncatedByPresenter?: boolean;
  /** The text already keeps to its own budget, notice included; the pipeline's clamp leaves it alone. */
  readonly clamped?: boolean;
  /** false: the outcome of a call that was not carried out counts as an ordinary answer. Default: only an "ok" is none. */
  readonly isError?: false;
}

/** One tool in one dialect. */
export interface ToolPresenter<Input = never, Data = unknown, Limits = unknown> {
  readonly name: string;
  /** Default: the tool's own. */
  readonly description?: string;
  /** Default: the tool's own schema. */
  readonly parameters?: JsonSchema;
  /** Other spellings that models use: alias → parameter. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The parameter that text which does not begin like JSON stands for. A tool that acts has none, unless a seed demands it. */
  readonly bareString?: string;
  /** The parameters that are paths: a `file:` URL in one of them is taken as the path that it names. */
  readonly paths?: readonly string[];
  /** The optional parameters whose empty value (`""`, `[]`, `{}`) says something. Any other one is absent when it is empty. */
  readonly acceptsEmpty?: readonly string[];
  /** Laid over the tool's own limits. */
  readonly limits?: Partial<Limits>;
  decode(args: Readonly<Record<string, unknown>>): Decoded<Input, Limits>;
  /** Renders every way the call can end, failures of the pipeline included (see `code`). Never throws. */
  render(result: ToolResult<Data>, about: RenderContext): Rendered;
}

/** A presenter whose input and data are not known here; registries hold these. */
// biome-ignore lint/suspicious/noExplicitAny: a presenter is contravariant in what it decodes to and renders from; only its own tool calls it.
export type AnyPresenter = ToolPresenter<any, any, any>;

/** One way to present the tools: names, schemas, limits, texts and the envelope of an outcome. */
export interface Dialect {
  readonly name: string;
  /** Canonical tool name → presenter, in the order of registration. */
  readonly tools: Readonly<Record<string, AnyPresenter>>;
  /** Collection → advertised names, in order. `all` is always every registered tool. Names of tools that do not exist yet are omitted. */
  readonly collections: Readonly<Record<string, readonly string[]>>;
  /** What happens to a parameter that the schema does not know and that is no misspelling. */
  readonly unknownParameter: "refuse" | "ignore";
  /** The text for a call of a tool that the box does not have. */
  unknownTool(name: string, nearest: readonly string[]): string;
  /** What is reported to the model when the pipeline had to cut an answer that no presenter rendered. Absent: only `cuts` tells it. */
  truncationNote?(truncation: Truncation): string;
  /**
   * How a model that is shown this dialect reads a kept artifact, as one sentence with the names of its own tool and parameter.
   * Absent: only the artifact is named.
   */
  artifactHint?(id: string): string;
  /** A cancel whose reason has `hard: true` makes `invoke` reject with that reason instead of giving an outcome. Default false. */
  readonly hardCancelRejects?: boolean;
  /** The shape that this dialect's hosts expect of an outcome. */
  envelope(outcome: ToolOutcome): unknown;
}
