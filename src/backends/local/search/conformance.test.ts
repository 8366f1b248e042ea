import { conform } from "../../../testing/conform.fixture.js";
import { searchSuite } from "../../../testing/index.js";
import { isSampled } from "../../../testing/long.fixture.js";
import { searchFixture } from "./search.fixture.js";

// ripgrep through held directories is proved with the whole backend, our own engine with that of the memory: a sample of each.
for (const [engine, mode] of [
  ["ripgrep", "checked"],
  ["own", "pinned"],
] as const) {
  conform(
    {
      name: `search, ${engine}, ${mode}`,
      create: async () => searchFixture(engine, mode),
      cannot: {},
      knownFailures: {},
    },
    [searchSuite],
    (_one, index) => isSampled(index),
  );
}
