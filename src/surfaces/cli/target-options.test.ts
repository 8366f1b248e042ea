import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Finished } from "../../testing/built.fixture.js";
import { cliPlace } from "../../testing/cli-place.fixture.js";
import { withPrograms } from "../../testing/programs.fixture.js";
import { showControls } from "../../text/index.js";
import type { DoctorFinding } from "./commands/doctor/finding.js";

const place = cliPlace();
const haft = (...args: readonly string[]): Promise<Finished> => place.haft(args);
const config = (value: unknown): void =>
  writeFileSync(join(place.home, ".config", "haft", "haft.jsonc"), JSON.stringify(value));
let other: string;
beforeEach(() => {
  other = join(place.root, "other");
  mkdirSync(other);
  mkdirSync(join(place.home, ".config", "haft"), { recursive: true });
});

describe("the targets of `--on`", () => {
  it("are refused by the name of the option and what is wrong with it", async () => {
    writeFileSync(join(other, "file"), "");
    const cases: readonly (readonly [on: string, why: RegExp])[] = [
      ["posix:dash=/not/there", /"\/not\/there": no such directory/],
      [`posix:dash=${join(other, "file")}`, /is not a directory/],
      ["posix:dash=/etc", /a system directory/],
      ["posix:dash=rel", /target "posix:dash" must be an absolute path, not "rel"/],
      ["memory=rel", /target "memory" must be an absolute path, not "rel"/],
      ["ssh:box=app", /target "ssh:box" must be an absolute path, not "app"/],
      ["ssh:me@box=~/app", /target "ssh:me@box" must be an absolute path, not "~\/app"/],
      ["podman:box=app", /target "podman:box" must be an absolute path, not "app"/],
      ["posix:dahs", /no target "posix:dahs"/],
      ["local=posix:dash", /cannot have the name "local"/],
      ["1a=local", /"1a" cannot be the name of a target: it begins with a letter/],
    ];
    for (const [on, why] of cases) {
      const { status, stdout, stderr } = await haft("call", "bash", "command=true", "--on", on);
      expect([on, status, stdout, stderr.startsWith(`haft: --on ${on}: `)]).toEqual([on, 2, "", true]);
      expect(stderr).toMatch(why);
      expect(stderr).not.toContain("--workspace");
    }
  });

  it("are not named beside their short forms", async () => {
    const { status, stdout, stderr } = await haft("call", "bash", "command=true", "--sandbox", "--on", "local");
    expect([status, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("use `--on sandbox --on local`");
  });

  it("say which tools need a terminal where they have none", async () => {
    for (const args of [
      ["call", "panes", "action=list"],
      ["tools", "panes"],
    ])
      expect((await haft(...args)).stderr).toContain('"panes" needs a target with a terminal: add +tmux to it');
  });

  it("are refused in one line, with control characters escaped", async () => {
    for (const on of [
      "a\nb=local",
      "memory=x\u001b[2K\n\u202e",
      "local=/no\nwhere",
      "mars\n\u0007",
      "a\rb=memory=/x",
    ]) {
      const { status, stderr } = await haft("call", "bash", "command=true", "--on", on);
      expect([on, status, stderr.startsWith(`haft: --on ${showControls(on)}: `)]).toEqual([on, 2, true]);
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect(stderr.trimEnd()).toBe(showControls(stderr.trimEnd()));
    }
    const twice = ["--on", "memory=/a\nb", "--on", "memory=/a\nb"];
    expect((await haft("call", "time", ...twice)).stderr).toMatch(/^haft: --on: Two targets[^\n]*\n$/);
  });

  it("can be the same one twice, under names", async () => {
    const twice = ["--on", `posix:dash=${other}`, "--on", "posix:dash"];
    expect((await haft("call", "bash", "command=pwd", ...twice)).stderr).toMatch(
      /^haft: --on: Two targets have the name "posix:dash".*"NAME=posix:dash=\/DIR"/,
    );
    expect((await haft("call", "time", "--on", "a=local", "--on", "a=memory")).stderr).toMatch(
      /^haft: --on: Two targets are named "a"/,
    );
    const named = ["--on", `web=posix:dash=${place.workspace}`, "--on", `api=posix:dash=${other}`];
    expect((await haft("call", "bash", "command=pwd", "on=api", ...named)).stdout).toContain(other);
    expect((await haft("call", "bash", "command=pwd", ...named)).stdout).toContain(place.workspace);
    const audited = await haft("audit", "--in", other, "--json");
    expect(JSON.parse(audited.stdout).calls).toMatchObject([{ target: "api", spec: "posix:dash", workspace: other }]);
  });

  it("are listed with the tools, and each tool has the parameter `on`", async () => {
    const two = ["--on", "local", "--on", `api=posix:dash=${other}`];
    const listed = await haft("tools", ...two);
    expect(listed.stdout).toContain(
      `with \`on\`; the first is the default:\n  local in ${place.workspace}\n  api, posix:dash in ${other}\n`,
    );
    const image = await haft("tools", "--on", "image:none", "--on", "memory");
    expect(image.stdout).toContain(`:\n  image:none in ${place.workspace}\n  memory\n`);
    expect((await haft("tools", "time", ...two)).stdout).toMatch(/^ {2}on +local \/ api +Where to run/m);
    const described = JSON.parse((await haft("tools", "--json", ...two)).stdout) as unknown[];
    expect(described).toHaveLength(described.filter((one) => JSON.stringify(one).includes('["local","api"]')).length);
    expect((await haft("tools", "time")).stdout).not.toContain("Where to run");
  });

  it("are what an MCP client is shown", async () => {
    const messages = [
      { id: 1, method: "initialize", params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: CLIENT } },
      { method: "notifications/initialized" },
      { id: 2, method: "tools/list" },
    ];
    const input = messages.map((one) => `${JSON.stringify({ jsonrpc: "2.0", ...one })}\n`).join("");
    const done = await place.haft(["serve", "--stdio", "--on", "local", "--on", `api=posix:dash=${other}`], { input });
    const { tools } = (JSON.parse(done.stdout.split("\n")[1] ?? "") as { result: { tools: ListedTool[] } }).result;
    expect(tools.length).toBeGreaterThan(5);
    for (const { inputSchema } of tools) expect(inputSchema.properties.on?.enum).toEqual(["local", "api"]);
  });

  it("are part of an explanation", async () => {
    const args = ["call", "bash", "command=pwd", "on=api", "--on", "local", "--on", `api=posix:dash=${other}`];
    expect((await haft(...args, "--explain")).stdout).toMatch(/^target +api in .*other$/m);
    expect(JSON.parse((await haft(...args, "--explain", "--json")).stdout)).toMatchObject({
      target: "api",
      workspace: other,
    });
    expect((await haft("call", "bash", "command=pwd", "--explain")).stdout).toMatch(/^target +local in .*/m);
  });

  it("are hinted at where a call chooses one and there is no choice", async () => {
    const done = await haft("call", "bash", "command=pwd", "on=posix:dash");
    expect(done.status).toBe(1);
    expect(done.stdout).toContain('there is only "local". Leave it out.');
    expect(done.stderr).toContain("--on TARGET");
  });
});

describe("the targets of a configuration", () => {
  it("may have a name and a workspace each", async () => {
    config({
      on: [{ name: "web", target: "memory" }, { name: "api", target: "posix:dash", workspace: other }, "local"],
    });
    expect((await haft("call", "bash", "command=pwd", "on=api")).stdout).toContain(other);
    expect((await haft("tools", "bash")).stdout).toContain("web / api / local");
  });

  it("are chosen by `--on NAME`, with their settings", async () => {
    config({ on: ["local", { name: "api", target: "posix:dash", workspace: other, autonomy: "readonly" }] });
    expect((await haft("call", "bash", "command=pwd", "--on", "api")).stdout).toContain(other);
    const denied = await haft("call", "write", "path=a.txt", "content=x", "--on", "api", "--autonomy", "full");
    expect([denied.status, denied.stdout]).toEqual([1, expect.stringContaining('The target "api" is read-only')]);
    expect((await haft("tools", "time", "--on", "api", "--on", "memory")).stdout).toContain("api / memory");
    expect((await haft("doctor", "--on", "api")).stdout).toMatch(/^ok +target +api, posix:dash in /m);
    expect((await haft("connect", "cursor", "--on", "api")).stdout).toContain('"api"');
    expect((await haft("call", "time", "--on", "apy")).stderr).toMatch(
      /There is no target "apy"\..*Use one of api, local/,
    );
  });

  it("are chosen by the name alone: what is added to it is refused, with what to write", async () => {
    const api = { name: "api", target: "posix:dash", workspace: other };
    config({ on: ["local", api, { name: "app", target: "memory" }, `web=posix:dash=${other}`] });
    for (const on of ["api=/srv", "api+tmux", "mine=api"]) {
      const { status, stderr } = await haft("call", "time", "--on", on);
      expect([on, status]).toEqual([on, 2]);
      expect(stderr).toContain(`--on ${on}: "api" is the target "posix:dash" of the configuration`);
      expect(stderr).toContain('Use "api" as it is, change it there, or write a whole target');
    }
    expect((await haft("call", "bash", "command=pwd", "--on", "web")).stdout).toContain(other);
  });

  it("are refused by the file and the target that is wrong", async () => {
    config({ on: ["local", { name: "api", target: "posix:dash", workspace: "/not/there" }] });
    expect((await haft("call", "time")).stderr).toMatch(/^haft: "on" in .*haft\.jsonc: "api": .*"\/not\/there"/);
    config({ on: [{ name: "api", target: "posix:dash", workspace: "rel" }] });
    expect((await haft("call", "time")).stderr).toContain('"on[0].workspace" is "rel"; expected an absolute path.');
    config({ on: [{ name: "api" }] });
    expect((await haft("call", "time")).stderr).toContain("or an object with `target`");
  });

  it("are opened by `haft doctor`, which reports those that cannot be", async () => {
    const targetsOf = async (...args: readonly string[]) => {
      const { findings } = JSON.parse((await haft("doctor", "--json", ...args)).stdout) as {
        findings: DoctorFinding[];
      };
      return findings.filter(({ id }) => id === "target").map(({ status, found }) => `${status} ${found}`);
    };
    expect(await targetsOf()).toEqual([`ok local in ${place.workspace} (default)`]);
    config({ on: ["local", { name: "api", target: "posix:dash", workspace: other }] });
    expect(await targetsOf()).toEqual([`ok local in ${place.workspace} (default)`, `ok api, posix:dash in ${other}`]);
    const env = { PATH: other };
    const bare = await place.haft(["doctor", "--on", "posix:dash", "--on", "posix:busybox"], { env });
    expect(bare.status).toBe(1);
    expect(bare.stdout).toMatch(/^stops +target +posix:dash could not be opened: .*installed\.$/m);
    expect(bare.stdout).toMatch(/^limits +target +posix:busybox could not be opened: .*installed\.$/m);
    config({ on: ["local=/not/there"] });
    expect(await targetsOf()).toEqual([expect.stringMatching(/^stops "on" in .*"\/not\/there": no such directory/)]);
  });
});

withPrograms("a sandbox", ["bwrap"], () => {
  it("is checked by `haft doctor` with what the configuration lets it use", async () => {
    config({ sandbox: { writable: [join(other, "none")] } });
    const { status, stdout } = await haft("doctor", "--on", "sandbox");
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/^stops +target +sandbox could not be opened: "\/.*\/none" does not exist\. Create it/m),
    ]);
  });
});

