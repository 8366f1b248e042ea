/** bash beside a plain `sh -c`. */
import { spawn } from "node:child_process";
import { atMostTimes, memory, right } from "../goals.mjs";
import { sidesOf } from "../tools/sides.mjs";

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

function trueCase(id, what, count, atOnce, factor) {
  return {
    id,
    table: "library",
    what,
    goals: [atMostTimes(factor)],
    sides: {
      raw: async () => () => times(count, atOnce, () => rawCommand("true")),
      ...sidesOf("library", { act: (tools) => times(count, atOnce, () => tools.bash({ command: "true" })) }),
    },
  };
}

const outputOf = ({ outputBytes }) => `head -c ${outputBytes} /dev/zero | tr '\\0' a`;

/** The answer keeps the end of the output and reports exactly how long the whole was. */
function checkOutput(text, { layout }) {
  const bare = String(text).replaceAll(/[,_](?=\d)/g, "");
  if (!bare.includes("aaaa")) return { say: "shows none of it", wrong: true };
  return bare.includes(String(layout.outputBytes)) ? {} : { say: "does not report its length" };
}

export const cases = [
  trueCase("bash-true", "`true`, 200 times", 200, 1, 1.4),
  trueCase("bash-true-16", "`true`, 200 times, 16 at once", 200, 16, 1.3),
  {
    id: "bash-output",
    table: "library",
    what: "2 GiB of output",
    goals: [atMostTimes(1.3), memory(150), right],
    warm: false,
    sides: {
      raw:
        async ({ layout }) =>
        async () =>
          void (await rawCommand(outputOf(layout))),
      ...sidesOf("library", {
        act: (tools, { layout }) => tools.bash({ command: outputOf(layout) }),
        check: checkOutput,
      }),
    },
  },
];
