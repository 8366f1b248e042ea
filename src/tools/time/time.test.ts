import { describe, expect, it } from "vitest";
import { bareHost } from "../../testing/fakes/bare-host.fixture.js";
import { memoryBench } from "../tool-bench.fixture.js";
import type { TimeData } from "./contract.js";

/** 2026-03-29 01:30:15.250 UTC, half an hour after Berlin went over to summer time. */
const NOW_MS = Date.UTC(2026, 2, 29, 1, 30, 15, 250);

function time(input: object, nowMs = NOW_MS) {
  const clock = { ...bareHost().clock, now: () => nowMs };
  return memoryBench({}, { host: { clock } }).call<TimeData>("time", input);
}

const shown = async (input: object, nowMs?: number) => (await time(input, nowMs)).data?.text;

describe("time", () => {
  it("is the host's clock in UTC, with all its nanoseconds as text", async () => {
    expect((await time({})).data).toEqual({
      epochNs: "1774747815250000000",
      zone: "UTC",
      format: "iso",
      text: "2026-03-29T01:30:15+00:00",
    });
    expect(Number("1774747815250000000")).toBeGreaterThan(Number.MAX_SAFE_INTEGER);
  });

  it("knows the zones of the world, whatever their case, with their offset of that moment", async () => {
    expect(await shown({ zone: "Europe/Berlin" })).toBe("2026-03-29T03:30:15+02:00");
    expect(await shown({ zone: "Europe/Berlin" }, NOW_MS - 3_600_000)).toBe("2026-03-29T01:30:15+01:00");
    expect(await shown({ zone: "America/St_Johns" })).toBe("2026-03-28T23:00:15-02:30");
    expect((await time({ zone: "asia/tokyo" })).data).toMatchObject({ zone: "Asia/Tokyo" });
    expect((await time({ zone: "Asia/Kolkata" })).data).toMatchObject({ zone: "Asia/Kolkata" });
    expect(await shown({ zone: "Asia/Kolkata" })).toBe("2026-03-29T07:00:15+05:30");
  });

  it("is returned in four formats", async () => {
    const zone = "America/New_York";
    expect(await shown({ zone, format: "long" })).toBe(
      "Saturday, 28 March 2026, 21:30:15 America/New_York (UTC-04:00)",
    );
    expect(await shown({ zone, format: "rfc2822" })).toBe("Sat, 28 Mar 2026 21:30:15 -0400");
    expect(await shown({ zone, format: "unix" })).toBe("1774747815");
    expect(await shown({ zone: "UTC", format: "iso" }, -1)).toBe("1969-12-31T23:59:59+00:00");
  });

  it("refuses a zone or a format that is none, with what to write", async () => {
    expect(await time({ zone: "Europe/Berln" })).toMatchObject({
      isError: true,
      code: "CALL_INVALID",
      message: expect.stringMatching(
        /^Did not return the time: `zone` "Europe\/Berln" is not a time zone; .* or UTC\. Did you mean Europe\/Berlin,/,
      ),
      details: { parameter: "zone" },
    });
    expect(await time({ zone: "+02:00 " })).toMatchObject({ isError: true, code: "CALL_INVALID" });
    const refused = await time({ format: "%H:%M" });
    expect(refused).toMatchObject({ isError: true, status: "invalid" });
    expect(refused.message).toMatch(/format.*iso/s);
  });
});