describe("short forms of targets", () => {
  const targets = async (...args: readonly string[]) => {
    const { stdout } = await haft("tools", "read", "--json", ...args, "--on", "memory");
    return (JSON.parse(stdout) as { parameters: { properties: { on: { enum: readonly string[] } } } }).parameters
      .properties.on.enum;
  };

  it("stand for `--on`, behind the targets that it names", async () => {
    expect(await targets("--container", "web")).toEqual(["memory", "container:web"]);
    expect(await targets("--container", "web", "--on", "local")).toEqual(["local", "memory", "container:web"]);
  });

  it("add a terminal to the first target", async () => {
    expect(await targets("--on", `local=${other}`, "--tmux")).toEqual(["local+tmux", "memory"]);
    expect(await targets("--on", "local", "--tmux", "work")).toEqual(["local+tmux=work", "memory"]);
    expect((await haft("tools", "--tmux", "--on", "memory")).stderr).toContain('The target "memory" has no terminal');
    config({ on: [{ name: "here", target: "posix:dash", workspace: other }, "memory"] });
    const ran = await haft("call", "bash", "command=pwd", "--tmux", "--explain");
    expect(ran.stdout).toMatch(/^target +here in .*other$/m);
    expect((await haft("tools", "panes", "--tmux")).stdout).toContain("here / memory");
    // What the option does not say of the terminal is as configured.
    config({ on: ["local+tmux=work,shell=pane", "memory"] });
    expect((await haft("tools", "--tmux")).stdout).toContain("  local+tmux=work,shell=pane in ");
    expect((await haft("tools", "--tmux", "other")).stdout).toContain("  local+tmux=other,shell=pane in ");
    // Not this machine without a sandbox.
    config({ on: ["sandbox"] });
    expect((await haft("call", "bash", "command=pwd", "--tmux")).stderr).toContain(
      'The target "sandbox" has no terminal. Leave out "+tmux".',
    );
  });
});

