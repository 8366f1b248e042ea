/** How a tool is defined, and what the rest of Haft sees of it. */
import type { ClaimContext, ClaimsOutcome, HostContext, ToolContext } from "./context.js";
import type { AnyPresenter, Dialect } from "./dialect.js";
import type { ToolOutcome, ToolResult } from "./result.js";
import type { InferInput, InputSchema, JsonSchema } from "./schema.js";

/** One request of a model. `resume` carries the token of an approval that has been granted meanwhile. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  readonly resume?: string;
}

/** What a model is shown. */
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
  /** The tool may destroy what was there before. */
  readonly destructive?: boolean;
  /** Calling it again with the same arguments changes nothing more. */
  readonly idempotent?: boolean;
  /** It reaches beyond this machine. */
  readonly openWorld?: boolean;
}

interface ToolCore<Input, Data, Limits> {
  /** `[A-Za-z][A-Za-z0-9_-]*`, at most 64 characters; a tool of another server is `server__tool`. */
  readonly name: string;
  readonly description: string;
  /** Named bounds that a dialect may set otherwise; they reach `run` as `ctx.limits`. */
  readonly limits?: Limits;
  /** Milliseconds until the call is ended, from the start of `run`. Default 30,000. */
  readonly deadlineMs?: number | ((input: Input, limits: Limits) => number);
  readonly annotations?: ToolAnnotations;
  run(input: Input, ctx: ToolContext<Limits>): Promise<ToolResult<Data>> | ToolResult<Data>;
  /**
   * The change that the call would make, for the user who is asked about it. It may only read, within 5 s. Called only for the
   * host's own tools (`HostServices.isOwnTool`), because it runs before anybody has allowed the call.
   */
  preview?(input: Input, ctx: ToolContext<Limits>): Promise<FileChange | undefined>;
}

/** A change of one file that has not been made. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  /** A unified diff. */
  readonly diff: string;
}

type WithSchema<S> =
  | { readonly input: S; readonly parameters?: never }
  | { readonly parameters: S; readonly input?: never };

/** A tool that touches the world says beforehand what it will touch; one that does not gets ports that refuse everything. */
type WithClaims<Input, Limits> =
  | { readonly effect?: "none"; readonly claims?: never }
  | {
      readonly effect: "read" | "write";
      claims(input: Input, context: ClaimContext<Limits>): Promise<ClaimsOutcome> | ClaimsOutcome;
    };

/** What `defineTool` takes. `input` and `parameters` are two names of one thing. */
export type ToolSpec<S extends InputSchema, Data, Limits> = ToolCore<InferInput<S>, Data, Limits> &
  WithSchema<S> &
  WithClaims<InferInput<S>, Limits>;

/** What the seeds' higher layer takes: text blocks as strings. */
export interface FacadeOutput {
  readonly content: readonly string[];
  readonly details: unknown;
  readonly isError: boolean;
}

/** The inside of a tool that the pipeline works with. */
export interface ToolBody {
  /** The canonical name; the presenter may advertise another. */
  readonly name: string;
  readonly effect: Effect;
  readonly schema: InputSchema;
  readonly limits: unknown;
  readonly annotations: ToolAnnotations;
  deadlineMs(input: unknown, limits: unknown): number;
  claims?(input: unknown, context: ClaimContext): Promise<ClaimsOutcome> | ClaimsOutcome;
  run(input: unknown, ctx: ToolContext): Promise<ToolResult> | ToolResult;
  preview?(input: unknown, ctx: ToolContext): Promise<FileChange | undefined>;
}

/** A tool ready to register. One instance may stand in any number of registries. */
export interface DefinedTool {
  readonly name: string;
  /** For users; the name unless the annotations give a title. */
  readonly label: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  readonly effect: Effect;
  readonly annotations: ToolAnnotations;
  readonly body: ToolBody;
  readonly presenter?: AnyPresenter;
  readonly dialect?: Dialect;
  descriptor(): ToolDescriptor;
  /** The whole pipeline, in a context that the host made. Never rejects. */
  invoke(call: ToolCall, context: HostContext): Promise<ToolOutcome>;
  /** The same call for a caller that has no envelope: text blocks as strings. */
  execute(input: unknown, context: HostContext): Promise<FacadeOutput>;
}
