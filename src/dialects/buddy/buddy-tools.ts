/** The tools of a box in the shape in which buddy's own hosts hold tools: arguments as JSON text, an answer as text, two errors. */
import type { JsonSchema, ToolBox, ToolOutcome } from "../../kernel/index.js";
import { textOfBlocks } from "../rendering.js";
import { executionFailed, invalidArguments } from "./messages.js";

/** An OpenAI-compatible function. */
export interface BuddyDefinition {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

/** Why a call has no answer: the model's arguments, or the execution. Its message begins with "invalid arguments: " or "execution failed: ". */
export class BuddyToolError extends Error {
  readonly kind: "InvalidArguments" | "ExecutionFailed";

  constructor(kind: BuddyToolError["kind"], message: string) {
    super(message);
    this.name = "BuddyToolError";
    this.kind = kind;
  }
}

/** One tool. */
export interface BuddyTool {
  name(): string;
  definition(): BuddyDefinition;
  /**
   * @param args - The arguments as the model sent them, as JSON text.
   * @throws BuddyToolError
   */
  execute(args: string): Promise<string>;
}

/** All tools of a box, in its order. */
export interface BuddyTools {
  definitions(): BuddyDefinition[];
  /** @throws BuddyToolError for an unknown name too. */
  execute(name: string, args: string): Promise<string>;
  readonly tools: readonly BuddyTool[];
}

/**
 * For a host that is written for buddy's tools. Calls go through the whole pipeline of the box.
 *
 *     const toolkit = await createToolkit({ dialect: "buddy", on: "local+tmux" });
 *     const { definitions, execute } = buddyTools(toolkit.box());
 */
export function buddyTools(box: ToolBox): BuddyTools {
  let calls = 0;
  const execute = async (name: string, args: string): Promise<string> =>
    answerOf(await box.runner.run({ id: `buddy-${++calls}`, name, input: args }));
  const tools = box.descriptors().map(({ name, description, parameters }): BuddyTool => {
    const definition: BuddyDefinition = { type: "function", function: { name, description, parameters } };
    return { name: () => name, definition: () => definition, execute: (args) => execute(name, args) };
  });
  return { tools, execute, definitions: () => tools.map((tool) => tool.definition()) };
}

const INVALID = invalidArguments("");
const FAILED = executionFailed("");

/** Tools of a host word their failures themselves. */
function answerOf({ isError, status, content }: ToolOutcome): string {
  const text = textOfBlocks(content);
  if (!isError) return text;
  const isInvalid = status === "invalid";
  const isWorded = text.startsWith(INVALID) || text.startsWith(FAILED);
  const message = isWorded ? text : `${isInvalid ? INVALID : FAILED}${text}`;
  throw new BuddyToolError(message.startsWith(INVALID) ? "InvalidArguments" : "ExecutionFailed", message);
}