describe("the level of a target", () => {
  const readonly = { target: "memory", autonomy: "readonly" };
  const write = ["call", "write", "path=a.txt", "content=x"];

  it("is set in the configuration", async () => {
    config({ autonomy: "full", on: [readonly] });
    expect((await haft(...write)).stdout).toContain("read-only");
    config({ autonomy: "readonly", on: [{ ...readonly, autonomy: "full" }] });
    expect((await haft(...write)).status).toBe(0);
    const { autonomy, target } = JSON.parse((await haft("policy", "explain", "ls", "--json")).stdout) as Record<
      string,
      string
    >;
    expect({ autonomy, target }).toEqual({ autonomy: "full", target: "memory" });
  });

  it("does not get looser than what `--autonomy` or HAFT_AUTONOMY says", async () => {
    config({ on: [{ ...readonly, autonomy: "full" }] });
    expect((await haft(...write, "--autonomy", "readonly")).stdout).toContain("read-only");
    expect((await place.haft(write, { env: { HAFT_AUTONOMY: "readonly" } })).stdout).toContain("read-only");
    config({ on: [readonly] });
    expect((await haft(...write, "--autonomy", "full")).stdout).toContain("read-only");
  });
});

const CLIENT = { name: "test", version: "1" };

interface ListedTool {
  readonly inputSchema: { readonly properties: { readonly on?: { readonly enum: readonly string[] } } };
}
