import { expect, it } from "vitest";
import { buddyDialect } from "../dialects/index.js";
import { builtinRegistry, createToolkit, isOutcomeOf } from "./index.js";

it("an outcome names its tool as Haft does, with its data, under whichever name a dialect calls it", async () => {
  await using toolkit = await createToolkit({ autonomy: "full", dialect: "buddy", on: "memory", persist: false });
  const { runner } = toolkit.box();
  const { name } = builtinRegistry(buddyDialect).get("run_shell");
  const outcome = await runner.run({ id: "1", name, input: { command: "echo hi" } });
  expect(outcome).toMatchObject({ tool: "bash", status: "ok" });
  expect(isOutcomeOf(outcome, "read")).toBe(false);
  expect(isOutcomeOf(outcome, "bash") && outcome.data?.exitCode).toBe(0);
});

it("data is there for a failure that has some, redacted, and absent for a call that never ran", async () => {
  const redactor = { redact: (text: string) => text.replaceAll("hunter2", "[secret]") };
  await using toolkit = await createToolkit({ autonomy: "full", on: "memory", persist: false, redactor });
  const { runner } = toolkit.box();
  const failed = await runner.run({ id: "1", name: "bash", input: { command: "echo hunter2; exit 3" } });
  expect(failed).toMatchObject({ isError: true, data: { exitCode: 3, stdout: { head: "[secret]\n" } } });
  const invalid = await runner.run({ id: "2", name: "bash", input: {} });
  expect([invalid.tool, Object.hasOwn(invalid, "data")]).toEqual(["bash", false]);
  const unknown = await runner.run({ id: "3", name: "bsah", input: {} });
  expect([unknown.tool, unknown.status]).toEqual(["bsah", "unknown-tool"]);
});
