import { getEventListeners } from "node:events";
import { expect, it } from "vitest";
import { AbortHub } from "./abort-hub.js";

it("has one listener on its signal however many wait, and none once none waits", () => {
  const control = new AbortController();
  const hub = new AbortHub(control.signal);
  const reported: number[] = [];
  const stops = Array.from({ length: 30 }, (_, index) => hub.on(() => reported.push(index)));
  expect(getEventListeners(control.signal, "abort")).toHaveLength(1);
  for (const stop of stops.slice(1)) stop();
  expect(getEventListeners(control.signal, "abort")).toHaveLength(1);
  stops[0]?.();
  expect(getEventListeners(control.signal, "abort")).toHaveLength(0);
  hub.on(() => reported.push(99));
  control.abort();
  expect([reported, hub.aborted]).toEqual([[99], true]);
});

it("calls the same listener as often as it was added, and at once when the signal has fired", () => {
  const control = new AbortController();
  const hub = new AbortHub(control.signal);
  let calls = 0;
  const listener = () => void calls++;
  const stop = hub.on(listener);
  hub.on(listener);
  stop();
  control.abort();
  hub.on(listener);
  expect(calls).toBe(2);
});
