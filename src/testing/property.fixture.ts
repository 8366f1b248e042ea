/** fast-check with 1,000 runs of each property, 10,000 in a long run. */
import fc from "fast-check";
import { runCount } from "./long.fixture.js";

fc.configureGlobal({ numRuns: runCount(1_000) });

export { fc, runCount };
