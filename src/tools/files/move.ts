import {
  type Claim,
  defineTool,
  type FsEntryInfo,
  fail,
  HaftError,
  isWithin,
  type Look,
  type MoveData,
  type MoveInput,
  type MoveLimits,
  ok,
  type ToolContext,
  type ToolResult,
} from "../../kernel/index.js";
import { parentOf } from "../../text/index.js";
import { fileFailure, unlessMissing } from "../file-failure.js";
import { refuseAsFolder } from "../folder-spelling.js";
import { besideClaims, withNearPaths } from "../near-failure.js";
import { fileProvenance, quoted, refusePath } from "../path-input.js";
import { refuseGround } from "./ground-folders.js";
import { journalled, keepOldBytes, MAX_KEPT_BYTES } from "./journal.js";
import { refuseGoal, refuseUnkept } from "./move-refusals.js";
import { baseOf, makeParents, parentClaims } from "./parent-folders.js";

export const MOVE_LIMITS: MoveLimits = { maxReplacedBytes: MAX_KEPT_BYTES };

const SCHEMA = {
  type: "object",
  properties: {
    from: { type: "string", minLength: 1 },
    to: { type: "string", minLength: 1 },
    overwrite: { type: "boolean", description: "Replace a file that stands at `to`" },
  },
  required: ["from", "to"],
  additionalProperties: false,
} as const;

/**
 * Moves or renames a file, a folder with all in it, or a link itself, in one step. Missing folders above `to` are made
 * inside the workspace. What stands at `to` is never replaced but by `overwrite`, and then only a file or a link; the bytes of
 * a replaced file, at most 64 MiB, are kept before as an artifact that `details.journal` names.
 *
 * Fails with `FS_EXISTS`, `FS_NOT_FOUND` (near names in `details.near`), `FS_TOO_LARGE` for a replaced file over the bound,
 * `FS_STALE` where that file was written meanwhile, and
 * `FS_BAD_PATH` for the root, the workspace, home, and a folder into itself, and `FS_CROSS_DEVICE` for another file system.
 */
export const moveTool = defineTool({
  name: "move",
  description: "Move or rename a file, folder or link. Nothing is replaced unless `overwrite`.",
  input: SCHEMA,
  effect: "act",
  limits: MOVE_LIMITS,
  annotations: { title: "Move", destructive: true },
  claims: (input: MoveInput, look) => refuseInput(input, look) ?? claimsOf(input, look),
  run: runMove,
});

function refuseInput({ from, to }: MoveInput, look: Look<MoveLimits>): ToolResult<never> | undefined {
  const bad = refusePath(from, "move") ?? refusePath(to, "move anything to");
  if (bad !== undefined) return bad;
  const [source, goal] = [look.resolve(from), look.resolve(to)];
  const ground = refuseGround(source, "move", from, look);
  if (ground !== undefined || !isWithin(source, goal)) return ground;
  const why = source === goal ? "`to` is the same path. Name another one" : "`to` is inside it. Name a place outside";
  return fail("FS_BAD_PATH", `Did not move ${quoted(from)}: ${why}.`, { details: { path: from, to } });
}

function claimsOf({ from, to, overwrite }: MoveInput, look: Look<MoveLimits>): readonly Claim[] {
  const [source, goal] = [look.resolve(from), look.resolve(to)];
  return [
    { kind: "file", path: source, access: ["read", "delete"], scope: "tree" },
    { kind: "file", path: goal, access: ["read", overwrite === true ? "write" : "create"], scope: "tree" },
    ...parentClaims(goal, look),
    ...besideClaims(source, look),
  ];
}

