import { describe, expect, it } from "vitest";
import { createMemoryBackend } from "../../backends/memory/index.js";
import { realClock } from "../conform.fixture.js";
import { type Fixture, fsSuite, type Plan, runnable, searchSuite, shellSuite } from "../index.js";
import { brokenBackend } from "./broken-backend.fixture.js";

/** Cases that run until a limit when a backend is broken this way, or need what memory has not. */
const SLOW =
  /timeout|abort|spawn|survivor|process|term|endless|call-|told-|slow|large|ten-mib|long|flood|very-late|new-session/;

describe("a deliberately broken backend", () => {
  it("fails in all three suites, in at least ten cases that name its faults", async () => {
    const plan: Plan<Fixture> = {
      name: "broken",
      create: async () => {
        const backend = createMemoryBackend({ clock: realClock });
        return {
          backend: brokenBackend(backend),
          directory: "/workspace",
          clock: realClock,
          plant: async (what) => backend.plant(what),
          dispose: async () => {
            await backend.close();
          },
        };
      },
      cannot: {},
      knownFailures: {},
    };
    const red: string[] = [];
    for (const one of runnable(plan, [fsSuite, shellSuite, searchSuite])) {
      if (SLOW.test(one.id)) continue;
      await one.run().catch(() => red.push(one.id));
    }
    expect(red.length).toBeGreaterThanOrEqual(10);
    expect(red).toEqual(
      expect.arrayContaining([
        "fs:read:strict-utf8",
        "fs:read:mark-is-kept",
        "fs:range:negative",
        "fs:replace:absent-is-exclusive",
        "fs:replace:expect-sha256",
        "fs:stat:whole-milliseconds",
        "fs:readdir:sorted",
        "fs:readdir:limit",
        "fs:rm:directory-needs-recursive",
        "fs:rename:exists",
        "fs:exists:never-rejects",
        "shell:exit:zero-and-one",
        "shell:stdin:given",
        "shell:env:overlay",
        "shell:output:head-and-tail",
        "shell:output:default-keep",
        "search:grep:literal",
        "search:grep:lines",
        "search:pages:neither-overlap-nor-skip",
      ]),
    );
    // Cases of what it does not break pass.
    expect(red).not.toContain("fs:mkdir:plain");
    expect(red).not.toContain("search:walk:kinds");
  }, 90_000);
});
