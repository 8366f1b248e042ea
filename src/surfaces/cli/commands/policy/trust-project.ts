/** `haft policy trust`: follows what a project's file allows, until the file changes. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { homeDirectory } from "../../../../host/index.js";
import { messageOf } from "../../../../kernel/index.js";
import { resolvePath, showControls } from "../../../../text/index.js";
import { narrowingPolicy, parseConfig } from "../../../../toolkit/index.js";
import { readClientFile } from "../../clients/replace-client-file.js";
import { workspaceOf } from "../../common-options.js";
import { addToUserList } from "../../config-edit.js";
import { CONFIG_NAME } from "../../configuration.js";
import { EXIT, UsageError } from "../../usage.js";

/** @param asked - The directory of the project. Default: the current one. @throws UsageError, `CONFIG_INVALID` */
export async function trustProject(asked: string | undefined): Promise<number> {
  const directory = workspaceOf(asked === undefined ? undefined : resolvePath(process.cwd(), asked, homeDirectory()));
  const path = join(directory, CONFIG_NAME);
  const text = readProjectFile(path);
  if (text === undefined)
    throw new UsageError(`There is nothing to trust: ${path} does not exist. \`haft init\` writes one to start from.`);
  const { policy = {} } = await parseConfig(text, path);
  const { widens } = narrowingPolicy(policy);
  if (widens.length === 0) {
    process.stdout.write(`${showControls(path)} allows nothing that needs your trust.\n`);
    return EXIT.ok;
  }
  const digest = createHash("sha256").update(text).digest("hex");
  const isOlder = (item: unknown) => typeof item === "string" && item.startsWith("policy sha256:");
  const { file } = await addToUserList(["trust", directory], `policy sha256:${digest}`, isOlder);
  const lines = [
    `${path} allows:`,
    ...widens.map((one) => `  ${one}`),
    `Followed from now on, until that file changes (SHA-256 ${digest.slice(0, 12)}…). To take it back, remove the entry from "trust" in ${file}.`,
  ];
  process.stdout.write(`${lines.map(showControls).join("\n")}\n`);
  return EXIT.ok;
}

function readProjectFile(path: string): string | undefined {
  try {
    return readClientFile(path);
  } catch (error) {
    throw new UsageError(`Did not trust ${path}: ${messageOf(error)}.`);
  }
}
