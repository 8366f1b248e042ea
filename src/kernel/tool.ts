/** The definition of a tool, and its form for the rest of Haft. */
import type { ClaimContext, ClaimsOutcome, HostContext, ToolContext } from "./context.js";
import type { AnyPresenter, Dialect } from "./dialect.js";
import type { ToolResult } from "./result.js";
import type { Schedule } from "./schedules.js";
import type { InferInput, InputSchema, JsonSchema } from "./schema.js";
import type { PathChange, SchedulePreview } from "./services.js";
import type { ToolOutcome } from "./tool-outcome.js";

/** One request of a model. `resume` carries the token of an approval that has been granted meanwhile. */
export interface ToolCall<Name extends string = string> {
  readonly id: string;
  readonly name: Name;
  readonly input: unknown;
  readonly resume?: string;
}

/** The description of a tool for a model. */
export interface ToolDescriptor {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

/** none: pure, or only session state. read: reads from outside the session, changes nothing. write: changes something. */
export type Effect = "none" | "read" | "write";

/** Hints for users and clients; no decision depends on them. */
export interface ToolAnnotations {
  readonly title?: string;
  /** The tool may destroy existing data. */
  readonly destructive?: boolean;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean;
  /** It accesses the network or other machines. */
  readonly openWorld?: boolean;
}

interface ToolCore<Name extends string, Input, Data, Limits> {
  /** `[A-Za-z][A-Za-z0-9_-]*`, at most 64 characters; a tool of another server is `server__tool`. */
  readonly name: Name;
  readonly description: string;
  /** Limits that a dialect may override; `run` gets them as `ctx.limits`. */
  readonly limits?: Limits;
  /** Milliseconds until the call is ended, from the start of `run`. Default 30,000. */
  readonly deadlineMs?: number | ((input: Input, limits: Limits) => number);
  readonly annotations?: ToolAnnotations;
  /**
   * A parameter by which a call chooses another target that it reads files from, as `on` chooses the one that it runs on; absent in a
   * call, it is the same. It is not part of the schema. `claims` and `run` get that target as `source` of their context.
   */
  readonly sourceParameter?: SourceParameter;
  run(input: Input, ctx: ToolContext<Limits>): Promise<ToolResult<Data>> | ToolResult<Data>;
  /**
   * The change that the call would make, or the schedule of the command that it claims, for the user who is asked about it. It may
   * only read, within 5 seconds. Called only for the host's own tools (`HostServices.isOwnTool`), because it runs before anybody has
   * allowed the call.
   */
  preview?(input: Input, ctx: ToolContext<Limits>): Promise<CallPreview | undefined>;
  /**
   * What the call depends on that its arguments do not say: what the user approves holds only while that is so. A failure ends the
   * call before anybody is asked. Called as `preview`, where policy asks, and again before `run`.
   */
  basis?(input: Input, ctx: ToolContext<Limits>): Promise<CallBasis | ToolResult<never>>;
}

/** See `ToolSpec.basis`. */
export interface CallBasis {
  /** Milliseconds, by the clock of the state: what the arguments count from now, counts from the first question. */
  readonly nowMs: number;
  /** The schedule that the call would change. Absent: none. */
  readonly schedule?: Schedule;
}

/** See `ToolSpec.preview`. */
export type CallPreview = FileChange | PathChange | SchedulePreview;

/** See `ToolSpec.sourceParameter`. */
export interface SourceParameter {
  readonly name: string;
  readonly description: string;
}

/** A change of one file that has not been made. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** The whole text of the file before and after: the diff is made anew where a redactor changes either. */
  readonly before: string;
  readonly after: string;
  /** A unified diff. */
  readonly diff: string;
}

type WithSchema<S> =
  | { readonly input: S; readonly parameters?: never }
  | { readonly parameters: S; readonly input?: never };

/** A tool with effects states beforehand what it will touch; without claims its ports refuse everything. */
type WithClaims<Input, Limits> =
  | { readonly effect?: "none"; readonly claims?: never }
  | {
      readonly effect: "read" | "write";
      claims(input: Input, context: ClaimContext<Limits>): Promise<ClaimsOutcome> | ClaimsOutcome;
    };

/** The argument of `defineTool`. `input` and `parameters` are aliases. */
export type ToolSpec<S extends InputSchema, Data, Limits, Name extends string = string> = ToolCore<
  Name,
  InferInput<S>,
  Data,
  Limits
> &
  WithSchema<S> &
  WithClaims<InferInput<S>, Limits>;

/** The output format of the imitated systems that take text blocks as strings. */
export interface FacadeOutput {
  readonly content: readonly string[];
  readonly details: unknown;
  readonly isError: boolean;
}

/** The part of a tool that the pipeline uses. */
export interface ToolBody {
  /** The canonical name; the presenter may advertise another. */
  readonly name: string;
  readonly effect: Effect;
  readonly schema: InputSchema;
  readonly limits: unknown;
  readonly annotations: ToolAnnotations;
  readonly sourceParameter?: SourceParameter;
  deadlineMs(input: unknown, limits: unknown): number;
  claims?(input: unknown, context: ClaimContext): Promise<ClaimsOutcome> | ClaimsOutcome;
  run(input: unknown, ctx: ToolContext): Promise<ToolResult> | ToolResult;
  preview?(input: unknown, ctx: ToolContext): Promise<CallPreview | undefined>;
  basis?(input: unknown, ctx: ToolContext): Promise<CallBasis | ToolResult<never>>;
}

/** A tool ready to register. One instance may be in any number of registries. */
export interface DefinedTool<Name extends string = string, Data = unknown> {
  readonly name: Name;
  /** For users; the name unless the annotations give a title. */
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly effect: Effect;
  readonly annotations: ToolAnnotations;
  readonly body: ToolBody;
  readonly presenter?: AnyPresenter;
  readonly dialect?: Dialect;
  /** @param targets - The names of the targets that a call can choose from: with several, there are parameters for that. Default: none. */
  descriptor(targets?: readonly string[]): ToolDescriptor;
  /** Runs the whole pipeline, in a context of the host. Never rejects. */
  invoke(call: ToolCall, context: HostContext): Promise<ToolOutcome<string, Data>>;
  /** As `invoke`, with text blocks as strings instead of an outcome. */
  execute(input: unknown, context: HostContext): Promise<FacadeOutput>;
}
