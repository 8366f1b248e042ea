/**
 * Types that a host sees: right lines, and wrong lines that the compiler has to refuse. `npm run check` compiles this page with
 * `--strict --exactOptionalPropertyTypes`; nothing of it runs.
 */
import {
  type Audit,
  type BuiltinToolName,
  type CallStatus,
  type ContentBlock,
  createHostContext,
  createToolBox,
  createToolkit,
  defineTool,
  fail,
  type HostServices,
  haftDialect,
  isOutcomeOf,
  type Json,
  json,
  type Outcome,
  ok,
  type ToolErrorCode,
  type ToolOutcome,
  type ToolSettings,
  targetOf,
  toolBox,
} from "../../src/index.js";

/** Accepts exactly `T`. */
function same<T>(_value: T): void {}

export async function outcomesOfLiteralNames(): Promise<void> {
  const toolkit = await createToolkit();
  const { runner } = toolkit.box("coding");

  const read = await runner.run({ id: "1", name: "read", input: { path: "a.ts" } });
  same<Outcome<"read">>(read);
  same<"read">(read.tool);
  same<"text" | string | undefined>(read.data?.kind);
  // @ts-expect-error a read has no exit code
  read.data?.exitCode;
  // @ts-expect-error data is absent where a call failed
  read.data.kind;

  same<Json | readonly ContentBlock[]>(read.output);
  // @ts-expect-error the output may be blocks, e.g. an image
  same<string>(read.output);
  same<Json | undefined>(read.structured);

  const bash = await runner.run({ id: "2", name: "bash", input: { command: "ls" } });
  same<number | null | undefined>(bash.data?.exitCode);
  // @ts-expect-error the outcome of a command is not that of a read
  same<Outcome<"read">>(bash);

  const session = await toolkit.session("mine").box().runner.run({ id: "3", name: "edit", input: {} });
  same<Outcome<"edit">>(session);
  const shared = await toolBox().runner.run({ id: "4", name: "ls", input: {} });
  same<Outcome<"ls">>(shared);
}

export async function outcomesOfOtherNames(name: string): Promise<void> {
  const { runner } = (await createToolkit()).box();
  const outcome = await runner.run({ id: "1", name, input: {} });
  same<ToolOutcome>(outcome);
  // @ts-expect-error which tool it was is not known
  outcome.data?.exitCode;
  if (isOutcomeOf(outcome, "bash")) same<number | null | undefined>(outcome.data?.exitCode);
  else same<ToolOutcome>(outcome);
  // @ts-expect-error no built-in tool has this name
  isOutcomeOf(outcome, "run_shell");

  const either = await runner.run({ id: "2", name: name as "read" | "bash", input: {} });
  if (either.tool === "bash") same<number | null | undefined>(either.data?.exitCode);

  const typo = await runner.run({ id: "3", name: "raed", input: {} });
  same<ToolOutcome>(typo);
}

export async function outcomesOfOtherDialects(): Promise<void> {
  for (const options of [{ dialect: "buddy" }, { dialect: haftDialect }]) {
    const { runner } = (await createToolkit(options)).box();
    const outcome = await runner.run({ id: "1", name: "read", input: {} });
    // @ts-expect-error what the names of a dialect stand for is not known
    same<Outcome<"read">>(outcome);
  }
}

export async function outcomesOfOwnTools(host: HostServices): Promise<void> {
  const weather = defineTool({
    name: "weather",
    description: "Reports the weather.",
    input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    run: (input) => ok({ city: input.city, celsius: 20 }),
  });
  const backend = await import("../../src/index.js").then(({ openBackend }) => openBackend("memory"));
  const session = (await createToolkit()).session().session;
  const box = createToolBox([weather], () => createHostContext({ host, session, target: targetOf(backend) }));
  const outcome = await box.runner.run({ id: "1", name: "weather", input: { city: "Oslo" } });
  same<number | undefined>(outcome.data?.celsius);
  // @ts-expect-error the tool returns no such member
  outcome.data?.fahrenheit;
}

export function blocks(block: ContentBlock): void {
  if (block.kind === "json") same<Json>(block.value);
  same<ContentBlock>({ kind: "json", value: { list: [1, null, "a"] } });
  // @ts-expect-error JSON has no functions
  same<ContentBlock>({ kind: "json", value: { run: () => {} } });
  // @ts-expect-error nor dates
  same<ContentBlock>({ kind: "json", value: new Date() });
}

export async function settings(own: ToolSettings): Promise<void> {
  const set = { bash: false, write: { gate: "on" }, web__search: false } satisfies ToolSettings;
  await createToolkit({ toolSettings: set });
  same<boolean | { readonly gate?: "off" | "handle" | "write" | "on" } | undefined>(own.write);
  // @ts-expect-error a tool is offered, left out or has options
  await createToolkit({ toolSettings: { bash: "off" } });
  // @ts-expect-error no gate
  await createToolkit({ toolSettings: { write: { gate: "sometimes" } } });
}

export async function targets(): Promise<void> {
  await createToolkit({ on: ["local", { name: "api", target: "posix:dash", workspace: "/srv/api" }] });
  // @ts-expect-error a target says what it is
  await createToolkit({ on: { name: "api", workspace: "/srv/api" } });
  // @ts-expect-error a misspelt member
  await createToolkit({ on: { target: "local", workspce: "/srv/api" } });
}

export function names(name: BuiltinToolName): void {
  same<BuiltinToolName>("todo_set");
  // @ts-expect-error a dialect's name of a tool is not Haft's own
  same<BuiltinToolName>("file_read");
  same<"read">(
    // @ts-expect-error it may be another
    name,
  );
}

export async function openNames(): Promise<void> {
  const toolkit = await createToolkit({ dialect: "indusagi", tools: [] });
  toolkit.box("read-only");
  toolkit.box("a-collection-of-the-host");
  // @ts-expect-error a collection is named by text
  toolkit.box(1);
  // @ts-expect-error a dialect is a name or an object
  await createToolkit({ dialect: 1 });
}

export function resultsAreJson(): void {
  json({ count: 1, names: ["a"] });
  // @ts-expect-error JSON has no dates
  json({ at: new Date() });
  ok({ at: new Date() }, { structured: { at: "2026-01-01" }, details: { why: "test" } });
  // @ts-expect-error what hosts get is JSON
  ok(1, { structured: { at: new Date() } });
  // @ts-expect-error details are an object
  fail("FS_NOT_FOUND", "No such file.", { details: "none" });
}

export function auditEntriesAreLiterals(end: Parameters<Audit["end"]>[1]): void {
  same<CallStatus | "late-value-dropped">(end.status);
  same<ToolErrorCode | undefined>(end.code);
  same<"allow" | "ask" | "deny" | undefined>(end.effect);
  // @ts-expect-error not a status
  same<"finished">(end.status);
}
