/** The examples of docs/guide/backends.md, and each kind of target through a toolkit. */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ChosenTarget, createToolkit, type Toolkit } from "../src/index.js";
import { withShortForms } from "../src/surfaces/cli/command-parts.js";
import { withBubblewrap } from "../src/testing/programs.fixture.js";
import { service, withServices } from "../src/testing/services.fixture.js";
import { checkedTarget, parseConfig } from "../src/toolkit/index.js";

const guide = readFileSync(new URL("../docs/guide/backends.md", import.meta.url), "utf8");
const blocks = (language: string) =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, "gm"))].map(([, block = ""]) => block);

let directory: string;
let toolkit: Toolkit | undefined;
beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), "haft-backends-")));
});
afterEach(async () => {
  await toolkit?.close();
  toolkit = undefined;
  rmSync(directory, { recursive: true, force: true });
});

/** Writes, reads and searches a file, and runs a command, on the target. */
async function works(target: ChosenTarget): Promise<void> {
  toolkit = await createToolkit({
    on: [target, "memory"],
    autonomy: "full",
    persist: false,
    ...(target.target.startsWith("image:") ? { workspace: directory } : {}),
  });
  const { runner } = toolkit.box();
  const call = async (name: string, input: object) => {
    const { output, isError } = await runner.run({ id: name, name, input });
    expect([name, isError, output]).toEqual([name, false, expect.anything()]);
    return String(output);
  };
  await call("bash", { command: "rm -rf guide-dir" });
  await call("write", { path: "guide-dir/a.txt", content: "one\ntwo\n" });
  expect(await call("read", { path: "guide-dir/a.txt" })).toContain("two");
  expect(await call("grep", { pattern: "^two", path: "guide-dir" })).toContain("a.txt:2");
  expect(await call("bash", { command: "cat guide-dir/a.txt; rm -r guide-dir" })).toContain("one\ntwo");
}

describe("the guide of the backends", () => {
  it("names targets that can be parsed, on its command lines and in its configuration", async () => {
    const lines = blocks("sh").flatMap((block) => block.match(/^haft [^#\n]*/gm) ?? []);
    expect(lines.length).toBeGreaterThan(10);
    for (const line of lines) {
      const values = (name: string) =>
        [...line.matchAll(new RegExp(`--${name} ([^\\s-]\\S*)`, "g"))].map(([, one = ""]) => one);
      const [container, ssh, tmux] = [values("container")[0], values("ssh")[0], values("tmux")[0]];
      const on = withShortForms({
        on: values("on"),
        ...(container === undefined ? {} : { container }),
        ...(ssh === undefined ? {} : { ssh }),
        ...(line.includes("--tmux") ? { tmux: tmux ?? true } : {}),
      });
      expect([line, on.length]).toEqual([line, 1]);
      // "+tmux" alone is for the first target of the configuration, which is `local` where there is none.
      expect(() => checkedTarget(on[0]!.replace(/^\+/, "local+"))).not.toThrow();
    }
    const [config = ""] = blocks("jsonc");
    const { on = [] } = await parseConfig(config, "haft.jsonc");
    expect(on).toHaveLength(4);
    for (const one of on) expect(() => checkedTarget(one)).not.toThrow();
  });
});

withBubblewrap("the target sandbox", () => {
  it("works in the workspace", async () => {
    await works({ target: "sandbox", workspace: directory });
  });

  it("runs freely beside a target whose level only reads", async () => {
    const prod = { name: "prod", target: "local", workspace: directory, autonomy: "readonly" } as const;
    const free = { target: "sandbox", workspace: directory, autonomy: "full" } as const;
    toolkit = await createToolkit({ on: [free, prod], autonomy: "supervised", persist: false });
    const { runner } = toolkit.box();
    const write = (on: string) => runner.run({ id: on, name: "write", input: { path: `${on}.txt`, content: "x", on } });
    expect([(await write("sandbox")).status, (await write("prod")).status]).toEqual(["ok", "denied"]);
    expect(readdirSync(directory).filter((name) => name.endsWith(".txt"))).toEqual(["sandbox.txt"]);
  });
});

withServices(["podman"], "targets in containers", () => {
  const before = { ...process.env };
  beforeEach(() => void Object.assign(process.env, service("podman").env));
  afterEach(() => {
    for (const name of Object.keys(service("podman").env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  });

  it("work in one that runs", async () => {
    await works({ target: `podman:${service("podman").container}`, workspace: "/tmp" });
  });

  it("work in one that is made of an image, with the workspace", async () => {
    await works({ target: `image:${service("podman").image}` });
  });

  it("say what is wrong, once, and what to do", async () => {
    toolkit = await createToolkit({ on: "podman:not-there", autonomy: "full", persist: false });
    const { output } = await toolkit.box().runner.run({ id: "1", name: "ls", input: {} });
    expect(output).toMatch(
      /^Did not run `ls`: the target "podman:not-there" could not be opened: podman has no container "not-there"\. /,
    );
    expect(String(output).match(/podman:not-there/g)).toHaveLength(1);
  });
});

withServices(["ssh"], "targets over ssh", () => {
  it("work on the host, by the configuration that they name", async () => {
    const { config, hosts } = service("ssh");
    await works({ target: `ssh:${hosts.box}`, ssh: { config } });
  });

  it("say that a host key is another", async () => {
    const { config, hosts } = service("ssh");
    toolkit = await createToolkit({ on: { target: `ssh:${hosts.wrongKey}`, ssh: { config } }, persist: false });
    const { output } = await toolkit.box().runner.run({ id: "1", name: "ls", input: {} });
    expect(output).toMatch(/could not be opened: its host key is not the one in known_hosts/);
  });
});
