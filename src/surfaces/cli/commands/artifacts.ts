/** `haft artifacts`: outputs that did not fit an answer, and the bytes that calls have replaced or deleted. */
import { resolve } from "node:path";
import pc from "picocolors";
import { HaftError } from "../../../kernel/index.js";
import { showControls } from "../../../text/index.js";
import { artifactAdmin, writeWhole } from "../../../toolkit/index.js";
import { type LineRange, lineRange, printArtifact } from "../artifact-output.js";
import { printJson } from "../json-output.js";
import { printNotice } from "../print-notice.js";
import { type StateOptions, stateAdminOptions } from "../state-options.js";
import { EXIT } from "../usage.js";
import { utcTime } from "../utc-time.js";

export interface ArtifactsOptions extends StateOptions {
  readonly json?: boolean;
}

export interface ShowOptions extends StateOptions {
  readonly lines?: string;
  readonly raw?: boolean;
}

export interface ExportOptions extends StateOptions {
  readonly force?: boolean;
}

/** Stands for the artifact that was made last. */
const LAST = "last";

type ArtifactAdmin = Awaited<ReturnType<typeof artifactAdmin>>;
type Artifact = Awaited<ReturnType<ArtifactAdmin["list"]>>[number];

/** Oldest first. */
export async function listArtifacts(session: string | undefined, options: ArtifactsOptions): Promise<number> {
  const kept = await artifactAdmin(await stateAdminOptions(options));
  const all = await kept.list();
  const damaged = kept.damaged();
  const chosen = all.filter((one) => session === undefined || one.session === session);
  if (options.json) printJson(chosen);
  else process.stdout.write(chosen.map(rowOf).join(""));
  if (damaged.length > 0)
    printNotice(
      `left out ${damaged.length} with a damaged record: ${damaged.join(", ")}. \`haft artifacts show ID\` tells where it lies, \`haft artifacts remove ID\` removes it.`,
    );
  if (chosen.length + damaged.length > 0 || options.json) return EXIT.ok;
  const whose = session === undefined ? "" : ` of "${showControls(session)}"`;
  printNotice(
    `no artifact${whose} is kept. An output that is too long for its answer becomes one, and so does what write, edit, move and delete replace or remove and do not show, until a day after the last call of its session. \`--state DIR\` looks into another state folder.`,
  );
  return EXIT.ok;
}

/** The kept bytes on standard output, as they are. A terminal gets text only, without what it would obey. */
export async function showArtifact(asked: string, options: ShowOptions): Promise<number> {
  const lines: LineRange | undefined = options.lines === undefined ? undefined : lineRange(options.lines);
  const kept = await artifactAdmin(await stateAdminOptions(options));
  const artifact = await find(kept, asked);
  if (artifact === undefined) return refuse(kept, asked, "show");
  const { isDone, note } = await printArtifact(
    (offset, length) => kept.read(artifact.id, offset, length),
    { ...(lines === undefined ? {} : { lines }), isRaw: options.raw === true },
    process.stdout,
  );
  if (note !== undefined) printNotice(note.replaceAll("ID", artifact.id));
  return isDone ? EXIT.ok : EXIT.errorResult;
}

/** Copies the kept bytes to a file, all of them or nothing. */
export async function exportArtifact(asked: string, path: string, options: ExportOptions): Promise<number> {
  const kept = await artifactAdmin(await stateAdminOptions(options));
  const artifact = await find(kept, asked);
  if (artifact === undefined) return refuse(kept, asked, "export");
  const { id, producedBytes } = artifact;
  const head = await kept.read(id, 0, producedBytes);
  if (typeof head === "string") return refuse(kept, id, "export");
  const tail = head.gap === undefined ? undefined : await kept.read(id, head.gap[1], producedBytes);
  if (typeof tail === "string") return refuse(kept, id, "export");
  const bytes = tail === undefined ? head.bytes : Buffer.concat([head.bytes, tail.bytes]);
  try {
    await writeWhole(resolve(path), bytes, { replace: options.force === true });
  } catch (error) {
    printNotice(`did not export ${id} to "${path}": ${whyNot(error)}`);
    return EXIT.errorResult;
  }
  const gap =
    head.gap === undefined ? "" : ` Bytes ${head.gap[0]} to ${head.gap[1]} of ${producedBytes} were not kept.`;
  printNotice(`wrote ${bytes.length} bytes of ${id} to "${path}".${gap}`);
  return EXIT.ok;
}

/** Removes artifacts with all their bytes. */
export async function removeArtifacts(ids: readonly string[], options: ArtifactsOptions): Promise<number> {
  const kept = await artifactAdmin(await stateAdminOptions(options));
  const removed: string[] = [];
  for (const asked of ids) {
    // By its id alone, so that one with a damaged record can be removed too.
    const id = asked === LAST ? (await find(kept, asked))?.id : idOf(asked);
    if (id !== undefined && kept.remove(id)) removed.push(id);
    else await refuse(kept, asked, "remove");
  }
  if (options.json) printJson({ removed });
  const which = removed.length === 1 ? "artifact" : "artifacts";
  printNotice(`removed ${removed.length} ${which}.`);
  return removed.length === ids.length ? EXIT.ok : EXIT.errorResult;
}

async function find(kept: ArtifactAdmin, asked: string): Promise<Artifact | undefined> {
  const all = await kept.list();
  return asked === LAST ? all.at(-1) : all.find(({ id }) => id === idOf(asked));
}

/** An answer of a tool, or a client that reads resources, spells it with a scheme. */
function idOf(asked: string): string {
  return asked.replace(/^artifact:(\/\/\/)?/, "");
}

async function refuse(kept: ArtifactAdmin, asked: string, verb: string): Promise<number> {
  const isGone = (await kept.read(idOf(asked), 0, 0)) === "evicted";
  const why = isGone
    ? "it gave way to newer artifacts of its session"
    : asked === LAST
      ? "there is none"
      : "there is no such artifact";
  printNotice(`did not ${verb} "${asked}": ${why}. \`haft artifacts list\` names those there are.`);
  return EXIT.errorResult;
}

function whyNot(error: unknown): string {
  if (!HaftError.is(error)) throw error;
  if (error.code === "FS_STALE")
    return "something stands there. Name another path, or add --force to replace the file.";
  if (error.code === "FS_NOT_FOUND") return "there is no folder to put it into. Make the folder first.";
  return error.message;
}

function rowOf({ id, what, tool, producedBytes, keptBytes, createdMs, session }: Artifact): string {
  const made = utcTime(createdMs);
  const facts = [
    keptBytes < producedBytes ? `${keptBytes} of ${producedBytes} bytes` : `${keptBytes} bytes`,
    ...(tool === undefined ? [] : [`kept by ${showControls(tool)}`]),
    made,
    `session ${JSON.stringify(showControls(session))}`,
  ];
  return `${pc.bold(showControls(id))}  ${showControls(what)}\n  ${facts.join("; ")}\n`;
}
