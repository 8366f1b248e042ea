/** `haft policy trust`: follows what a project's file allows, until the file changes or the user takes it back. */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { homeDirectory } from "../../../../host/index.js";
import { messageOf } from "../../../../kernel/index.js";
import { resolvePath, shellPath, showControls } from "../../../../text/index.js";
import { narrowingPolicy, parseConfig } from "../../../../toolkit/index.js";
import { readClientFile } from "../../clients/replace-client-file.js";
import { workspaceOf } from "../../common-options.js";
import { addToUserList, removeFromUserList } from "../../config-edit.js";
import { CONFIG_NAME, loadConfig } from "../../configuration.js";
import { confirmAtTerminal } from "../../terminal-approver.js";
import { EXIT, UsageError } from "../../usage.js";

export interface TrustOptions {
  readonly yes?: boolean;
  readonly remove?: boolean;
}

/** @param asked - The directory of the project. Default: the current one. @throws UsageError, `CONFIG_INVALID` */
export async function trustProject(asked: string | undefined, { yes, remove }: TrustOptions): Promise<number> {
  const named = asked === undefined ? undefined : resolvePath(process.cwd(), asked, homeDirectory());
  if (remove) return takeBack(named ?? process.cwd());
  const directory = workspaceOf(named);
  const path = join(directory, CONFIG_NAME);
  const text = readProjectFile(path);
  if (text === undefined)
    throw new UsageError(`There is nothing to trust: ${path} does not exist. \`haft init\` writes one to start from.`);
  const { policy = {} } = await parseConfig(text, path);
  const { widens } = narrowingPolicy(policy);
  if (widens.length === 0) {
    const others = await otherIgnored(directory);
    const where = others.length === 0 ? "" : ' in "policy"';
    process.stdout.write(`${showControls(path)} allows nothing${where} that needs your trust.\n`);
    printOthers(others);
    return EXIT.ok;
  }
  const shown = [`${path} allows:`, ...widens.map((one) => `  ${one}`)];
  process.stdout.write(`${shown.map(showControls).join("\n")}\n`);
  const isConfirmed = yes === true || (await confirmAtTerminal("Follow it?"));
  if (isConfirmed === undefined)
    throw new UsageError(
      `Did not trust ${path}: there is no terminal to ask at. If you want what is listed, run: haft policy trust ${shellPath(directory)} --yes`,
    );
  if (!isConfirmed) {
    process.stdout.write("Nothing was changed.\n");
    return EXIT.errorResult;
  }
  const digest = createHash("sha256").update(text).digest("hex");
  const { file } = await addToUserList(["trust", directory], `policy sha256:${digest}`, isPolicyTrust);
  const done = `Followed from now on, until that file changes (SHA-256 ${digest.slice(0, 12)}…), by ${file}. To take it back, run: haft policy trust --remove ${shellPath(directory)}`;
  process.stdout.write(`${showControls(done)}\n`);
  printOthers(await otherIgnored(directory));
  return EXIT.ok;
}

/** What of the project's file is ignored beside its policy, which is followed or allows nothing, as each call reports it. */
async function otherIgnored(directory: string): Promise<readonly string[]> {
  return (await loadConfig({ workspace: directory })).settled.ignored;
}

function printOthers(ignored: readonly string[]): void {
  if (ignored.length === 0) return;
  const lines = ["", 'This command is about its "policy" alone. What else needs your trust:', ...ignored];
  process.stdout.write(`${lines.map(showControls).join("\n")}\n`);
}

/** The directory may be gone: it is then the name that is in the file. */
async function takeBack(named: string): Promise<number> {
  const directory = existsSync(named) ? realpathSync.native(named) : named;
  const { file, isChanged } = await removeFromUserList(["trust", directory], isPolicyTrust);
  const text = isChanged
    ? `What ${join(directory, CONFIG_NAME)} allows is ignored from now on, by ${file}.`
    : `You do not trust what ${join(directory, CONFIG_NAME)} allows: there is no entry for it in ${file}.`;
  process.stdout.write(`${showControls(text)}\n`);
  return isChanged ? EXIT.ok : EXIT.errorResult;
}

const isPolicyTrust = (item: unknown) => typeof item === "string" && item.startsWith("policy sha256:");

function readProjectFile(path: string): string | undefined {
  try {
    return readClientFile(path);
  } catch (error) {
    throw new UsageError(`Did not trust ${path}: ${messageOf(error)}.`);
  }
}
