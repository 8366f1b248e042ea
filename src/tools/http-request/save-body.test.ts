import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createLocalBackend } from "../../backends/local/index.js";
import { openLocalPosix } from "../../backends/posix/index.js";
import { type Backend, HaftError, type Http, type ToolEvent } from "../../kernel/index.js";
import { fakeHttp } from "../../testing/fakes/fake-http.js";
import { toolBench } from "../tool-bench.fixture.js";
import type { HttpRequestData } from "./contract.js";
import { requests, URL } from "./http-request.fixture.js";

describe("a body that is saved", () => {
  const roots: string[] = [];
  afterAll(() => {
    for (const root of roots) rmSync(root, { recursive: true });
  });
  const newRoot = () => {
    roots.push(mkdtempSync(join(tmpdir(), "haft-save-")));
    return roots.at(-1)!;
  };
  const local = () => {
    const root = newRoot();
    return { root, backend: createLocalBackend({ cwd: root }) };
  };
  const save = async (backend: Backend, http: Http, saveTo: string, limits?: object, events: ToolEvent[] = []) => {
    const bench = toolBench({ backend, host: { http }, onEvent: (event) => void events.push(event) });
    return bench.call<HttpRequestData>("http_request", { url: URL, saveTo }, limits);
  };

  it("becomes a new file with its parents, and is not shown", async () => {
    const { call, bench, claims } = requests({ body: Uint8Array.from([0, 1, 2]) });
    const { data } = await call({ saveTo: "new/deep/a.bin" });
    expect(data).toMatchObject({ savedTo: "/workspace/new/deep/a.bin", bodyBytes: 3 });
    expect(data).not.toHaveProperty("text");
    expect(await bench.bytes("new/deep/a.bin")).toBe("\0\x01\x02");
    const files = claims.flatMap((claim) => (claim.kind === "file" ? [`${claim.access} ${claim.path}`] : []));
    expect(files).toEqual(["create /workspace/new/deep/a.bin", "create /workspace/new/deep", "create /workspace/new"]);
  });

  it("replaces nothing: neither a file, nor a directory, nor a symlink", async () => {
    const { call, sent, bench } = requests({ body: "new" }, { "a.txt": "old", "sub/": "" });
    for (const saveTo of ["a.txt", "sub"]) {
      expect(await call({ saveTo })).toMatchObject({
        code: "FS_EXISTS",
        message: `Did not send the request or save "${saveTo}": the file already exists. Choose another path, or delete it first.`,
      });
    }
    expect(await call({ saveTo: "other/" })).toMatchObject({ code: "FS_BAD_PATH" });
    expect(await call({ saveTo: "$HOME/a" })).toMatchObject({ code: "FS_BAD_PATH" });
    expect([sent, await bench.bytes("a.txt")]).toEqual([[], "old"]);
    const { root, backend } = local();
    symlinkSync("missing", join(root, "link"));
    expect(
      (
        await save(
          backend,
          fakeHttp(() => ({ body: "x" })),
          "link",
        )
      ).isError,
    ).toBe(true);
    expect(readdirSync(root)).toEqual(["link"]);
  });

  it("leaves a file alone that appeared during the download", async () => {
    const { root, backend } = local();
    const http = fakeHttp(() => {
      writeFileSync(join(root, "a.txt"), "other");
      return { body: "new" };
    });
    expect(await save(backend, http, "a.txt")).toMatchObject({
      code: "FS_EXISTS",
      message: expect.stringContaining('Did not save "a.txt": the file already exists.'),
    });
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("other");
  });

  it.each([
    ["local", async () => local()],
    [
      "posix",
      async () => {
        const root = newRoot();
        return { root, backend: await openLocalPosix({ cwd: root }) };
      },
    ],
  ] as const)("is written on the target, and nothing is left of a download that breaks: %s", async (_, open) => {
    const { root, backend } = await open();
    const events: ToolEvent[] = [];
    const whole = { body: new Uint8Array(3_000_000).fill(65), headers: [["content-length", "3000000"]] as const };
    const saved = await save(
      backend,
      fakeHttp(() => whole),
      "d/big.bin",
      undefined,
      events,
    );
    expect(saved).toMatchObject({ isError: false, data: { bodyBytes: 3_000_000, savedTo: join(root, "d/big.bin") } });
    expect(readFileSync(join(root, "d/big.bin"))).toHaveLength(3_000_000);
    expect(events).toContainEqual(expect.objectContaining({ kind: "progress", total: 3_000_000 }));
    const broken = breaking(new HaftError("WEB_UNREACHABLE", `Could not read ${URL}: the connection broke.`));
    expect(await save(backend, broken, "d/other.bin")).toMatchObject({ code: "WEB_UNREACHABLE" });
    expect(readdirSync(join(root, "d"))).toEqual(["big.bin"]);
    await backend.close();
  });

  it("is at most as large as the limit, which the response may announce", async () => {
    const { root, backend } = local();
    const limits = { maxSavedBytes: 2 };
    for (const headers of [[], [["content-length", "3"]]] as const) {
      const large = await save(
        backend,
        fakeHttp(() => ({ headers, body: "abc" })),
        "a.txt",
        limits,
      );
      expect(large).toMatchObject({ code: "FS_TOO_LARGE", details: { sizeBytes: 3, maxBytes: 2 } });
      expect(large.message).toContain("the body has more than 2 bytes. Nothing was written");
    }
    expect(readdirSync(root)).toEqual([]);
  });

  it("is not that of another status than 2xx, which is shown", async () => {
    for (const status of [304, 500]) {
      const { call, bench } = requests({ status, body: "why" });
      const shown = await call({ saveTo: "a.txt" });
      expect(shown).toMatchObject({ code: "WEB_STATUS", data: { status, text: "why" } });
      expect(shown.message).toContain(`with status ${status}; nothing was saved.`);
      expect(await bench.backend.root.fs.exists("/workspace/a.txt")).toBe(false);
    }
  });
});

/** A body that breaks after its first bytes. */
function breaking(problem: HaftError): Http {
  const inner = fakeHttp(() => ({}));
  return {
    async fetch(url, request) {
      const response = await inner.fetch(url, request);
      return {
        ...response,
        async *chunks() {
          yield Uint8Array.of(1);
          throw problem;
        },
      };
    },
  };
}
