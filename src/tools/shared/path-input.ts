/** Checks of a path before anything is claimed. */
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

/** The artifact id in a path, else undefined. A file of that name is `./artifact:1`. */
export function artifactIdOf(path: string): string | undefined {
  return path.startsWith(ARTIFACT) ? path.slice(ARTIFACT.length) : undefined;
}

/** A path in quotes on one row; only the start of an overlong one. */
export function quoted(path: string): string {
  return `"${showControls(shownEcho(path))}"`;
}

/**
 * Refuses a path that is empty or contains a NUL byte or lone surrogate, and an artifact where only files are accepted.
 *
 * @param verb - The verb after "Did not".
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

/** Whether the file is in the workspace; `ref` is the path as the model spelled it. */
export function fileProvenance(
  context: Pick<ClaimContext, "workspace">,
  absolute: string,
  givenPath: string,
): Provenance {
  return { from: isWithin(context.workspace, absolute) ? "workspace" : "outside", ref: givenPath };
}

/** The provenance stored with the artifact; a command of this session otherwise. */
export async function artifactProvenance(artifacts: Artifacts, id: string, givenPath: string): Promise<Provenance> {
  const info = (await artifacts.list()).find((one) => one.id === id);
  return info?.provenance ?? { from: "workspace", ref: givenPath };
}
