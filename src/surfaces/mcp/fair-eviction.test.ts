import { expect, it } from "vitest";
import { sessionToEvict } from "./fair-eviction.js";

const sessions = (...rows: readonly [key: string, client: string, isBusy?: boolean][]) =>
  new Map(rows.map(([key, client, isBusy = false]) => [key, { client, isBusy }]));

it("ends the session that stands first of the client that has the most", () => {
  expect(sessionToEvict(sessions(["1", "quiet"], ["2", "greedy"], ["3", "greedy"]))).toBe("2");
  expect(sessionToEvict(sessions(["1", "quiet"], ["2", "other"]))).toBe("1");
});

it("leaves a busy one, and ends none when all are busy", () => {
  expect(sessionToEvict(sessions(["1", "a", true], ["2", "a"], ["3", "b"]))).toBe("2");
  expect(sessionToEvict(sessions(["1", "a", true], ["2", "a", true], ["3", "b"]))).toBe("3");
  expect(sessionToEvict(sessions(["1", "a", true]))).toBeUndefined();
});
