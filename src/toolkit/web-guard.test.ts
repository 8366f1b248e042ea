/** No spelling of an address gets past the guard of the web, at the level that asks least. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { HOST_FORMS } from "../policy/address-forms.fixture.js";
import { verifies } from "../testing/verifies.fixture.js";
import { createToolkit } from "./create-toolkit.js";
import type { Toolkit } from "./toolkit.js";

const REFUSED: readonly string[] = [...HOST_FORMS.metadata, ...HOST_FORMS.private];

let requests: string[];
let server: Server;
let port: number;
let toolkit: Toolkit;
beforeAll(async () => {
  server = createServer(({ url = "" }, response) => {
    requests.push(url);
    const to = new URL(url, "http://here.test").searchParams.get("to");
    if (to !== null) response.writeHead(302, { location: Buffer.from(to).toString("latin1") });
    response.end("reached");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  // Whatever the guard lets through arrives at this server, so that it is seen.
  const lookup = async (host: string) => [host.startsWith("at-") ? answers.get(host)! : "93.184.215.14"];
  toolkit = await createToolkit({ persist: false, autonomy: "full", web: { lookup, dial: () => "127.0.0.1" } });
});
afterAll(async () => {
  await toolkit.close();
  server.closeAllConnections();
  server.close();
});

/** Host names that resolve to an address which is not public. */
const answers = new Map(
  REFUSED.filter((form) => /^[\d.]+\d$|^\[[^%]*\]$/.test(form)).map((form, index) => [
    `at-${index}.test`,
    form.replace(/[[\]]/g, ""),
  ]),
);

async function fetched(url: string) {
  requests = [];
  const { runner } = toolkit.box();
  return runner.run({ id: "1", name: "webfetch", input: { url } });
}

describe("a request is refused before a byte is sent", () => {
  it("reaches a public host, so that the rest proves something", async () => {
    expect(await fetched(`http://public.test:${port}/page`)).toMatchObject({ isError: false });
    expect(requests).toEqual(["/page"]);
  });

  verifies(["ZC-047"], "to every spelling of an address that is not public", async () => {
    expect(REFUSED.length).toBeGreaterThan(100);
    for (const form of REFUSED) {
      const { isError, code } = await fetched(`http://${form}:${port}/`);
      expect([form, isError, code, requests]).toEqual([
        form,
        true,
        expect.stringMatching(/^(POLICY_|CALL_INVALID)/),
        [],
      ]);
    }
  });

  it("also where a redirect leads there", async () => {
    for (const form of REFUSED) {
      const { isError } = await fetched(
        `http://public.test:${port}/go?to=${encodeURIComponent(`http://${form}:${port}/`)}`,
      );
      expect([form, isError, requests.filter((url) => !url.startsWith("/go"))]).toEqual([form, true, []]);
    }
  });

  it("also where a public name resolves there", async () => {
    expect(answers.size).toBeGreaterThan(40);
    for (const [name, address] of answers) {
      const { isError } = await fetched(`http://${name}:${port}/`);
      expect([address, isError, requests]).toEqual([address, true, []]);
    }
  });
});
