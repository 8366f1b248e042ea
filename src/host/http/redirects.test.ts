import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { MAX_REDIRECTS } from "../../kernel/index.js";
import { failureOf, openHttp, PUBLIC_ADDRESS, serveHttp, serveTls } from "./http.fixture.js";

interface Seen {
  readonly at: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Redirects /STATUS?LOCATION, and answers anything else. */
async function redirecting(serve = serveHttp) {
  const seen: Seen[] = [];
  const port = await serve((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      const { method, url = "", headers } = request;
      seen.push({ at: `${method} ${headers.host?.split(":")[0]}${url.split("?")[0]}`, headers, body });
      const [, status, location] = /^\/(3\d\d)\?(.*)$/.exec(url) ?? [];
      if (status === undefined) return response.end("here");
      response.writeHead(Number(status), { location: decodeURIComponent(location!) }).end("moved");
    });
  });
  return { port, seen };
}

const to = (location: string) => encodeURIComponent(location);

describe("redirects", () => {
  it.each([
    [301, "GET", "GET"],
    [301, "POST", "GET"],
    [301, "PUT", "PUT"],
    [302, "POST", "GET"],
    [302, "HEAD", "HEAD"],
    [302, "DELETE", "DELETE"],
    [303, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [307, "POST", "POST"],
    [308, "PUT", "PUT"],
  ])("%i of %s leads to %s", async (status, method, expected) => {
    const { port, seen } = await redirecting();
    const body = /P(OS|U)T/.test(method) ? { body: "order", headers: [["Content-Type", "text/x"]] as const } : {};
    const { fetch, hops } = openHttp();
    const response = await fetch(`http://site.test:${port}/${status}?/next`, { method, ...body });
    await response.read(100);
    expect(seen.map(({ at }) => at)).toEqual([`${method} site.test/${status}`, `${expected} site.test/next`]);
    expect(seen[1]).toMatchObject({ body: method === expected ? (body.body ?? "") : "" });
    if (method !== expected) expect(seen[1]!.headers).not.toHaveProperty("content-type");
    expect(hops.map((hop) => hop.method)).toEqual([method, expected]);
    expect(response).toMatchObject({
      url: `http://site.test:${port}/next`,
      redirects: [`http://site.test:${port}/${status}?/next`],
    });
  });

  it("are each judged before they are connected", async () => {
    const { port, seen } = await redirecting();
    const inner = `http://169.254.169.254:${port}/latest`;
    const refusal = new Error("refused");
    const { fetch, hops } = openHttp();
    const hop = async ({ address }: { address: string | undefined }) => {
      if (address !== PUBLIC_ADDRESS) throw refusal;
    };
    await expect(fetch(`http://site.test:${port}/302?${to(inner)}`, { hop })).rejects.toBe(refusal);
    expect(seen).toHaveLength(1);
    expect(hops.at(-1)).toEqual({ method: "GET", url: inner, address: "169.254.169.254" });
  });

  it("take nothing private to another origin", async () => {
    const { port, seen } = await redirecting();
    const secure = await redirecting(serveTls);
    const secrets = [
      { name: "shop", value: "s3cret", hosts: ["site.test", "b.site.test"], header: "X-Key", prefix: "" },
    ];
    const { fetch } = openHttp({ secrets });
    const headers = [
      ["Authorization", "Basic x"],
      ["Cookie", "a=b"],
      ["X-Any", "y"],
      ["Accept", "text/plain"],
      ["Range", "bytes=0-9"],
      ["Content-Type", "text/x"],
    ] as const;
    const start = `https://site.test:${secure.port}`;
    // The same origin, another host, another scheme, and back.
    const back = `${start}/end`;
    const clear = `http://site.test:${port}/307?${to(back)}`;
    const other = `https://b.site.test:${secure.port}/307?${to(clear)}`;
    const url = `${start}/307?${to(`/308?${to(other)}`)}`;
    await (await fetch(url, { method: "POST", body: "order", headers, secret: "shop" })).read(100);
    const all = [secure.seen[0], secure.seen[1], secure.seen[2], seen[0], secure.seen[3]];
    expect(all.map((one) => one?.at.split(" ")[1])).toEqual([
      "site.test/307",
      "site.test/308",
      "b.site.test/307",
      "site.test/307",
      "site.test/end",
    ]);
    const private_ = ["authorization", "cookie", "x-any", "x-key"];
    const sent = all.map((one) => private_.filter((name) => one!.headers[name] !== undefined));
    expect(sent).toEqual([private_, private_, [], [], []]);
    for (const one of all) {
      expect(one!.body).toBe("order");
      expect(one!.headers).toMatchObject({ accept: "text/plain", range: "bytes=0-9", "content-type": "text/x" });
    }
  });

  it("stop after the most that are followed", async () => {
    let requests = 0;
    const port = await serveHttp((_, response) => response.writeHead(302, { location: "/?" }).end(`${++requests}`));
    const url = `http://site.test:${port}/?`;
    const { code, message, details } = await failureOf(openHttp().fetch(url));
    expect({ code, details }).toEqual({
      code: "WEB_REDIRECTS",
      details: { url, redirects: Array(MAX_REDIRECTS + 1).fill(url) },
    });
    expect(message).toBe(
      `Did not fetch "${url}": it redirects more than 10 times. The next redirect leads to "${url}".`,
    );
    expect(requests).toBe(MAX_REDIRECTS + 1);
  });

  it.each([
    [
      "ftp://site.test/a",
      /redirects to "ftp:\/\/site.test\/a", but the scheme "ftp:" is not supported; use http or https/,
    ],
    ["file:///etc/passwd", /redirects to "file:\/\/\/etc\/passwd", but/],
    ["http://me:word@site.test/", /redirects to "http:\/\/site.test\/", but a URL must not contain a user name/],
    ["http://[", /redirects to "http:\/\/\[", which is not a valid URL/],
  ])("to %s are refused", async (location, problem) => {
    const { port } = await redirecting();
    const { code, message } = await failureOf(openHttp().fetch(`http://site.test:${port}/302?${to(location)}`));
    expect({ code, message }).toEqual({ code: "WEB_REDIRECTS", message: expect.stringMatching(problem) });
  });

  it("to another host are returned in mode same-host, and all in mode manual", async () => {
    const { port } = await redirecting();
    const { fetch } = openHttp();
    const cross = `http://site.test:${port}/302?${to(`http://b.site.test:${port}/`)}`;
    const same = `http://site.test:${port}/302?/next`;
    const status = async (url: string, redirect: "same-host" | "manual") => {
      const response = await fetch(url, { redirect });
      return [response.status, new TextDecoder().decode((await response.read(100)).bytes)];
    };
    expect(await status(cross, "same-host")).toEqual([302, "moved"]);
    expect(await status(same, "same-host")).toEqual([200, "here"]);
    expect(await status(same, "manual")).toEqual([302, "moved"]);
  });

  it("understand a Location in UTF-8", async () => {
    const port = await serveHttp((request, response) => {
      if (request.url !== "/") return response.end(request.url);
      return response.writeHead(302, { location: Buffer.from("/café").toString("latin1") }).end();
    });
    expect(await openHttp().text(`http://site.test:${port}/`)).toBe("/caf%C3%A9");
  });
});
