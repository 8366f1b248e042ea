/** The target "sandbox" through a toolkit: what policy asks, and what its settings open. */
import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withBubblewrap } from "../testing/programs.fixture.js";
import { createToolkit, type ToolkitOptions } from "./index.js";

let root: string;
let workspace: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-sandboxed-")));
  workspace = join(root, "ws");
  mkdirSync(workspace);
  mkdirSync(join(root, "beside"));
  writeFileSync(join(root, "beside", "data.txt"), "data\n");
  const scripts = { test: "echo tested" };
  writeFileSync(join(workspace, "package.json"), JSON.stringify({ name: "x", version: "1.0.0", scripts }));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function run(command: string, options: ToolkitOptions) {
  await using toolkit = await createToolkit({ workspace, persist: false, ...options });
  const outcome = await toolkit.box().runner.run({ id: "c", name: "bash", input: { command } });
  return { ...outcome, output: String(outcome.output) };
}

/** A certificate for `subject`, by an authority that exists for this test only. */
function throwawayCertificate(subject: string) {
  const at = (name: string) => join(root, name);
  const make = (name: string, ...words: readonly string[]) =>
    execFileSync(
      "openssl",
      ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"].concat(
        ["-keyout", at(`${name}.key`), "-out", at(`${name}.pem`), "-subj", `/CN=${name}`],
        words,
      ),
      { stdio: "pipe" },
    );
  make("authority");
  const byAuthority = ["-CA", at("authority.pem"), "-CAkey", at("authority.key")];
  make("server", ...byAuthority, "-addext", `subjectAltName=${subject}`, "-addext", "basicConstraints=CA:FALSE");
  const [authority, key, cert] = ["authority.pem", "server.key", "server.pem"].map((name) => readFileSync(at(name)));
  return { authority: authority!, key: key!, cert: cert! };
}

