/** `haft artifacts`: outputs too long for their result, and the old bytes of files that calls changed or deleted. */
import { resolve } from "node:path";
import type { Command } from "commander";
import pc from "picocolors";
import { showControls } from "../../../text/index.js";
import type { artifactAdmin } from "../../../toolkit/index.js";
import { withExamples, withJsonOption, withStateOption } from "../command-parts.js";
import type { StateOptions } from "../configuration.js";
import { printJson, printNotice, utcTime } from "../output.js";
import { EXIT } from "../usage.js";

interface ArtifactsOptions extends StateOptions {
  readonly json?: boolean;
}

interface ShowOptions extends StateOptions {
  readonly lines?: string;
  readonly raw?: boolean;
}

interface ExportOptions extends StateOptions {
  readonly force?: boolean;
}

/** The id that means the newest artifact. */
const LAST = "last";

type ArtifactAdmin = Awaited<ReturnType<typeof artifactAdmin>>;
type Artifact = Awaited<ReturnType<ArtifactAdmin["list"]>>[number];

export function addArtifactsCommand(program: Command): void {
  const artifacts = withExamples(
    program
      .command("artifacts")
      .description("manage stored outputs that were too long for their result, and old contents of changed files"),
    `haft call write '{"path":"old.txt","content":"old words"}'`,
    `haft call delete '{"path":"old.txt"}'`,
    "haft artifacts list",
    "haft artifacts export last old.txt",
  );
  withExamples(
    withJsonOption(
      withStateOption(
        artifacts.command("list [session]").description("list the artifacts of one session or all, oldest first"),
      ),
    ),
    "haft artifacts list",
    "haft artifacts list trial --json",
  ).action(async (session: string | undefined, options: ArtifactsOptions) => {
    process.exitCode = await listArtifacts(session, options);
  });
  withExamples(
    withStateOption(artifacts.command("show <id>").description('print one; "last" is the newest'))
      .option("--lines <range>", "only these lines: 1-20, 40- or 7")
      .option("--raw", "print every byte, even to a terminal"),
    "haft artifacts show last",
    "haft artifacts show last --lines 1-20",
  ).action(async (id: string, options: ShowOptions) => {
    process.exitCode = await showArtifact(id, options);
  });
  withExamples(
    withStateOption(artifacts.command("export <id> <path>").description("write one to a file, atomically")).option(
      "--force",
      "replace an existing file",
    ),
    "haft artifacts export last restored.txt",
    "haft artifacts export last restored.txt --force",
  ).action(async (id: string, path: string, options: ExportOptions) => {
    process.exitCode = await exportArtifact(id, path, options);
  });
  withExamples(
    withJsonOption(withStateOption(artifacts.command("remove <ids...>").description("delete artifacts for good"))),
    "haft artifacts remove last",
  ).action(async (ids: readonly string[], options: ArtifactsOptions) => {
    process.exitCode = await removeArtifacts(ids, options);
  });
}

async function listArtifacts(session: string | undefined, options: ArtifactsOptions): Promise<number> {
  const admin = await openArtifacts(options);
  const all = await admin.list();
  const damaged = admin.damaged();
  const chosen = all.filter((one) => session === undefined || one.session === session);
  if (options.json) printJson(chosen);
  else process.stdout.write(chosen.map(rowOf).join(""));
  if (damaged.length > 0)
    printNotice(
      `omitted ${damaged.length} with damaged metadata: ${damaged.join(", ")}. \`haft artifacts show ID\` prints the path, \`haft artifacts remove ID\` deletes it.`,
    );
  if (chosen.length + damaged.length > 0 || options.json) return EXIT.ok;
  const whose = session === undefined ? "" : ` of "${showControls(session)}"`;
  printNotice(
    `no artifacts${whose}. Haft stores output that is too long for its result, and file contents that write, edit, move or delete replaced without showing them, until a day after the session's last call. \`--state DIR\` lists another state directory.`,
  );
  return EXIT.ok;
}

/** Prints the stored bytes; on a terminal text only, without control sequences. */
async function showArtifact(asked: string, options: ShowOptions): Promise<number> {
  const { lineRange, printArtifact } = await import("./artifacts/artifact-output.js");
  const lines = options.lines === undefined ? undefined : lineRange(options.lines);
  const admin = await openArtifacts(options);
  const artifact = await find(admin, asked);
  if (artifact === undefined) return refuse(admin, asked, "show");
  const { isDone, note } = await printArtifact(
    (offset, length) => admin.read(artifact.id, offset, length),
    { ...(lines === undefined ? {} : { lines }), isRaw: options.raw === true },
    process.stdout,
  );
  if (note !== undefined) printNotice(note.replaceAll("ID", artifact.id));
  return isDone ? EXIT.ok : EXIT.errorResult;
}

