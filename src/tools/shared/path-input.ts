/** What every tool that takes a path checks before anything is claimed. */
import {
  type Artifacts,
  type ClaimContext,
  fail,
  isWithin,
  type Provenance,
  shownEcho,
  type ToolResult,
} from "../../kernel/index.js";
import { hasLoneSurrogate, showControls } from "../../text/index.js";

const ARTIFACT = "artifact:";

/** The id of an artifact that a path names, else undefined. A file that is so named is `./artifact:1`. */
export function artifactIdOf(path: string): string | undefined {
  return path.startsWith(ARTIFACT) ? path.slice(ARTIFACT.length) : undefined;
}

/** A model's path in quotes, on one row; of one that no system could have only the start. */
export function quoted(path: string): string {
  return `"${showControls(shownEcho(path))}"`;
}

/**
 * A refusal of a path that names no place: empty, or with a NUL byte or half of a character; or of an artifact where only files are taken.
 *
 * @param verb - What is not done, as in "Did not read".
 */
export function refusePath(path: string, verb: string, takesArtifacts = false): ToolResult<never> | undefined {
  if (path === "") {
    return fail("FS_BAD_PATH", `Did not ${verb} anything: \`path\` is empty. Name a file.`, {
      details: { path, why: "empty" },
    });
  }
  if (path.includes("\0")) {
    const message = `Did not ${verb} ${quoted(path)}: the path contains a NUL byte. Send the path without it.`;
    return fail("FS_BAD_PATH", message, { details: { path, why: "nul" } });
  }
  if (hasLoneSurrogate(path)) {
    const message = `Did not ${verb} ${quoted(path)}: the path contains a lone surrogate (half a character). Send whole characters.`;
    return fail("FS_BAD_PATH", message, { details: { path, why: "half a character" } });
  }
  if (!takesArtifacts && artifactIdOf(path) !== undefined) {
    const message = `Did not ${verb} ${quoted(path)}: an artifact is read-only; use \`read\` or \`grep\`. For a file of that name, send ${quoted(`./${path}`)}.`;
    return fail("FS_BAD_PATH", message, { details: { path, why: "artifact" } });
  }
  return undefined;
}

/** Whether text of this place comes from the workspace; `ref` is the path as the model spelled it. */
export function fileProvenance(
  context: Pick<ClaimContext, "workspace">,
  absolute: string,
  givenPath: string,
): Provenance {
  return { from: isWithin(context.workspace, absolute) ? "workspace" : "outside", ref: givenPath };
}

/** Where the text of an artifact comes from, as it was said when it was made; from a command of this session otherwise. */
export async function artifactProvenance(artifacts: Artifacts, id: string, givenPath: string): Promise<Provenance> {
  const info = (await artifacts.list()).find((one) => one.id === id);
  return info?.provenance ?? { from: "workspace", ref: givenPath };
}
