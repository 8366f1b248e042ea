/** Types that the author of a tool sees: right lines, and wrong lines that the compiler has to refuse. Nothing of it runs. */
import { type CallEvent, defineTool, type ErrorCode, type Grant, ok, type ToolEvent, text } from "../../src/index.js";

function same<T>(_value: T): void {}

export const reader = defineTool({
  name: "reader",
  description: "Reads one file.",
  input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
  effect: "read",
  limits: { maxBytes: 10 },
  async claims(input, context) {
    const path = context.resolve(input.path);
    await context.session.todo.read();
    // @ts-expect-error claims change no todo list
    context.session.todo.replace([]);
    // @ts-expect-error nor create artifacts
    context.session.artifacts.create({ what: "x" });
    // @ts-expect-error nor set the working directory
    context.session.setCwd("/");
    // @ts-expect-error nor mark a file as read
    context.session.readState.set(path, { mtimeMs: 1, size: 1, readAt: 1 });
    // @ts-expect-error nor take a lock
    context.lock(path, {}, async () => {});
    // @ts-expect-error nor start a command
    context.shell;
    // @ts-expect-error nor touch a file
    context.fs;
    same<number>(context.limits.maxBytes);
    return [{ kind: "file", path, access: ["read"], scope: "self" }];
  },
  async run(input, ctx) {
    const path = ctx.resolve(input.path);
    // @ts-expect-error a tool reaches no store
    ctx.stores;
    // @ts-expect-error nor the audit log
    ctx.audit;
    // @ts-expect-error nor approvals
    ctx.approvals;
    // @ts-expect-error nor the symlinks that the session has met
    ctx.session.symlinks;
    // @ts-expect-error what is granted cannot be changed
    ctx.budget.maxBytes = 1;
    ctx.emit({ kind: "progress", message: "half", progress: 1, total: 2 });
    ctx.emit({ kind: "notice", message: "slow" });
    // @ts-expect-error an event of no kind that there is
    ctx.emit({ kind: "note", data: 1 });
    // @ts-expect-error output has a place in its stream
    ctx.emit({ kind: "output", stream: "stdout", bytes: new Uint8Array() });
    const body = await ctx.lock(path, {}, async ([place]) => ctx.fs.readText(place?.real ?? path));
    return ok({ body });
  },
});

// @ts-expect-error an effect needs `claims`
defineTool({
  name: "undeclared",
  description: "Says that it writes and does not say what.",
  input: { type: "object" },
  effect: "write",
  run: () => text("done"),
});

export function event(one: ToolEvent & CallEvent): string {
  switch (one.kind) {
    case "output":
      return `${one.stream} ${one.offset} ${one.bytes.length}`;
    case "progress":
    case "notice":
      return one.message;
    case "job-started":
      return one.command;
    case "job-ended":
      // @ts-expect-error an ended job has no command here
      one.command;
      return one.status;
  }
}

export function grants(grant: Grant): void {
  same<"exact" | "origin" | "any" | undefined>(grant.requests[0]?.scope);
  same<"read" | "write" | undefined>(grant.state[0]?.access);
  same<readonly ("list" | "read" | "write" | "signal" | "stop")[] | undefined>(grant.jobs[0]?.actions);
  // @ts-expect-error a grant of a job names what may be done with it
  same<string | undefined>(grant.jobs[0]);
  // @ts-expect-error an approved GET of one path is not its whole origin
  grant.origins;
}

export function codes(code: ErrorCode): void {
  same<ErrorCode>("FS_NOT_FOUND");
  // @ts-expect-error no code of Haft
  same<ErrorCode>("FS_MISSING");
  // @ts-expect-error nor any text
  same<ErrorCode>(String(code));
}
