import { describe, expect, it } from "vitest";
import { verifies } from "../../src/testing/verifies.fixture.js";
import { builtinTools } from "../../src/tools/index.js";
import { INDUSAGI_TRANSCRIPTS } from "./indusagi-transcripts.js";
import { replay } from "./replay.js";

/** What the transcripts prove, all of them together. */
const ROWS = [
  "IP-010",
  "IP-017",
  "IP-018",
  "IP-025",
  "IP-029",
  "IP-030",
  "IR-003",
  "IR-008",
  "IR-010",
  "IR-011",
  "IR-012",
  "IR-013",
  "IR-014",
  "IR-016",
  "IR-020",
  "IR-049",
  "IR-050",
  "IR-058",
  "IR-059",
  "IR-060",
  "IR-061",
  "IR-062",
  "IR-063",
  "IR-065",
  "IR-066",
  "IR-067",
  "IR-068",
  "IR-069",
  "IR-070",
  "IR-071",
  "IR-072",
  "IR-073",
  "IR-074",
  "IR-075",
  "IR-076",
  "IR-077",
  "IR-078",
  "IR-079",
  "IR-080",
  "IR-081",
  "IR-082",
  "IR-083",
  "IR-084",
  "IR-085",
  "IR-086",
  "IR-087",
  "IR-088",
  "IR-089",
  "IR-090",
  "IR-091",
  "IR-093",
  "IR-094",
  "IR-095",
  "IR-096",
  "IR-097",
  "IR-098",
  "IR-099",
  "IR-100",
  "IR-102",
  "IR-103",
  "IR-112",
  "IR-113",
  "IR-114",
  "IR-115",
  "IR-116",
  "IR-129",
  "IR-130",
  "IR-131",
];

describe("golden transcripts of indusagi on the memory backend", () => {
  for (const transcript of INDUSAGI_TRANSCRIPTS) {
    verifies(transcript.rows, transcript.title, async () => {
      const { calls, files } = await replay(transcript, builtinTools);
      for (const { call, expected, seen } of calls) {
        expect({ call, is_error: seen.is_error, output: seen.output }).toEqual({
          call,
          is_error: expected.is_error,
          output: expected.output === undefined ? seen.output : expected.output,
        });
        const text = typeof seen.output === "string" ? seen.output : JSON.stringify(seen.output);
        for (const part of expected.has ?? []) expect(text, call).toContain(part);
      }
      expect(files).toEqual(transcript.after ?? {});
    });
  }

  it("are plain data and prove these requirements, no more and no less", () => {
    expect(JSON.parse(JSON.stringify(INDUSAGI_TRANSCRIPTS))).toEqual(INDUSAGI_TRANSCRIPTS);
    expect([...new Set(INDUSAGI_TRANSCRIPTS.flatMap(({ rows }) => rows))].sort()).toEqual(ROWS);
  });
});
