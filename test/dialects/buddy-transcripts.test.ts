/** Replays buddy's transcripts through the whole pipeline: toolkit, policy, box, memory backend, a terminal that notes what reaches it. */
import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../src/backends/memory/index.js";
import { BuddyToolError, buddyApprover, buddyTools, createToolkit } from "../../src/index.js";
import { withFakeTerminal } from "../../src/testing/fakes/fake-terminal.fixture.js";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { BUDDY_TRANSCRIPTS, type BuddyTranscript } from "./buddy-transcripts.js";

/** What the transcripts prove, all of them together. */
const ROWS = [
  "BD-002",
  "BD-003",
  "BD-005",
  "BD-007",
  "BD-012",
  "BD-013",
  "BD-014",
  "BD-015",
  "BD-016",
  "BD-017",
  "BD-018",
  "BD-019",
  "BD-021",
  "BD-023",
  "BD-024",
  "BD-027",
  "BD-028",
  "BD-029",
  "BD-031",
  "BD-032",
  "BD-033",
  "BD-040",
  "BD-042",
  "BD-043",
  "BD-045",
  "BD-046",
  "BD-047",
  "BD-048",
  "BD-049",
  "BD-050",
  "BD-051",
  "BD-052",
  "BD-054",
  "BD-074",
  "BD-087",
  "BD-088",
];

const WORKSPACE = "/project";

async function replay({
  tmux,
  autonomy = "full",
  answer,
  files = {},
  screen = "",
  calls,
  after = {},
}: BuddyTranscript) {
  const memory = createMemoryBackend({ cwd: WORKSPACE, files });
  const terminal = withFakeTerminal(memory);
  terminal.fake.screens["%1"] = screen;
  const asked: string[] = [];
  const approver = buddyApprover(async (question) => {
    asked.push(question);
    return answer ?? "";
  });
  await using toolkit = await createToolkit({
    workspace: WORKSPACE,
    persist: false,
    on: "here",
    backends: { here: tmux === true ? terminal : memory },
    dialect: "buddy",
    autonomy,
    ...(answer === undefined ? {} : { approver }),
  });
  const { execute } = buddyTools(toolkit.box());
  const seen: unknown[] = [];
  for (const { name, args } of calls) {
    const answered = await execute(name, args).then(
      (result) => ({ result }),
      (error: unknown) => ({
        result: error instanceof BuddyToolError ? error.message : String(error),
        failed: error instanceof BuddyToolError ? error.kind : undefined,
      }),
    );
    seen.push({ name, args, ...answered });
  }
  const found: Record<string, string | null> = {};
  for (const path of Object.keys(after)) {
    const absolute = `${WORKSPACE}/${path}`;
    found[path] = (await memory.root.fs.exists(absolute)) ? await memory.root.fs.readText(absolute) : null;
  }
  return { seen, asked, typed: terminal.fake.seen, files: found };
}

describe("golden transcripts of buddy on the memory backend", () => {
  for (const transcript of BUDDY_TRANSCRIPTS)
    verifies(transcript.rows, transcript.title, async () => {
      const { seen, asked, typed, files } = await replay(transcript);
      expect(seen).toEqual(transcript.calls);
      expect(asked).toEqual(transcript.asked ?? []);
      expect(typed).toEqual(transcript.typed ?? []);
      expect(files).toEqual(transcript.after ?? {});
    });

  it("are plain data and prove these requirements, no more and no less", () => {
    expect([...new Set(BUDDY_TRANSCRIPTS.flatMap(({ rows }) => rows))].sort()).toEqual(ROWS);
    expect(JSON.parse(JSON.stringify(BUDDY_TRANSCRIPTS))).toEqual(BUDDY_TRANSCRIPTS);
  });
});
