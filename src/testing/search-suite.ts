import type { Fixture } from "./fixture.js";
import type { Suite } from "./plan.js";
import { searchBounds } from "./search/bounds.js";
import { searchChoosing } from "./search/choosing.js";
import { searchIgnoring } from "./search/ignoring.js";
import { searchLines } from "./search/lines.js";
import { searchMatching } from "./search/matching.js";

/** What every `Search` guarantees: what a pattern finds, which files are searched, and how a search ends. */
export const searchSuite: Suite<Fixture> = [
  ...searchMatching,
  ...searchLines,
  ...searchChoosing,
  ...searchIgnoring,
  ...searchBounds,
];
