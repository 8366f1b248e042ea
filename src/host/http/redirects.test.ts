import { describe, expect, it } from "vitest";
import { failureOf, openHttp, PUBLIC_ADDRESS, serveHttp, serveTls } from "./http.fixture.js";

describe("connections", () => {
  it("go to the address that was judged, with the name in Host", async () => {
    const port = await serveHttp((request, response) => response.end(`host ${request.headers.host}`));
    const { text, hops } = openHttp();
    expect(await text(`http://site.test:${port}/a?b#c`)).toBe(`host site.test:${port}`);
    expect(hops).toEqual([{ method: "GET", url: `http://site.test:${port}/a?b`, address: PUBLIC_ADDRESS }]);
  });
  it("keep the name for TLS", async () => {
    const port = await serveTls((request, response) => response.end(`${(request.socket as any).servername}`));
    const { text, hops } = openHttp();
    expect(await text(`https://site.test:${port}/`)).toBe("site.test");
    expect(await text(`https://93.184.215.14:${port}/`)).toBe("false");
    console.log(hops, await failureOf(openHttp().fetch(`https://other.test:${port}/`)));
  });
});
