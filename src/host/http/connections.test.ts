import type { TLSSocket } from "node:tls";
import { describe, expect, it } from "vitest";
import { failureOf, openHttp, PUBLIC_ADDRESS, serveHttp, serveRaw, serveTls } from "./http.fixture.js";

describe("a connection", () => {
  it("goes to the address that was judged, with the name in Host", async () => {
    const port = await serveHttp((request, response) => response.end(request.headers.host));
    const { text, hops } = openHttp();
    expect(await text(`http://site.test:${port}/a?b#c`)).toBe(`site.test:${port}`);
    expect(hops).toEqual([{ method: "GET", url: `http://site.test:${port}/a?b`, address: PUBLIC_ADDRESS }]);
  });

  it("keeps the name for TLS, and checks the certificate against a literal address", async () => {
    const port = await serveTls((request, response) => response.end(`${(request.socket as TLSSocket).servername}`));
    const { text } = openHttp();
    expect(await text(`https://a.site.test.:${port}/`)).toBe("a.site.test");
    expect(await text(`https://${PUBLIC_ADDRESS}:${port}/`)).toBe("false");
  });

  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["127.1", "127.0.0.1"],
    ["0x7f.1", "127.0.0.1"],
    ["2130706433", "127.0.0.1"],
    ["[::1]", "::1"],
    ["[::ffff:127.0.0.1]", "::ffff:7f00:1"],
    ["0", "0.0.0.0"],
  ])("to %s is judged though it is not looked up", async (host, address) => {
    const lookup = async () => expect.fail("not looked up");
    const { fetch, hops } = openHttp({ lookup });
    const hop = async () => {
      throw new Error("refused");
    };
    await expect(fetch(`http://${host}:9/`, { hop })).rejects.toThrow("refused");
    expect(hops.map((one) => one.address)).toEqual([address]);
  });

  it("is not made if one of several addresses is refused", async () => {
    let requests = 0;
    const port = await serveHttp((_, response) => response.end(`${++requests}`));
    const { fetch, hops } = openHttp({ lookup: async () => [PUBLIC_ADDRESS, "10.0.0.1"] });
    const hop = async ({ address }: { address: string | undefined }) => {
      if (address === "10.0.0.1") throw new Error("private");
    };
    await expect(fetch(`http://site.test:${port}/`, { hop })).rejects.toThrow("private");
    expect([hops.length, requests]).toEqual([2, 0]);
  });

  it("is made to the next address when one refuses it", async () => {
    const port = await serveHttp((_, response) => response.end("second"));
    const lookup = async () => ["93.184.215.1", PUBLIC_ADDRESS];
    const dial = (address: string) => (address === PUBLIC_ADDRESS ? "127.0.0.1" : "127.0.0.2");
    const { text, hops } = openHttp({ lookup, dial });
    expect(await text(`http://site.test:${port}/`)).toBe("second");
    expect(hops.map((hop) => hop.address)).toEqual(["93.184.215.1", PUBLIC_ADDRESS]);
  });

  it("follows one answer of the resolver, whatever the next one is", async () => {
    const port = await serveHttp((_, response) => response.end("public"));
    const answers = [[PUBLIC_ADDRESS], ["10.0.0.1"]];
    const { text, fetch, hops } = openHttp({ lookup: async () => answers.shift()! });
    const hop = async ({ address }: { address: string | undefined }) => {
      if (address !== PUBLIC_ADDRESS) throw new Error("private");
    };
    expect(await text(`http://site.test:${port}/`, { hop })).toBe("public");
    await expect(fetch(`http://site.test:${port}/`, { hop })).rejects.toThrow("private");
    expect(hops).toHaveLength(2);
  });

  it("is used again for the same addresses only, and judged each time", async () => {
    const ports = new Set<number>();
    const port = await serveHttp((request, response) => {
      ports.add(request.socket.remotePort!);
      response.end("x");
    });
    let address = PUBLIC_ADDRESS;
    const { text, hops } = openHttp({ lookup: async () => [address] });
    await text(`http://site.test:${port}/`);
    await text(`http://site.test:${port}/`);
    expect([ports.size, hops.length]).toEqual([1, 2]);
    address = "93.184.215.15";
    await text(`http://site.test:${port}/`);
    expect([ports.size, hops.length]).toEqual([2, 3]);
    await text(`http://other.test:${port}/`);
    expect([ports.size, hops.length]).toEqual([3, 4]);
  });

  it("that its server closed while it was idle is replaced for a GET, and never used for a POST", async () => {
    const RESPONSE = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    const requests: string[] = [];
    const port = await serveRaw((socket, count) => {
      socket.write(RESPONSE);
      // Closed when the second request has arrived, as a server does that has just stopped waiting.
      socket.on("data", (data) => {
        requests.push(`${count} ${String(data).split(" ")[0]}`);
        socket.destroy();
      });
    });
    const { text } = openHttp();
    const url = `http://site.test:${port}/`;
    expect(await text(url)).toBe("ok");
    expect(await text(url)).toBe("ok");
    expect(requests).toEqual(["0 GET"]);
    expect(await text(url, { method: "POST", body: "x" })).toBe("ok");
    expect(requests).toEqual(["0 GET"]);
  });

  it("is one of six to a host at most; the others wait for a response to be read", async () => {
    let atOnce = 0;
    let most = 0;
    const port = await serveHttp((_, response) => {
      most = Math.max(most, ++atOnce);
      setTimeout(() => {
        atOnce--;
        response.end("x");
      }, 5);
    });
    const { text, fetch } = openHttp();
    await Promise.all(Array.from({ length: 20 }, () => text(`http://site.test:${port}/`)));
    expect(most).toBe(6);
    const unread = await Promise.all(Array.from({ length: 6 }, () => fetch(`http://site.test:${port}/`)));
    const { code } = await failureOf(fetch(`http://site.test:${port}/`, { timeoutMs: 50 }));
    expect(code).toBe("WEB_TIMEOUT");
    for (const response of unread) response.close();
    expect(await text(`http://site.test:${port}/`)).toBe("x");
  });

  it("ends with the port, whatever it is doing", async () => {
    const port = await serveRaw(() => {});
    const { http, fetch } = openHttp();
    const url = `http://site.test:${port}/`;
    const pending = failureOf(fetch(url));
    await new Promise((resolve) => setTimeout(resolve, 20));
    http.close();
    expect(await pending).toMatchObject({ code: "CALL_CANCELLED" });
    expect(await failureOf(fetch(url))).toMatchObject({ code: "CALL_CANCELLED" });
  });
});

