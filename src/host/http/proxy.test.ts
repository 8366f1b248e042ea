import { createServer, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { failureOf, openHttp, serveHttp, serveTls } from "./http.fixture.js";
import { proxyFor } from "./proxy.js";

afterEach(() => vi.unstubAllEnvs());

describe("the proxy of the environment", () => {
  const http = "http://proxy.test:3128";
  it.each<[url: string, environment: Record<string, string>, proxy: string | undefined]>([
    ["http://site.test/", { HTTP_PROXY: http }, "proxy.test:3128"],
    ["http://site.test/", { http_proxy: "proxy.test:8080", HTTP_PROXY: http }, "proxy.test:8080"],
    ["https://site.test/", { HTTP_PROXY: http }, undefined],
    ["https://site.test/", { HTTPS_PROXY: http }, "proxy.test:3128"],
    ["http://site.test/", { HTTP_PROXY: http, NO_PROXY: "*" }, undefined],
    ["http://site.test/", { HTTP_PROXY: http, NO_PROXY: "other.test, site.test" }, undefined],
    ["http://a.site.test/", { HTTP_PROXY: http, no_proxy: "SITE.test" }, undefined],
    ["http://a.site.test/", { HTTP_PROXY: http, no_proxy: ".site.test" }, undefined],
    ["http://mysite.test/", { HTTP_PROXY: http, no_proxy: "*.site.test" }, "proxy.test:3128"],
    ["http://site.test/", { HTTP_PROXY: http, no_proxy: "site.test:8080" }, "proxy.test:3128"],
    ["http://site.test:8080/", { HTTP_PROXY: http, no_proxy: "site.test:8080" }, undefined],
    ["http://localhost/", { HTTP_PROXY: http }, undefined],
    ["http://127.0.0.9/", { HTTP_PROXY: http }, undefined],
    ["http://site.test/", { HTTP_PROXY: "" }, undefined],
  ])("%s with %j", (url, environment, proxy) => {
    expect(proxyFor(new URL(url), environment)?.host).toBe(proxy);
  });

  it("that is not an HTTP proxy is refused, without its password", () => {
    expect(() => proxyFor(new URL("http://a.test/"), { http_proxy: "socks5://me:hunter2@x:1" })).toThrow(
      /^Did not use the proxy of HTTP_PROXY: it is not an http or https URL. Set it to one/,
    );
  });
});

/** A proxy that leads every name to loopback. */
async function serveProxy(status = 200) {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (status !== 200) return response.writeHead(status).end();
    return response.end(`proxied ${request.headers.host}`);
  });
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    seen.push(`CONNECT ${request.url} ${request.headers["proxy-authorization"]}`);
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`);
    const upstream = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(upstream).pipe(socket);
    });
    sockets.add(upstream);
    upstream.on("error", () => socket.destroy());
    return undefined;
  });
  server.on("connection", (socket) => sockets.add(socket.on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { seen, url: `http://me:pass@127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe("a proxy", () => {
  it("in the environment is ignored, unless the host trusts it", async () => {
    const { seen, url } = await serveProxy();
    vi.stubEnv("http_proxy", url);
    const port = await serveHttp((_, response) => response.end("direct"));
    expect(await openHttp().text(`http://site.test:${port}/`)).toBe("direct");
    expect(seen).toEqual([]);
  });

  it("that is trusted resolves names itself; each hop is judged without an address", async () => {
    const { seen, url } = await serveProxy();
    vi.stubEnv("http_proxy", url);
    vi.stubEnv("https_proxy", url);
    vi.stubEnv("no_proxy", "direct.test");
    const lookup = async (name: string) => (name === "direct.test" ? ["93.184.215.14"] : expect.fail(name));
    const port = await serveTls((request, response) => response.end(`tunnelled ${request.headers.host}`));
    const plain = await serveHttp((_, response) => response.end("direct"));
    const { text, hops } = openHttp({ proxy: "trusted", lookup });
    expect(await text(`https://site.test:${port}/a`)).toBe(`tunnelled site.test:${port}`);
    expect(await text("http://site.test/b?c")).toBe("proxied site.test");
    expect(await text(`http://direct.test:${plain}/`)).toBe("direct");
    expect(seen).toEqual([`CONNECT site.test:${port} Basic ${btoa("me:pass")}`, "GET http://site.test/b?c"]);
    expect(hops.map(({ address }) => address)).toEqual([undefined, undefined, "93.184.215.14"]);
  });

  it("asks nothing of a proxy for a hop that is refused", async () => {
    const { seen, url } = await serveProxy();
    vi.stubEnv("http_proxy", url);
    const hop = () => Promise.reject(new Error("refused"));
    await expect(openHttp({ proxy: "trusted" }).fetch("http://site.test/", { hop })).rejects.toThrow("refused");
    expect(seen).toEqual([]);
  });

  it("still leaves the certificate to be checked", async () => {
    const { url } = await serveProxy();
    vi.stubEnv("https_proxy", url);
    const port = await serveTls((_, response) => response.end("x"));
    const { message } = await failureOf(openHttp({ proxy: "trusted" }).fetch(`https://other.test:${port}/`));
    expect(message).toContain("its certificate is for another host name");
  });

  it("that refuses, or cannot be reached, is named without its password", async () => {
    const { url } = await serveProxy(407);
    vi.stubEnv("http_proxy", url);
    vi.stubEnv("https_proxy", url);
    const { fetch } = openHttp({ proxy: "trusted" });
    for (const target of ["http://site.test/", "https://site.test/"]) {
      const { code, message } = await failureOf(fetch(target));
      expect(code).toBe("WEB_UNREACHABLE");
      expect(message).toContain(`the proxy refused it with status 407 (through the proxy ${new URL(url).host}).`);
      expect(message).not.toContain("pass@");
    }
    vi.stubEnv("http_proxy", "http://127.0.0.1:1");
    const { message } = await failureOf(fetch("http://site.test/"));
    expect(message).toContain("the connection was refused (through the proxy 127.0.0.1:1)");
  });
});