async function exportArtifact(asked: string, path: string, options: ExportOptions): Promise<number> {
  const admin = await openArtifacts(options);
  const artifact = await find(admin, asked);
  if (artifact === undefined) return refuse(admin, asked, "export");
  const { id, producedBytes } = artifact;
  const head = await admin.read(id, 0, producedBytes);
  if (typeof head === "string") return refuse(admin, id, "export");
  const tail = head.gap === undefined ? undefined : await admin.read(id, head.gap[1], producedBytes);
  if (typeof tail === "string") return refuse(admin, id, "export");
  const bytes = tail === undefined ? head.bytes : Buffer.concat([head.bytes, tail.bytes]);
  const { writeWhole } = await import("../../../toolkit/index.js");
  try {
    await writeWhole(resolve(path), bytes, { replace: options.force === true });
  } catch (error) {
    printNotice(`did not export ${id} to "${path}": ${await exportProblem(error)}`);
    return EXIT.errorResult;
  }
  const gap =
    head.gap === undefined ? "" : ` Bytes ${head.gap[0]} to ${head.gap[1]} of ${producedBytes} were not stored.`;
  printNotice(`wrote ${bytes.length} bytes of ${id} to "${path}".${gap}`);
  return EXIT.ok;
}

async function removeArtifacts(ids: readonly string[], options: ArtifactsOptions): Promise<number> {
  const admin = await openArtifacts(options);
  const removed: string[] = [];
  for (const asked of ids) {
    // By its id alone, so that one with damaged metadata can be deleted too.
    const id = asked === LAST ? (await find(admin, asked))?.id : idOf(asked);
    if (id !== undefined && admin.remove(id)) removed.push(id);
    else await refuse(admin, asked, "delete");
  }
  if (options.json) printJson({ removed });
  const which = removed.length === 1 ? "artifact" : "artifacts";
  printNotice(`deleted ${removed.length} ${which}.`);
  return removed.length === ids.length ? EXIT.ok : EXIT.errorResult;
}

async function openArtifacts(options: StateOptions): Promise<ArtifactAdmin> {
  const { stateAdminOptions } = await import("../configuration.js");
  const toolkit = await import("../../../toolkit/index.js");
  return toolkit.artifactAdmin(await stateAdminOptions(options));
}

async function find(admin: ArtifactAdmin, asked: string): Promise<Artifact | undefined> {
  const all = await admin.list();
  return asked === LAST ? all.at(-1) : all.find(({ id }) => id === idOf(asked));
}

/** Tool results and MCP resources write it with a scheme. */
function idOf(asked: string): string {
  return asked.replace(/^artifact:(\/\/\/)?/, "");
}

async function refuse(admin: ArtifactAdmin, asked: string, verb: string): Promise<number> {
  const isGone = (await admin.read(idOf(asked), 0, 0)) === "evicted";
  const why = isGone
    ? "it was evicted by newer artifacts of its session"
    : asked === LAST
      ? "there are no artifacts"
      : "no such artifact";
  printNotice(`did not ${verb} "${asked}": ${why}. \`haft artifacts list\` lists the artifacts.`);
  return EXIT.errorResult;
}

async function exportProblem(error: unknown): Promise<string> {
  const { HaftError } = await import("../../../kernel/index.js");
  if (!HaftError.is(error)) throw error;
  if (error.code === "FS_STALE")
    return "the file already exists. Choose another path, or add --force to replace the file.";
  if (error.code === "FS_NOT_FOUND") return "the parent directory does not exist. Create it first.";
  return error.message;
}

function rowOf({ id, what, tool, producedBytes, keptBytes, createdMs, session }: Artifact): string {
  const facts = [
    keptBytes < producedBytes ? `${keptBytes} of ${producedBytes} bytes` : `${keptBytes} bytes`,
    ...(tool === undefined ? [] : [`stored by ${showControls(tool)}`]),
    utcTime(createdMs),
    `session ${JSON.stringify(showControls(session))}`,
  ];
  return `${pc.bold(showControls(id))}  ${showControls(what)}\n  ${facts.join("; ")}\n`;
}
