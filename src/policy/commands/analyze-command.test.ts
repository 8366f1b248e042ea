import { describe, expect, it } from "vitest";
import { relativeInside, resolvePath } from "../../text/index.js";
import { analyzeCommand } from "./analyze-command.js";
import { COMMAND_ROWS } from "./command-rows.fixture.js";
import { COMMAND_PROBLEMS, type CommandJudgement } from "./judgement.js";
import { MAX_COMMAND_LENGTH } from "./limits.js";

const OPTIONS = { cwd: "/ws", home: "/home/u" };

/** The judgement as the facts of the table. */
function factsOf({ segments, problems }: CommandJudgement): string[] {
  return [
    ...segments.flatMap(({ files }) =>
      files.map(({ path, access, scope }) => `${access} ${path}${scope === "tree" ? "/**" : ""}`),
    ),
    ...segments.flatMap(({ hosts }) => hosts.map((host) => `network ${host}`)),
    ...segments.flatMap(({ runsWorkspaceCode }) => (runsWorkspaceCode ? ["code"] : [])),
    ...segments.map(({ wrappers, program }) => `runs ${wrappers.join(".") || "."} ${program}`),
    ...problems.map(({ kind }) => kind),
  ];
}

/** Why a command would not pass without a question. */
function questionsOf({ segments, problems }: CommandJudgement): string[] {
  return [
    ...problems.map(({ detail }) => detail),
    ...segments.flatMap(({ network, runsWorkspaceCode, program }) => (network || runsWorkspaceCode ? [program] : [])),
    ...segments.flatMap(({ files }) =>
      files.flatMap(({ path, resolved, access }) =>
        resolved && access === "read" && relativeInside(OPTIONS.cwd, path) !== undefined ? [] : [`${access} ${path}`],
      ),
    ),
  ];
}

/** Paths in the table are relative to the workspace. */
function inFull(fact: string): string {
  const [, access, path = "", tree = ""] = /^(read|write|delete) (.+?)(\/\*\*)?$/.exec(fact) ?? [];
  return access === undefined ? fact : `${access} ${resolvePath(OPTIONS.cwd, path)}${tree}`;
}

describe("the judgement of a command", () => {
  it.each(COMMAND_ROWS.map((row) => [row.command, row] as const))("%s", (command, { expected, facts }) => {
    const judgement = analyzeCommand(command, OPTIONS);
    const found = factsOf(judgement);
    if (expected === "quiet") expect(questionsOf(judgement)).toEqual([]);
    if (!facts.includes("no quiet")) expect(judgement.risk).toBe(expected === "quiet" ? "low" : expected);
    for (const fact of facts) {
      if (fact === "no quiet") expect(judgement.risk).not.toBe("low");
      else if (fact.startsWith("no ")) expect(found).not.toContain(inFull(fact.slice(3)));
      else expect(found).toContain(inFull(fact));
    }
  });

  it("has rows for every kind of problem", () => {
    const kinds = COMMAND_ROWS.flatMap(({ command }) =>
      analyzeCommand(command, OPTIONS).problems.map(({ kind }) => kind),
    );
    expect([...new Set(kinds)].sort()).toEqual(COMMAND_PROBLEMS.filter((kind) => kind !== "too-long").toSorted());
  });

  it("is high for a text that is too long to be parsed", () => {
    const text = "a".repeat(MAX_COMMAND_LENGTH + 1);
    expect(analyzeCommand(text, OPTIONS)).toMatchObject({
      risk: "high",
      segments: [],
      problems: [{ kind: "too-long" }],
    });
  });

  it("names the directories that a path leaves by `..`, which may be symlinks", () => {
    const through = (command: string) =>
      analyzeCommand(command, OPTIONS).segments.flatMap(({ files }) => files.flatMap((file) => file.through ?? []));
    expect(through("cat src/../a.txt")).toEqual(["/ws/src"]);
    expect(through("cd a/b && cat ../../a.txt")).toEqual(["/ws/a/b", "/ws/a"]);
    expect(through("cat ../a.txt /ws/../b.txt")).toEqual([]);
  });

  it("judges a command once for each value of its variables", () => {
    const { segments } = analyzeCommand("for a in x y; do for b in 1 2; do cat $a$b; done; done", OPTIONS);
    expect(segments.map(({ args }) => args[0])).toEqual(["x1", "x2", "y1", "y2"]);
  });

  it("is high where texts inside texts exceed the limits", () => {
    const nested = `${"eval ".repeat(100)}ls`;
    const deep = "$(".repeat(30_000);
    const many = "ls;".repeat(5_000);
    for (const text of [nested, deep, many]) {
      const { risk, problems } = analyzeCommand(text, OPTIONS);
      expect(risk).toBe("high");
      expect(problems.map(({ kind }) => kind)).toContain("too-long");
    }
  });
});
