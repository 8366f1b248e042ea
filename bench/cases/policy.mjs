/** What the policy adds: to a command that runs unasked, and to the decision itself. */
import { createToolkit } from "../../dist/index.js";
import { atMost, atMostTimes } from "../goals.mjs";
import { openBox } from "../tools/haft.mjs";

const CALLS = 200;
const DECISIONS = 1_000;

/** Commands of an ordinary hour. */
const ORDINARY = [
  "git status --short",
  "git log --oneline | head -20",
  "grep -rn TODO src | sort | uniq -c",
  "npm test 2>&1 | tail -40",
  "sed -n '1,40p' src/index.ts && wc -l src/*.ts",
];
/** One command: lines as scripts have them, 200 of them in 10 KB. */
const script = (lines) =>
  Array.from({ length: lines }, (_, index) => `grep -n "name ${index}" src/file-${index}.ts | head -5`).join("\n");

async function trueUnder(autonomy, scratch) {
  const box = await openBox(scratch, `${scratch}/state`, { autonomy });
  return async () => {
    for (let turn = 0; turn < CALLS; turn++) await box.must("bash", { command: "true" });
  };
}

function deciding(id, what, commands, limitMs, decisions = DECISIONS) {
  return {
    id,
    table: "library",
    what,
    unit: "call",
    goals: [atMost(limitMs)],
    sides: {
      ours: async ({ scratch }) => {
        const toolkit = await createToolkit({ autonomy: "supervised", workspace: scratch, persist: false });
        const { policy } = toolkit.host;
        const call = {
          callId: "decide",
          tool: "bash",
          effect: "write",
          target: "local",
          sessionId: "bench",
          autonomy: "supervised",
          sandboxed: false,
          taint: [],
          cwd: scratch,
          workspace: scratch,
          home: "/home/user",
        };
        return async () => {
          for (let turn = 0; turn < decisions; turn++) {
            const command = commands[turn % commands.length];
            policy.decide([{ kind: "command", command, cwd: scratch }], call);
          }
          return { calls: decisions };
        };
      },
    },
  };
}

export const cases = [
  deciding("policy-decide", "decide on an ordinary command", ORDINARY, 1),
  deciding("policy-decide-10k", "decide on a command of 10 KB, 400 programs", [script(200)], 5),
  deciding(
    "policy-decide-60k",
    "decide on a command of 60 KB, nearly the longest that is parsed",
    [script(1_300)],
    30,
    150,
  ),
  deciding("policy-decide-100k", "decide on a command of 100 KB, which is not parsed", [script(2_200)], 1),
  {
    id: "policy-true",
    table: "library",
    what: "`true`, 200 times, supervised; raw: the same under full autonomy",
    goals: [atMostTimes(1.1, { name: "full autonomy" })],
    sides: {
      raw: ({ scratch }) => trueUnder("full", scratch),
      ours: ({ scratch }) => trueUnder("supervised", scratch),
    },
  },
];
