/** Replays ZeroClaw's transcripts through the whole pipeline: toolkit, policy, box, memory backend. */
import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../src/backends/memory/index.js";
import { createToolkit, zeroclawPolicy } from "../../src/index.js";
import type { Approver } from "../../src/kernel/index.js";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { transcriptState } from "./transcripts/transcript-state.fixture.js";
import type { ZeroclawTranscript } from "./transcripts/zeroclaw-shape.js";
import { ZEROCLAW_TRANSCRIPTS } from "./zeroclaw-transcripts.js";

/** What the transcripts prove, all of them together. */
const ROWS = [
  "ZC-005",
  "ZC-006",
  "ZC-007",
  "ZC-009",
  "ZC-010",
  "ZC-011",
  "ZC-013",
  "ZC-014",
  "ZC-023",
  "ZC-024",
  "ZC-027",
  "ZC-028",
  "ZC-033",
  "ZC-035",
  "ZC-036",
  "ZC-037",
  "ZC-038",
  "ZC-041",
  "ZC-066",
  "ZC-067",
  "ZC-068",
  "ZC-069",
  "ZC-070",
  "ZC-071",
  "ZC-073",
  "ZC-074",
  "ZC-077",
  "ZC-078",
  "ZC-079",
  "ZC-088",
  "ZC-093",
];

const WORKSPACE = "/project";

async function replay({
  autonomy = "supervised",
  policy,
  approval,
  at,
  files = {},
  calls,
  after = {},
}: ZeroclawTranscript) {
  const backend = createMemoryBackend({ cwd: WORKSPACE, files, home: "/home/user" });
  const asked: string[] = [];
  const approver: Approver = {
    async ask({ reason }) {
      asked.push(reason);
      return approval === "granted" ? { by: "ada", scope: "once" } : { denied: "not now" };
    },
  };
  const kept = at === undefined ? undefined : transcriptState(Date.parse(at));
  await using toolkit = await createToolkit({
    ...(kept === undefined ? {} : { state: kept.state }),
    workspace: WORKSPACE,
    persist: false,
    on: "memory",
    backends: { memory: backend },
    dialect: "zeroclaw",
    autonomy,
    ...(policy === undefined ? {} : { policy: await zeroclawPolicy(policy) }),
    ...(approval === undefined ? {} : { approver }),
  });
  // Jobs and memories are in no collection but that of all tools.
  const { runner } = toolkit.box("all");
  const seen: unknown[] = [];
  const expected: unknown[] = [];
  for (const { name, input, result, times = 1, afterMs = 0 } of calls) {
    if (afterMs > 0) await kept?.later(afterMs, toolkit);
    for (let count = 1; count <= times; count++) {
      const call = { id: `c${seen.length}`, name, input: kept?.withIds(input) ?? input };
      const envelope = toolkit.dialect.envelope(await runner.run(call));
      expected.push([name, input, result]);
      seen.push([name, input, (await kept?.withoutIds(envelope)) ?? envelope]);
    }
  }
  const found: Record<string, string | null> = {};
  for (const path of Object.keys(after)) {
    const absolute = `${WORKSPACE}/${path}`;
    found[path] = (await backend.root.fs.exists(absolute)) ? await backend.root.fs.readText(absolute) : null;
  }
  return { seen, expected, asked, files: found };
}

describe("golden transcripts of zeroclaw on the memory backend", () => {
  for (const transcript of ZEROCLAW_TRANSCRIPTS)
    verifies(transcript.rows, transcript.title, async () => {
      const { seen, expected, asked, files } = await replay(transcript);
      expect(seen).toEqual(expected);
      expect(asked).toEqual(transcript.asked ?? []);
      expect(files).toEqual(transcript.after ?? {});
    });

  it("are plain data and prove these requirements, no more and no less", () => {
    expect([...new Set(ZEROCLAW_TRANSCRIPTS.flatMap(({ rows }) => rows))].sort()).toEqual(ROWS);
    expect(JSON.parse(JSON.stringify(ZEROCLAW_TRANSCRIPTS))).toEqual(ZEROCLAW_TRANSCRIPTS);
  });
});
