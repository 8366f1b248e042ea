/** bash beside a plain `sh -c`. */
import { spawn } from "node:child_process";
import { atMost, openBox } from "./haft.mjs";

function rawCommand(command) {
  return new Promise((done, failed) => {
    const child = spawn("sh", ["-c", command], { stdio: ["ignore", "pipe", "pipe"] });
    let bytes = 0;
    child.stdout.on("data", (chunk) => {
      bytes += chunk.length;
    });
    child.stderr.resume();
    child.on("error", failed);
    child.on("close", () => done(bytes));
  });
}

async function times(count, atOnce, body) {
  let next = 0;
  const lane = async () => {
    while (next++ < count) await body();
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

function shellCase(id, what, commandOf, count, atOnce, goal, rounds) {
  return {
    id,
    what,
    goal,
    ...(rounds === undefined ? {} : { rounds }),
    raw:
      async ({ layout }) =>
      () =>
        times(count, atOnce, () => rawCommand(commandOf(layout))),
    async ours({ layout, scratch }) {
      const box = await openBox(scratch, `${scratch}/state`);
      await box.must("bash", { command: "true" });
      return () => times(count, atOnce, () => box.must("bash", { command: commandOf(layout), timeoutMs: 600_000 }));
    },
  };
}

export const cases = [
  shellCase("bash-true", "`true`, 200 times", () => "true", 200, 1, atMost(1.25)),
  shellCase("bash-true-16", "`true`, 200 times, 16 at once", () => "true", 200, 16, atMost(1.3)),
  shellCase(
    "bash-output",
    "2 GiB of output",
    ({ outputBytes }) => `head -c ${outputBytes} /dev/zero | tr '\\0' a`,
    1,
    1,
    {
      text: "wall ≤ 1.3x, peak ≤ 150 MB",
      judge: ({ raw, ours }) => ours.wallMs <= raw.wallMs * 1.3 && ours.peakMb <= 150,
    },
    3,
  ),
];
