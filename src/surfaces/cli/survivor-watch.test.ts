import { expect, it } from "vitest";
import type { Hooks, ToolResult } from "../../kernel/index.js";
import { survivorWatch } from "./survivor-watch.js";

it("reports what became of a command that was sent to a pane", async () => {
  const { hooks, report } = survivorWatch(() => ({ target: "local+tmux=work" }));
  const result: ToolResult = { content: [], isError: false, data: { dispatchedTo: { pane: "%1", session: "work" } } };
  type Call = Parameters<NonNullable<Hooks["aroundRun"]>>[0];
  await hooks.aroundRun?.({} as Call, async () => result);
  expect(report([])).toEqual([
    "closed the pane %1 with its command at the end of this call; `haft serve` keeps panes open.",
  ]);
  const left = 'tmux pane %1 of the session "work" (a user is attached)';
  expect(report([left])).toEqual([`left the ${left}.`]);
});

it.each([
  ["image:alpine", "stopped j on image:alpine at the end of this call."],
  ["ssh:box", "j still runs on ssh:box; `haft call process action=stop id=j --on ssh:box` stops it."],
])("says what becomes of a kept job on %s", async (target, line) => {
  const { hooks, report } = survivorWatch(() => ({ target }));
  const data = { action: "start", job: { id: "j", lifetime: "keep", status: "running" } };
  type Call = Parameters<NonNullable<Hooks["aroundRun"]>>[0];
  await hooks.aroundRun?.({} as Call, async () => ({ content: [], isError: false, data }));
  expect(report([])).toEqual([line]);
});

it("reports that the panes of a result are closed, but for those of others and of other tools", async () => {
  const { hooks, report } = survivorWatch(() => ({ target: "local+tmux=work" }));
  const pane = (id: string, owned: boolean) => ({ pane: id, session: "work", owned });
  for (const data of [
    { action: "list", panes: [pane("%0", true), pane("%4", false)] },
    { action: "open", panes: [pane("%5", true)] },
    { state: pane("%0", true) },
    { action: "close", panes: [], closed: "%9" },
    { state: "done", panes: 3 },
  ]) {
    type Call = Parameters<NonNullable<Hooks["aroundRun"]>>[0];
    await hooks.aroundRun?.({} as Call, async () => ({ content: [], isError: false, data }));
  }
  expect(report([])).toEqual([
    "closed the panes %0, %5 with their command at the end of this call; `haft serve` keeps panes open.",
  ]);
});
