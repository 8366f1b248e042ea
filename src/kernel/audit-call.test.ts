import { expect, it } from "vitest";
import { bareContext, bareHost } from "../testing/fakes/bare-host.fixture.js";
import { call } from "../testing/fakes/odd-tool.fixture.js";
import { defineTool, text } from "./index.js";

const runs = defineTool({
  name: "runs",
  description: "Claims a command.",
  input: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  effect: "write",
  claims: ({ command }: { command: string }) => [{ kind: "command", command, cwd: "/" }],
  run: () => text("done"),
});

async function entriesOf(command: string, redactor?: { redact(part: string): string }) {
  const host = bareHost(redactor === undefined ? {} : { redactor });
  await call(runs, bareContext(host), { input: { command } });
  return host.entries[0];
}

it("shows a record no secret, in what came as in what was touched", async () => {
  const entry = await entriesOf("echo hunter2", { redact: (part) => part.replaceAll("hunter2", "[secret]") });
  expect(JSON.stringify(entry)).not.toContain("hunter2");
  expect(entry?.ends[0]?.claims).toEqual([{ kind: "command", command: "echo [secret]", cwd: "/" }]);
});

it("keeps 4 KiB of each text", async () => {
  const entry = await entriesOf(`echo ${"é".repeat(100_000)}`);
  const [claim] = entry?.ends[0]?.claims ?? [];
  expect(claim).toMatchObject({ kind: "command", command: `echo ${"é".repeat(2_045)}` });
});

it("ends without what was touched where the redactor throws, and does not report the message of the redactor", async () => {
  const entry = await entriesOf("echo hunter2", {
    redact(part) {
      // The directory of the claim, which the input does not name.
      if (part === "/") throw new Error("hunter2");
      return "-";
    },
  });
  expect(entry?.ends).toHaveLength(1);
  expect(entry?.ends[0]).not.toHaveProperty("claims");
  expect(entry?.ends[0]?.note).toMatch(/The claims and the rule are omitted/);
  expect(JSON.stringify(entry)).not.toContain("hunter2");
});