async function runMove(input: MoveInput, ctx: ToolContext<MoveLimits>): Promise<ToolResult<MoveData>> {
  const { from, to } = input;
  const source = ctx.resolve(from);
  const goal = ctx.resolve(to);
  try {
    const info = await ctx.fs.stat(source);
    const misspelt = refuseAsFolder(info.kind, { verb: "move", spelled: from });
    if (misspelt !== undefined) return misspelt;
    const [was, next] = await ctx.fs.resolve([source, goal]);
    const isFolder = info.kind === "directory" && info.target === undefined;
    const ground =
      isFolder && was !== undefined ? refuseGround(was.real, "move", from, await ctx.realPlace()) : undefined;
    if (ground !== undefined) return ground;
    const missing = next?.missing ?? "";
    const keys = [was, next].map((place, index) =>
      place === undefined || (index === 0 && info.target !== undefined) ? [source, goal][index]! : pathOf(place),
    );
    return await lockBoth(ctx, keys, () => moveOnce(input, ctx, { source, goal, info, missing }));
  } catch (thrown) {
    const isGoal = HaftError.is(thrown) && thrown.details.path === goal;
    const asked = isGoal
      ? { verb: "move anything to", spelled: to, absolute: goal }
      : { verb: "move", spelled: from, absolute: source, noun: "file or folder" };
    const failure = fileFailure(thrown, asked);
    return isGoal ? failure : withNearPaths(failure, source, from, ctx);
  }
}

function pathOf({ real, missing }: { readonly real: string; readonly missing: string }): string {
  return missing === "" ? real : `${real === "/" ? "" : real}/${missing}`;
}

/** In the order of the names, so that two calls never wait for each other. */
function lockBoth<T>(ctx: ToolContext, keys: readonly string[], body: () => Promise<T>): Promise<T> {
  const [first, second] = [...new Set(keys)].sort();
  if (first === undefined) return body();
  return ctx.lock(first, {}, () => (second === undefined ? body() : ctx.lock(second, {}, body)));
}

interface Move {
  readonly source: string;
  readonly goal: string;
  readonly info: FsEntryInfo;
  /** What of the goal does not exist. */
  readonly missing: string;
}

async function moveOnce(
  input: MoveInput,
  ctx: ToolContext<MoveLimits>,
  { source, goal, info, missing }: Move,
): Promise<ToolResult<MoveData>> {
  const { from, to } = input;
  const old = await ctx.fs.stat(goal).catch(unlessMissing);
  const refusal = await refuseGoal(input, ctx, { goal, info, old });
  if (refusal !== undefined) return refusal;
  if (missing.includes("/")) {
    if (baseOf(goal, ctx) === undefined) {
      const why = "its folder does not exist, and outside the workspace none is made. Make it with a command first";
      return fail("FS_NOT_FOUND", `Did not move anything to ${quoted(to)}: ${why}.`, { details: { path: to } });
    }
    await makeParents(ctx, goal, missing);
  }
  const isReplacedFile = old?.kind === "file" && old.target === undefined;
  const maxBytes = ctx.limits.maxReplacedBytes;
  const provenance = fileProvenance(ctx, goal, to);
  const kept = isReplacedFile
    ? await keepOldBytes(ctx, provenance, await ctx.fs.readBytes(goal, { maxBytes }))
    : undefined;
  const unkept = kept === undefined ? undefined : refuseUnkept(input, kept.journal);
  if (unkept !== undefined) {
    await kept?.giveUp();
    return unkept;
  }
  // Keeping takes its time, and what was written meanwhile is not among the kept.
  if (isReplacedFile && (await ctx.fs.stat(goal).catch(unlessMissing))?.version !== old.version) {
    await kept?.giveUp();
    const why = `${quoted(to)} was changed while its old bytes were being kept`;
    const message = `Did not move ${quoted(from)}: ${why}. Nothing was moved; look at it again, then repeat the call.`;
    return fail("FS_STALE", message, { details: { path: to } });
  }
  await ctx.fs.rename(source, goal, { replace: old !== undefined });
  if (old !== undefined && (await ctx.fs.exists(source))) {
    const why = `it and ${quoted(to)} are two names of the same file, and both were left. Delete the one that is not wanted`;
    return fail("FS_EXISTS", `Did not move ${quoted(from)}: ${why}.`, { details: { path: to } });
  }
  const data: MoveData = {
    from,
    to,
    kind: info.target === undefined ? info.kind : "link",
    sizeBytes: info.kind === "file" && info.target === undefined ? info.size : 0,
    ...(info.target === undefined ? {} : { target: info.target }),
    leadsElsewhere: info.target?.startsWith("/") === false && parentOf(source) !== parentOf(goal),
    replaced: old !== undefined,
    ...(old?.target === undefined ? {} : { replacedTarget: old.target }),
  };
  const { leadsElsewhere: _, target: __, replacedTarget: ___, ...structured } = data;
  return ok(data, {
    structured,
    provenance,
    ...journalled(to, kept?.journal),
  });
}
