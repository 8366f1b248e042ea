import { conform } from "../../../../test/conformance.js";
import { searchSuite } from "../../../testing/index.js";
import { searchFixture } from "./search.fixture.js";

for (const engine of ["ripgrep", "own"] as const) {
  conform({ name: `search, ${engine}`, create: async () => searchFixture(engine), cannot: {}, knownFailures: {} }, [
    searchSuite,
  ]);
}
