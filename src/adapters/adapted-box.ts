/** What all adapters share: the box that they take, their options, and the run of one call. */
import {
  type Approver,
  type CallEvent,
  callSafely,
  HaftError,
  ignoreRejection,
  requireKnownOptions,
  type ToolBox,
  type ToolCall,
  type ToolOutcome,
} from "../kernel/index.js";

/** A box of tools: of `toolkit.box()`, or any other. */
export type AdaptedBox = Pick<ToolBox, "descriptors" | "runner" | "explain">;

/** Options of every adapter. */
export interface AdapterOptions {
  /** Progress of each call. */
  readonly onEvent?: (event: CallEvent) => void;
  /**
   * The outcome of each call, with the data that no model is shown, before the SDK gets the result. Its `id` is the id of the model's
   * call, or "call-1" and so on where the SDK has none. What it throws is ignored.
   */
  readonly onOutcome?: (outcome: ToolOutcome) => void;
}

export const ADAPTER_OPTIONS: readonly string[] = ["onEvent", "onOutcome"] satisfies (keyof AdapterOptions)[];

/** Options of a call. */
export type CancelOptions = {
  /** Cancels the calls: what they started ends. */
  readonly signal?: AbortSignal | null | undefined;
};

/** Options of `answer`. */
export type AnswerOptions = CancelOptions & {
  /** Beside tools of your own: omits calls of tools that the box does not have. Default false: they are answered with an error. */
  readonly ownOnly?: boolean | undefined;
};

const ANSWER_OPTIONS: readonly string[] = ["signal", "ownOnly"] satisfies (keyof AnswerOptions)[];

/** The list that `answer` takes. @throws `CONFIG_INVALID` for another value, such as what the list is a part of. */
export function listToAnswer<Item>(given: readonly Item[], pass: string): readonly Item[] {
  if (Array.isArray(given)) return given;
  throw new HaftError("CONFIG_INVALID", `\`answer\` takes a list: pass \`${pass}\`, not ${typeof given}.`);
}

/** A call of another API has other properties, and would be left out. @throws `CONFIG_INVALID` for an item of that type. */
export function requireNone(items: readonly { readonly type: string }[], type: string, caller: string): void {
  if (!items.some((item) => item.type === type)) return;
  throw new HaftError("CONFIG_INVALID", `An item of the type "${type}" is for \`answer\` of \`${caller}\`.`);
}

/** The calls that `answer` runs. @throws `CONFIG_INVALID` for an unknown option. */
export function callsToAnswer<Call>(
  box: AdaptedBox,
  calls: readonly Call[],
  nameOf: (call: Call) => string | undefined,
  options: AnswerOptions = {},
): readonly Call[] {
  requireKnownOptions("answer", options, ANSWER_OPTIONS);
  const { ownOnly = false } = options;
  if (!ownOnly) return calls;
  const names = box.descriptors().map(({ name }) => name);
  return calls.filter((call) => names.includes(nameOf(call) ?? ""));
}

/** Runs one call. Never rejects where the runner of the box does not. */
export async function runAdapted(
  box: AdaptedBox,
  { onEvent, onOutcome }: AdapterOptions,
  call: Omit<ToolCall, "id"> & { readonly id?: string | undefined },
  { signal, approver }: CancelOptions & { readonly approver?: Approver | undefined } = {},
): Promise<ToolOutcome> {
  const { id = "", name, input } = call;
  const outcome = await box.runner.run(
    { id: id === "" ? newId(box) : id, name, input },
    { ...(signal ? { signal } : {}), ...(onEvent ? { onEvent } : {}), ...(approver ? { approver } : {}) },
  );
  callSafely(() => ignoreRejection(onOutcome?.(outcome)));
  return outcome;
}

/** Ids that were made for the calls of a box. */
const COUNTS = new WeakMap<AdaptedBox, number>();

function newId(box: AdaptedBox): string {
  const count = (COUNTS.get(box) ?? 0) + 1;
  COUNTS.set(box, count);
  return `call-${count}`;
}