withBubblewrap("a toolkit on the target sandbox", () => {
  it("runs code of the workspace without a question in a supervised session, which on local is asked about", async () => {
    const supervised = { autonomy: "supervised" } as const;
    expect(await run("npm test", { ...supervised, on: "sandbox" })).toMatchObject({
      status: "ok",
      decision: { rule: "workspace-code" },
      output: expect.stringContaining("tested"),
    });
    expect(await run("npm test", { ...supervised, on: "local" })).toMatchObject({
      status: "denied",
      decision: { rule: "workspace-code" },
    });
  });

  it("still asks about deletions and the network in a supervised session", async () => {
    for (const command of ["rm -rf .git", "curl -s https://example.com/"])
      expect([command, await run(command, { autonomy: "supervised", on: "sandbox" })]).toMatchObject([
        command,
        { status: "denied" },
      ]);
  });

  it("reaches what is listed as readable and writable, and nothing else beside the workspace", async () => {
    const beside = join(root, "beside");
    const command = `cat ${beside}/data.txt; touch ${beside}/new && echo written`;
    const full = { autonomy: "full", on: "sandbox" } as const;
    const outputs = async (sandbox: NonNullable<ToolkitOptions["sandbox"]>) =>
      /stdout:\n([\s\S]*?)\nstderr:/.exec((await run(command, { ...full, sandbox })).output)?.[1]?.trim() ?? "";
    expect(await outputs({})).toBe("");
    expect(await outputs({ readable: [beside] })).toBe("data");
    expect(await outputs({ writable: [beside] })).toBe("data\nwritten");
  });

  it("lets a supervised command use its own /tmp without a question, and nothing else outside the workspace", async () => {
    const supervised = { autonomy: "supervised", on: "sandbox" } as const;
    const written = `/tmp/${randomUUID()}`;
    expect(await run(`echo hi > ${written}; cat ${written}`, supervised)).toMatchObject({
      status: "ok",
      output: expect.stringContaining("hi"),
    });
    expect(existsSync(written)).toBe(false);
    for (const command of [`rm ${written}`, "cat /etc/passwd", "cat /opt/notes.txt", "cat /tmp/.env"])
      expect([command, await run(command, supervised)]).toMatchObject([command, { status: "denied" }]);
  });

  it.each(["/tmp", "~"])("says where it is what a command wrote to %s, in every tool for files", async (directory) => {
    await using toolkit = await createToolkit({
      workspace,
      persist: false,
      autonomy: "full",
      on: ["sandbox", "local"],
    });
    const runner = toolkit.box().runner;
    const call = async (name: string, input: object) =>
      String((await runner.run({ id: "c", name, input: { on: "sandbox", ...input } })).output);
    const name = randomUUID();
    const path = `${directory}/${name}/x`;
    expect(await call("bash", { command: `mkdir ${directory}/${name} && echo hi > ${path}` })).toContain("exit code 0");
    const calls: readonly (readonly [string, object])[] = [
      ["read", { path }],
      ["ls", { path }],
      ["write", { path, content: "a" }],
      ["edit", { path, edits: [{ oldText: "a", newText: "b" }] }],
      ["find", { query: "*", path }],
      ["grep", { pattern: "a", path }],
      ["copy", { from: path, to: "local:y" }],
      ["move", { from: path, to: "y" }],
      ["delete", { path }],
    ];
    const places = new Set<string>();
    for (const [tool, input] of calls) {
      const output = await call(tool, input);
      expect([tool, output]).toEqual([
        tool,
        expect.stringMatching(/^Did not .*: in the sandbox, ".*" is the private /),
      ]);
      places.add(/use "(.*)"/.exec(output)![1]!);
    }
    expect(places.size).toBe(1);
    expect(await call("read", { path: [...places][0] })).toContain("hi");
  });

  it("connects to the hosts that are listed, through the proxy", async () => {
    const server = createServer((_, response) => response.end("page of the host"));
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const url = `http://localhost:${(server.address() as AddressInfo).port}/`;
    const options = { autonomy: "full", on: "sandbox" } as const;
    try {
      const get = `curl -s --noproxy "" ${url}`;
      expect((await run(get, { ...options, sandbox: { hosts: ["localhost"] } })).output).toContain("page of the host");
      const refused = await run(get, { ...options, sandbox: { hosts: ["example.com"] } });
      expect(refused.output).toContain("The sandbox does not connect to localhost");
      expect(refused.output).toContain("sandbox.hosts");
      expect(await run(get, options)).toMatchObject({ isError: true, output: expect.stringContaining("exit code 7") });
    } finally {
      await new Promise((resolve) => void server.close(resolve));
    }
  });

  it("installs a package with npm ci over HTTPS from a listed private address, and from no other", async () => {
    // npm compares the certificate with "localhost" where the host is an address.
    const { authority, key, cert } = throwawayCertificate("IP:127.0.0.1,DNS:localhost");
    const packed = join(root, "package");
    mkdirSync(packed);
    writeFileSync(join(packed, "package.json"), JSON.stringify({ name: "answer", version: "1.0.0" }));
    writeFileSync(join(packed, "index.js"), 'module.exports = "from the package";\n');
    const archive = execFileSync("tar", ["-cz", "-C", root, "package"]);
    const asked: string[] = [];
    const server = createTlsServer({ key, cert }, (message, response) => {
      asked.push(`${message.method} ${message.url}`);
      response.end(archive);
    });
    await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
    const resolved = `https://127.0.0.1:${(server.address() as AddressInfo).port}/answer-1.0.0.tgz`;
    const integrity = `sha512-${createHash("sha512").update(archive).digest("base64")}`;
    const parts = { name: "x", version: "1.0.0", dependencies: { answer: "1.0.0" } };
    writeFileSync(join(workspace, "package.json"), JSON.stringify(parts));
    const packages = { "": parts, "node_modules/answer": { version: "1.0.0", resolved, integrity } };
    writeFileSync(join(workspace, "package-lock.json"), JSON.stringify({ ...parts, lockfileVersion: 3, packages }));
    writeFileSync(join(workspace, "ca.pem"), authority);
    // Programs of the sandbox reach the loopback addresses in it without the proxy.
    const install = "NO_PROXY= no_proxy= npm ci --cafile=ca.pem --no-audit --no-fund --fetch-retries=0";
    const command = `${install} && node -p 'require("answer")'`;
    const options = { autonomy: "full", on: "sandbox" } as const;
    try {
      const refused = await run(command, { ...options, sandbox: { hosts: ["127.0.0.2"] } });
      expect([refused.isError, asked]).toEqual([true, []]);
      const done = await run(command, { ...options, sandbox: { hosts: ["127.0.0.1"] } });
      expect(done.output).toContain("from the package");
      expect(asked).toEqual(["GET /answer-1.0.0.tgz"]);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    }
  }, 120_000);

  it("refuses a host that is not written as one", async () => {
    const options = { autonomy: "full", on: "sandbox", sandbox: { hosts: ["https://example.com"] } } as const;
    expect((await run("true", options)).output).toContain('"https://example.com" is not a host');
  });
});