describe("what is sent", () => {
  it("has a secret in its header, and what the port adds where the caller has nothing", async () => {
    const port = await serveHttp((request, response) => response.end(JSON.stringify(request.headers)));
    const secrets = [{ name: "key", value: "s3cret", hosts: ["localhost"] }];
    const { text } = openHttp({ secrets, lookup: async () => ["127.0.0.1"] });
    const url = `http://localhost:${port}/`;
    const sent = JSON.parse(await text(url, { secret: "key", headers: [["Accept", "a/b"]] }));
    expect(sent).toEqual({
      accept: "a/b",
      "accept-encoding": expect.stringMatching(/^gzip, deflate, br(, zstd)?$/),
      authorization: "Bearer s3cret",
      connection: "keep-alive",
      host: `localhost:${port}`,
      "user-agent": "haft",
    });
    expect(JSON.parse(await text(url, { headers: [["User-Agent", "b"]] }))["user-agent"]).toBe("b");
  });

  it.each(["localhost", "app.localhost"])(
    "is not sent as a secret without TLS where %s is another machine",
    async (host) => {
      let requests = 0;
      const port = await serveHttp((_, response) => {
        requests++;
        response.end();
      });
      const { fetch } = openHttp({ secrets: [{ name: "key", value: "s3cret", hosts: [host] }] });
      expect(await failureOf(fetch(`http://${host}:${port}/`, { secret: "key" }))).toMatchObject({
        code: "CALL_INVALID",
        message: expect.stringContaining("is not sent without TLS"),
      });
      expect(requests).toBe(0);
    },
  );

  it("is a body as UTF-8 or as bytes, of any method that has one", async () => {
    const port = await serveHttp((request, response) => {
      response.write(`${request.method} ${request.headers["content-length"]} `);
      request.pipe(response);
    });
    const { text } = openHttp();
    const url = `http://site.test:${port}/`;
    expect(await text(url, { method: "POST", body: "é" })).toBe("POST 2 é");
    expect(await text(url, { method: "PUT", body: new Uint8Array([65, 66]) })).toBe("PUT 2 AB");
    expect(await text(url, { method: "POST" })).toBe("POST 0 ");
    expect(await text(url, { method: "DELETE", body: "x" })).toBe("DELETE 1 x");
  });
});
