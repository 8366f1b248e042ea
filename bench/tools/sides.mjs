/** Who plays a case, by the form in which a user meets it. */

import { openServer } from "../mcp/servers.mjs";
import { openGemini } from "../peers/gemini.mjs";
import { openPi } from "../peers/pi.mjs";
import { openHaft } from "./haft.mjs";
import { openHaftProgram, openOpencode } from "./programs.mjs";

const server = (name) => (place) => openServer(name, place);

const PLAYERS = {
  library: { ours: openHaft, pi: openPi, gemini: openGemini },
  mcp: { ours: server("ours"), filesystem: server("filesystem"), commander: server("commander") },
  program: { ours: openHaftProgram, opencode: openOpencode },
};

/**
 * The sides of a case that all tools can play: each opens its tools in the directory that `where` gives, and `act` uses them.
 * What `act` gives is the text of the answer; `check` makes a remark of it, and `before` comes before each, unmeasured.
 */
export function sidesOf(table, { where, act, check = () => ({}), before, leave = [] }) {
  const players = Object.entries(PLAYERS[table]).filter(([name]) => !leave.includes(name));
  const side = (open) => async (place) => {
    const cwd = where?.(place) ?? place.scratch;
    const tools = await open({ ...place, cwd });
    const run = async () => check(await act(tools, place), place, tools);
    return { run, before: () => before?.(place), pids: tools.pids, peakMb: tools.peakMb, close: tools.close };
  };
  return Object.fromEntries(players.map(([name, open]) => [name, side(open)]));
}
