/** That a user who is asked about a schedule sees that it is one, and when it would run, wherever they are asked. */
import { PassThrough } from "node:stream";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ApprovalRequest } from "../kernel/index.js";
import { cliPlace } from "../testing/cli-place.fixture.js";
import { stripControls } from "../text/index.js";
import { createToolkit } from "../toolkit/index.js";
import { showApproval } from "./cli/commands/approvals/run-approvals.js";
import { terminalApprover } from "./cli/terminal-approver.js";
import { approvalForm } from "./mcp/elicitation.js";

const place = cliPlace();
const command = "rm -f old.log";
const NIGHTLY = { schedule: "7 3 * * *", tz: "Europe/Berlin", command, name: "tidy", missed: "2" };

/** The text of each surface for what this call asks. `before`: calls that the user allows. */
async function shownFor(tool: string, input: object, before: readonly [tool: string, input: object][] = []) {
  const requests: ApprovalRequest[] = [];
  await using toolkit = await createToolkit({
    workspace: place.workspace,
    stateDir: place.state(),
    autonomy: "supervised",
    approver: {
      async ask(request) {
        requests.push(request);
        return requests.length > before.length ? { pending: true } : { by: "ada", scope: "once" };
      },
    },
  });
  const box = toolkit.box();
  for (const [name, one] of before) await box.runner.run({ id: "c", name, input: one });
  await box.runner.run({ id: "c", name: tool, input });
  const request = requests.at(-1)!;
  const printed: string[] = [];
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => printed.push(String(text)) > 0);
  await showApproval(request.token, { state: place.state() }).finally(() => write.mockRestore());
  return { terminal: await atTerminal(request), approvals: printed.join(""), form: approvalForm(request).message };
}

async function atTerminal(request: ApprovalRequest): Promise<string> {
  let printed = "";
  const typed = new PassThrough();
  typed.end("n\n");
  const terminal = {
    open: () => typed,
    write: (text: string) => {
      printed += text;
    },
    columns: 100,
  };
  await terminalApprover(terminal, (question) => question()).ask(request, {});
  return printed;
}

const SURFACES = ["terminal", "approvals", "form"] as const;

describe("the question about a schedule", () => {
  let shown: Awaited<ReturnType<typeof shownFor>>;
  beforeEach(async () => {
    shown = await shownFor("cron_add", NIGHTLY);
  });

  it.each(SURFACES)("says when it runs, by which name, and what becomes of missed times: %s", (surface) => {
    const text = stripControls(shown[surface]).text;
    expect(text).toContain("cron_add would schedule this command:");
    expect(text).toContain(command);
    expect(text).toMatch(/when:? +every day at 03:07, Europe\/Berlin\n/);
    expect(text.match(/day \d{4}-\d\d-\d\d 03:07:00\+0[12]:00 Europe\/Berlin\n/g)).toHaveLength(3);
    expect(text).toMatch(/\nname:? +tidy\n/);
    expect(text).toMatch(/\nmissed:? +after a pause of Haft, at most the latest 2 missed times run\n/);
    expect(text).not.toContain('"collection"');
  });
});

it.each(SURFACES)("a changed command is shown with the times that stay: %s", async (surface) => {
  const change = { id: "tidy", command: "rm -f older.log" };
  const text = stripControls((await shownFor("cron_update", change, [["cron_add", NIGHTLY]]))[surface]).text;
  expect(text).toContain("cron_update would schedule this command:");
  expect(text).toContain("rm -f older.log");
  expect(text).toMatch(/when:? +every day at 03:07, Europe\/Berlin\n/);
  expect(text).toMatch(/\nname:? +tidy\n/);
});

it("what is due once has one time", async () => {
  const { terminal } = await shownFor("cron_add", { at: "2130-01-31T09:00:00Z", command, missed: "skip" });
  expect(terminal.match(/2130-01-31 09:00:00|2130-01-31 \d\d:00:00/g)).toHaveLength(1);
  expect(terminal).toContain("times missed while Haft is not running are skipped");
});
