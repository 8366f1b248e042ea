/** A command in a pane and its output, beside the same by hand: one client in control mode, keys, and a mark in what it prints. */
import { spawn, spawnSync } from "node:child_process";
import { atMostMore } from "../goals.mjs";
import { openBox } from "../tools/haft.mjs";

const COMMANDS = 20;
const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux) console.error("skipped: tmux: it is not installed");

/** A server of its own, and one client that types a command and waits for its mark. */
async function byHand({ scratch }) {
  const { TMUX: _, ...env } = process.env;
  const start = ["-S", `${scratch}/s`, "-f", "/dev/null", "-C", "new-session", "env", "PS1=$ ", "sh"];
  const client = spawn("tmux", ["-u", ...start], { env: { ...env, TERM: "xterm-256color" } });
  let seen = "";
  let wake = () => {};
  client.stdout.on("data", (bytes) => {
    seen += bytes;
    wake();
  });
  const until = async (text) => {
    while (!seen.includes(text)) await new Promise((done) => (wake = done));
    seen = "";
  };
  let turn = 0;
  const run = async () => {
    for (let count = 0; count < COMMANDS; count++) {
      turn += 1;
      // The echo of the typed line has the mark in two parts.
      client.stdin.write(`send-keys -l "echo hi; echo M''${turn}:\\$?"\nsend-keys Enter\n`);
      await until(`M${turn}:0`);
    }
    return { calls: COMMANDS };
  };
  const close = async () => {
    spawnSync("tmux", ["-S", `${scratch}/s`, "kill-server"]);
    client.kill();
  };
  return { run, close };
}

const tmuxCases = [
  {
    id: "tmux",
    table: "library",
    what: "`echo hi` in a pane of tmux, run and collected",
    unit: "call",
    goals: [atMostMore(5)],
    sides: {
      raw: byHand,
      ours: async ({ scratch }) => {
        const box = await openBox(scratch, `${scratch}/state`, { on: ["local+tmux,shell=pane"] });
        const run = async () => {
          for (let count = 0; count < COMMANDS; count++) await box.must("bash", { command: "echo hi" });
          return { calls: COMMANDS };
        };
        await run();
        return { run, close: box.close };
      },
    },
  },
];

export const cases = hasTmux ? tmuxCases : [];
