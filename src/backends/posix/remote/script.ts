/** The scripts of the two channels, as they travel. */
import { BULK } from "./bulk.sh.js";
import { CHANGING } from "./changing.sh.js";
import { COMMAND } from "./command.sh.js";
import { ENDING } from "./ending.sh.js";
import { FACTS } from "./facts.sh.js";
import { JOBS } from "./jobs.sh.js";
import { KEPT } from "./kept.sh.js";
import { MINE } from "./mine.sh.js";
import { PLACE } from "./place.sh.js";
import { PUMP } from "./pump.sh.js";
import { REPLACING } from "./replacing.sh.js";
import { shrink } from "./sh.js";
import { STAT_SCRIPT } from "./stat.sh.js";
import { TREE } from "./tree.sh.js";
import { WORKER } from "./worker.sh.js";

/** The command channel's script; it reads its settings from the line behind it. */
export function commandScript(): string {
  return shrink([FACTS, MINE, TREE, PUMP, WORKER, JOBS, KEPT, ENDING, COMMAND, "hf_main\n"].join("\n"));
}

/** The bulk channel's script; the same way. */
export function bulkScript(): string {
  return shrink([FACTS, MINE, PLACE, BULK, STAT_SCRIPT, REPLACING, CHANGING, "hf_main\n"].join("\n"));
}
