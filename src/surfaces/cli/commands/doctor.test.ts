import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Finished } from "../../../testing/built.fixture.js";
import { cliPlace } from "../../../testing/cli-place.fixture.js";
import type { DoctorFinding } from "./doctor/finding.js";

const place = cliPlace();
const haft = (
  args: readonly string[] = [],
  env: Record<string, string> = {},
  cwd = place.workspace,
): Promise<Finished> => place.inProcess(["doctor", ...args], { env, cwd });

interface Report {
  readonly status: number | null;
  readonly isWorking: boolean;
  readonly findings: readonly DoctorFinding[];
}
async function report(...options: Parameters<typeof haft>): Promise<Report> {
  const [args = [], ...rest] = options;
  const done = await haft(["--json", ...args], ...rest);
  return { status: done.status, ...(JSON.parse(done.stdout) as Omit<Report, "status">) };
}
const found = ({ findings }: Report, id: string): DoctorFinding | undefined => findings.find((one) => one.id === id);
const config = (value: unknown): void => writeFileSync(join(place.workspace, "haft.jsonc"), JSON.stringify(value));

describe("haft doctor", () => {
  it("finds all that is needed in an empty home, and makes nothing", async () => {
    const healthy = await report();
    expect(healthy).toMatchObject({ status: 0, isWorking: true });
    for (const id of ["node", "sh", "state", "config", "workspace"]) expect(found(healthy, id)?.status).toBe("ok");
    expect(found(healthy, "node")?.found).toContain(process.versions.node);
    expect(found(healthy, "config")?.next).toContain("haft init");
    expect(found(healthy, "clients")).toMatchObject({ status: "note", next: expect.stringContaining("haft connect") });
    expect(readdirSync(place.home)).toEqual([]);
    expect(readdirSync(place.workspace)).toEqual([]);
    const text = await haft();
    expect(text).toMatchObject({ status: 0, stderr: "" });
    expect(text.stdout).toMatch(/^ok +node +Node\.js/m);
    expect(text.stdout).not.toContain("\u001b");
  });

  it("speaks of the store and not of the database in the state directory where there is a store", async () => {
    expect(found(await report(), "database")).toBeDefined();
    const stored = await report(["--store", "postgres://nobody@127.0.0.1:1/none"]);
    expect([found(stored, "store")?.status, found(stored, "database")]).toEqual(["stops", undefined]);
  });

  it("takes a lock of a state directory that is there", async () => {
    mkdirSync(join(place.root, "state"));
    const { findings } = await report(["--state", join(place.root, "state")]);
    expect(findings.find(({ id }) => id === "lock")?.status).toBe("ok");
    expect(readdirSync(join(place.root, "state", "locks"))).toEqual([]);
  });

  it("reports what is missing, what that costs and what to do, and continues", async () => {
    const bare = await report([], { PATH: join(place.root, "nothing") });
    expect(bare).toMatchObject({ status: 0, isWorking: true });
    expect(found(bare, "git")).toMatchObject({ status: "note", cost: expect.stringContaining("fail") });
  });

  it("stops at a state directory that cannot be written, with the option that names another", async () => {
    writeFileSync(join(place.root, "file"), "");
    const stuck = await report(["--state", join(place.root, "file", "state")]);
    expect(stuck).toMatchObject({ status: 1, isWorking: false });
    expect(found(stuck, "state")).toMatchObject({ status: "stops", next: expect.stringContaining("--state DIR") });
    const text = await haft(["--state", join(place.root, "file", "state")]);
    expect(text.status).toBe(1);
    expect(text.stdout).toContain("Haft does not work: 1 problem.");
  });

  it("stops at a configuration that is not understood, with its line", async () => {
    writeFileSync(join(place.workspace, "haft.jsonc"), '{\n  "tool": {}\n}');
    const corrupt = await report();
    expect(corrupt).toMatchObject({ status: 1, isWorking: false });
    expect(found(corrupt, "config")?.found).toContain(
      `${join(place.workspace, "haft.jsonc")}:2:3: there is no key "tool".`,
    );
    expect((await report(["--no-config"])).status).toBe(0);
  });

  it("reports the files in force, which of their settings are ignored, and what they name that does not exist", async () => {
    const mine = join(place.home, ".config", "haft");
    mkdirSync(mine, { recursive: true });
    const servers = {
      gone: { command: "no-such-program" },
      web: { url: "http://localhost:1/$" + "{HAFT_IS_NOT_SET}" },
    };
    writeFileSync(join(mine, "haft.jsonc"), JSON.stringify({ env: ["HAFT_IS_NOT_SET", "HOME"], servers }));
    config({ env: ["SECRET"], dialect: "buddy" });
    const reported = await report();
    expect(reported.status).toBe(0);
    const { found: files = "" } = found(reported, "config") ?? {};
    expect(files.indexOf("(yours)")).toBeGreaterThan(0);
    expect(files.indexOf("(the project's)")).toBeGreaterThan(files.indexOf("(yours)"));
    expect(found(reported, "trust")).toMatchObject({ status: "limits", found: expect.stringContaining('"trust": {') });
    expect(found(reported, "env")?.found).toBe("not set: HAFT_IS_NOT_SET");
    const missing = reported.findings.filter(({ id }) => id === "servers");
    expect(missing.map((one) => one.found)).toEqual([
      '"web": it is skipped: these environment variables are not set: HAFT_IS_NOT_SET',
      expect.stringContaining('"gone": it is skipped: it could not be started'),
    ]);
    expect(missing.every(({ status }) => status === "limits")).toBe(true);
  });

  describe("of the web", () => {
    const own = (web: unknown): string => {
      const path = join(place.home, ".config", "haft", "haft.jsonc");
      mkdirSync(join(place.home, ".config", "haft"), { recursive: true });
      writeFileSync(path, JSON.stringify({ web }));
      return path;
    };

    it.each([
      [{ search: { provider: "searxng" } }, ':1:30: "web.search": searxng needs "url", an http or https URL'],
      [
        { search: { provider: "brave" } },
        ':1:30: "web.search": brave needs "env", the name of the environment variable',
      ],
      [{ secrets: { a: { env: "A", hosts: [] } } }, ':1:43: "web.secrets.a.hosts" is empty'],
    ])("stops at %j, with its place", async (web, message) => {
      const path = own(web);
      const reported = await report();
      expect(reported).toMatchObject({ status: 1, isWorking: false });
      expect(found(reported, "config")?.found).toContain(path + message);
    });

    it("stops at certificates that cannot be used", async () => {
      own({ ca: "nope.pem" });
      const absent = await report();
      expect(absent.status).toBe(1);
      expect(absent.findings).toContainEqual(
        expect.objectContaining({ id: "web", status: "stops", found: expect.stringContaining("nope.pem") }),
      );
      writeFileSync(join(place.home, ".config", "haft", "nope.pem"), "not a certificate");
      expect((await haft()).stdout).toContain("contains no certificate in PEM format");
    });

    it("names secrets that cannot be used, which only calls of their tool report too", async () => {
      const hosts = ["api.example.com"];
      own({
        search: { provider: "brave", env: "NO_KEY" },
        secrets: { none: { env: "UNSET_TOKEN", hosts }, short: { env: "SHORT_TOKEN", hosts } },
      });
      const env = { SHORT_TOKEN: "abc" };
      const reported = await report([], env);
      expect(reported.status).toBe(0);
      const limits = reported.findings.filter(({ id, status }) => id === "web" && status === "limits");
      expect(limits.map((one) => one.found)).toEqual([
        '`websearch` is not offered: "web.search.env" names NO_KEY, which is not set.',
        'The secret "none" cannot be used: "web.secrets.none.env" names UNSET_TOKEN, which is not set.',
        expect.stringContaining('"web.secrets.short.env" names SHORT_TOKEN, which has 3 characters; at least 8'),
      ]);
      expect(limits.every(({ next }) => next !== undefined)).toBe(true);
      expect(await place.inProcess(["call", "ls"], { env })).toMatchObject({ status: 0, stderr: "" });
      const called = await place.inProcess(["call", "http_request", "url=http://169.254.169.254/"], { env });
      expect(called.stderr).toMatch(/UNSET_TOKEN[\s\S]*SHORT_TOKEN/);
      expect(called.stderr).not.toContain("NO_KEY");
    });
  });

  it("says so where the directory may not be a workspace", async () => {
    const lost = await report([], {}, place.home);
    expect(found(lost, "workspace")).toMatchObject({
      status: "limits",
      found: expect.stringContaining("home directory"),
    });
    expect(lost.status).toBe(0);
  });

  it("names the clients that are connected", async () => {
    await place.haft(["connect", "cursor", "--write"]);
    expect(found(await report(), "clients")).toMatchObject({ status: "ok", found: "connected: Cursor" });
    const file = join(place.workspace, ".cursor", "mcp.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/"[^"]*(?=\/surfaces\/cli\/main\.js)/, '"/gone/dist'));
    const stale = (await report()).findings.find(({ id, status }) => id === "clients" && status === "limits");
    expect(stale?.found).toContain(file);
    expect(stale?.next).toContain("haft connect cursor --write");
    const listed = await place.haft(["connect"]);
    expect(listed.stdout).toMatch(/^cursor +outdated/m);
    await place.haft(["connect", "cursor", "--write"]);
    expect(found(await report(), "clients")?.status).toBe("ok");
  });

  it("does not take an old ripgrep on PATH for the one that is used", async () => {
    const bin = join(place.root, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "rg"), "#!/bin/sh\necho ripgrep 13.0.0\n");
    chmodSync(join(bin, "rg"), 0o755);
    const rg = found(await report([], { PATH: bin }), "rg");
    // Where the package is installed, it is used whatever PATH holds.
    if (rg?.status === "ok") expect(rg.found).not.toContain("13.0.0");
    else expect(rg).toMatchObject({ status: "limits", found: expect.stringContaining("ripgrep 13.0.0") });
  });
});
