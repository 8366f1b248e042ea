import { afterEach, expect, it, vi } from "vitest";
import { describeUnless, skipTest } from "./services.fixture.js";

afterEach(() => vi.unstubAllEnvs());

it("with REQUIRE_ALL=1 a missing component is a failure, not a skipped test", () => {
  vi.stubEnv("REQUIRE_ALL", "1");
  const skip = vi.fn(() => {
    throw new Error("skipped");
  });
  expect(() => describeUnless("it is absent", "a part", () => {})).toThrow("Tests of a part cannot run: it is absent.");
  expect(() => skipTest({ skip }, "it is absent")).toThrow("This test cannot run: it is absent.");
  expect(skip).not.toHaveBeenCalled();
});
