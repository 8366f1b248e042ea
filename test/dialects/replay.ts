/** Plays a golden transcript through a box over the memory backend. */
import { createMemoryBackend } from "../../src/backends/memory/index.js";
import { indusagi } from "../../src/dialects/index.js";
import {
  createHostContext,
  type DefinedTool,
  presentTool,
  type ReadStateRecord,
  ToolRegistry,
  targetOf,
} from "../../src/kernel/index.js";
import { bareHost, bareSession } from "../../src/testing/fakes/bare-host.fixture.js";
import type { ExpectedOutcome, Transcript } from "./transcripts/transcript-shape.js";

export interface Replayed {
  readonly call: string;
  readonly expected: ExpectedOutcome;
  readonly seen: { readonly is_error: boolean; readonly output: unknown };
}

/** The outcome of each call, and the contents of the working directory afterwards. */
export async function replay(
  transcript: Transcript,
  tools: readonly DefinedTool[],
): Promise<{ readonly calls: readonly Replayed[]; readonly files: Readonly<Record<string, string | null>> }> {
  const dialect = indusagi({ edition: transcript.edition ?? "rust" });
  const registry = new ToolRegistry();
  for (const tool of tools) {
    const presenter = dialect.tools[tool.name];
    if (presenter !== undefined) registry.register(presentTool(tool, presenter, dialect));
  }
  for (const [name, members] of Object.entries(dialect.collections))
    registry.collection(
      name,
      members.filter((member) => registry.has(member)),
    );
  const backend = createMemoryBackend({ files: transcript.files ?? {} });
  const session = bareSession();
  const readState = new Map<string, ReadStateRecord>();
  const framework = transcript.readState === true ? { framework: { readState } } : {};
  const host = bareHost();
  const box = registry.toToolBox(
    () => createHostContext({ host, session, target: targetOf(backend), dialect, ...framework }),
    transcript.collection,
  );
  const calls: Replayed[] = [];
  const fs = backend.root.fs;
  for (const [index, { name, input, outcome, meanwhile }] of transcript.calls.entries()) {
    const seen = dialect.envelope(await box.runner.run({ id: `c${index}`, name, input }));
    calls.push({ call: `${index + 1} ${name}`, expected: outcome, seen: seen as Replayed["seen"] });
    for (const [path, content] of Object.entries(meanwhile ?? {}))
      await fs.writeFile(`${backend.cwd}/${path}`, content);
  }
  const files: Record<string, string | null> = {};
  for (const path of Object.keys(transcript.after ?? {})) {
    const absolute = `${backend.cwd}/${path}`;
    files[path] = (await fs.exists(absolute)) ? await fs.readText(absolute) : null;
  }
  await backend.close();
  return { calls, files };
}
