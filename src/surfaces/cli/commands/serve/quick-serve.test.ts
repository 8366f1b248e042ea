import { describe, expect, it } from "vitest";
import { buildProgram } from "../../program.js";
import { quickServe } from "./quick-serve.js";

/** What the parser of all commands makes of it; a sentence where it refuses. */
async function parsed(args: readonly string[]): Promise<unknown> {
  const program = buildProgram();
  let options: unknown;
  for (const command of program.commands) command.configureOutput({ writeErr() {}, writeOut() {} });
  const serve = program.commands.find((command) => command.name() === "serve");
  serve?.action((given: unknown) => {
    options = given;
  });
  try {
    await program.parseAsync(["node", "haft", ...args]);
    return options;
  } catch (error) {
    return String(error);
  }
}

describe("the quick way to serve over standard input and output", () => {
  it.each([
    ["serve", "--stdio"],
    ["serve", "--stdio", "--workspace", "/w"],
    ["serve", "--workspace=/w", "--stdio", "--dialect=buddy"],
    ["serve", "--stdio", "--env", "A", "--env", "B", "--on", "memory", "--collection", "coding"],
    ["serve", "--stdio", "--gate", "write", "--state", "s", "--autonomy", "full"],
    ["serve", "--stdio", "--workspace", "a", "--workspace", "b"],
    ["serve", "--stdio", "--no-config"],
    ["serve", "--stdio", "--no-schedules"],
    ["serve", "--stdio", "--config", "c.jsonc"],
  ])("understands %s %s %s %s as the parser of all commands does", async (...args) => {
    const quick = quickServe(args);
    expect(quick).toBeDefined();
    expect({ ...quick }).toEqual(await parsed(args));
  });

  it.each([
    [[]],
    [["serve"]],
    [["tools", "--stdio"]],
    [["serve", "--stdio", "--help"]],
    [["serve", "--stdio", "--port", "1"]],
    [["serve", "--stdio", "--once"]],
    [["serve", "--stdio", "--unknown"]],
    [["serve", "--stdio", "left over"]],
    [["serve", "--stdio", "--workspace"]],
    [["serve", "--stdio", "--config", "c", "--no-config"]],
    [["--stdio", "serve"]],
  ])("leaves %j to it", (args) => {
    expect(quickServe(args)).toBeUndefined();
  });

  it("knows every option of the command but those that go without --stdio", () => {
    const serve = buildProgram().commands.find((command) => command.name() === "serve");
    const flags = serve?.options.map(({ long, required }) => ({ long: long ?? "", required })) ?? [];
    const known = flags.filter(
      ({ long, required }) => quickServe(["serve", "--stdio", long, ...(required ? ["off"] : [])]) !== undefined,
    );
    const others = flags.filter((flag) => !known.includes(flag)).map(({ long }) => long);
    expect(others).toEqual(["--port", "--once", "--sandbox", "--container", "--ssh", "--tmux"]);
  });
});
