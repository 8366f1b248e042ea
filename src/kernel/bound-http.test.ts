import { describe, expect, it } from "vitest";
import { boundHttp, type RequestBinding } from "./bound-http.js";
import { type Decision, type Grant, grantFor } from "./claims.js";
import type { Http, HttpResponse } from "./http.js";

const RESPONSE: HttpResponse = {
  url: "https://example.com/a",
  status: 200,
  statusText: "",
  headers: [["x", "1"]],
  redirects: [],
  read: async () => ({ bytes: new Uint8Array(1), isComplete: true }),
  async *chunks() {
    yield new Uint8Array(1);
    yield new Uint8Array(1);
  },
  close() {},
};

const A = { method: "GET", url: "https://example.com/a", scope: "exact" } as const;

type Asked = Parameters<RequestBinding["authorize"]>[0];

/** A port that is redirected, what the policy was asked, and what was sent. */
function redirectedTo(...to: readonly { readonly method: string; readonly url: string }[]) {
  const sent: string[] = [];
  const asked: Asked[] = [];
  const fetched: string[] = [];
  const http: Http = {
    async fetch(url, { method = "GET", hop }) {
      for (const request of [{ method, url }, ...to]) {
        await hop({ ...request, address: "192.0.2.1" });
        sent.push(`${request.method} ${request.url}`);
      }
      return RESPONSE;
    },
  };
  const bound = (requests: Grant["requests"], more: Partial<RequestBinding> & Partial<Pick<Grant, "secrets">> = {}) =>
    boundHttp(http, {
      grant: grantFor("g", [], { requests, secrets: more.secrets ?? [] }),
      signal: new AbortController().signal,
      isApproved: false,
      requireLife() {},
      fetched: (url) => void fetched.push(url),
      ...more,
      authorize(request) {
        asked.push(request);
        return more.authorize?.(request) ?? decision("allow");
      },
    });
  return { sent, asked, fetched, bound };
}

function decision(effect: Decision["effect"]): Decision {
  const stated = { rule: "network", risk: "low", reason: "It is so.", next: "Do this." } as const;
  return effect === "deny" ? { effect, ...stated } : { effect, ...stated, grant: grantFor("g", []) };
}

const unclaimed = { code: "CALL_UNCLAIMED" };

it("makes the claimed request, and none of another method, path or origin", async () => {
  const { sent, bound, fetched } = redirectedTo();
  const http = bound([A]);
  await http.fetch("https://example.com/a#part");
  for (const [url, method] of [
    ["https://example.com/a", "POST"],
    ["https://example.com/b", "GET"],
    ["https://example.com/a?x=1", "GET"],
    ["http://example.com/a", "GET"],
    ["https://example.com.evil.example/a", "GET"],
    ["not a url", "GET"],
  ] as const)
    await expect(http.fetch(url, { method }), `${method} ${url}`).rejects.toMatchObject(unclaimed);
  expect(sent).toEqual(["GET https://example.com/a#part"]);
  expect(fetched).toEqual(["https://example.com/a#part", "https://example.com/a"]);
});

describe("a redirect", () => {
  it.each([
    ["to the same origin", A.url, "https://example.com/b?q=1"],
    ["from http to https of the host", "http://example.com/a", "https://example.com/a"],
  ])("%s belongs to the granted request", async (_, from, to) => {
    const { sent, asked, bound } = redirectedTo({ method: "GET", url: to });
    await bound([{ ...A, url: from }]).fetch(from);
    expect(sent).toHaveLength(2);
    expect(asked.every(({ address }) => address === "192.0.2.1")).toBe(true);
  });

  it.each([
    ["another host", "GET", "https://other.example/"],
    ["another port", "GET", "https://example.com:8443/a"],
    ["http in place of https", "GET", "http://example.com/a"],
    ["another method", "POST", "https://example.com/b"],
  ])("to %s is judged by the policy, which can refuse it", async (_, method, url) => {
    for (const [effect, code] of [
      ["ask", "POLICY_APPROVAL_REQUIRED"],
      ["deny", "POLICY_DENIED"],
    ] as const) {
      const { sent, bound } = redirectedTo({ method, url });
      const http = bound([A], {
        isApproved: true,
        authorize: (one) => decision(one.address === undefined ? effect : "allow"),
      });
      await expect(http.fetch(A.url)).rejects.toMatchObject({ code });
      expect(sent).toEqual([`GET ${A.url}`]);
    }
    const { sent, bound } = redirectedTo({ method, url });
    await bound([A]).fetch(A.url);
    expect(sent).toHaveLength(2);
  });

  it("that was refused names both addresses and what to do", async () => {
    const { bound } = redirectedTo({ method: "GET", url: "https://other.example/" });
    const authorize = ({ address }: Asked) => decision(address === undefined ? "ask" : "allow");
    await expect(bound([A], { authorize }).fetch(A.url)).rejects.toThrow(
      'Did not follow the redirect from "https://example.com/a" to "https://other.example/": It is so. Fetch that URL itself, so that the user can be asked.',
    );
  });
});

describe("an address", () => {
  const onAddress = (effect: Decision["effect"]) => (one: Asked) =>
    decision(one.address === undefined ? "allow" : effect);

  it("is judged before each connection", async () => {
    const { sent, bound } = redirectedTo();
    await expect(bound([A], { authorize: onAddress("deny") }).fetch(A.url)).rejects.toThrow(
      'Did not connect to "https://example.com/a": It is so. Do this.',
    );
    expect(sent).toEqual([]);
  });

  it("that the policy asks about passes where the user approved that very request", async () => {
    const { sent, bound } = redirectedTo();
    const authorize = onAddress("ask");
    await expect(bound([A], { authorize }).fetch(A.url)).rejects.toMatchObject({ code: "POLICY_APPROVAL_REQUIRED" });
    await bound([A], { authorize, isApproved: true }).fetch(A.url);
    expect(sent).toHaveLength(1);
  });

  it("of a redirect, or of a request that was granted with any other, does not pass by that approval", async () => {
    const authorize = onAddress("ask");
    const { bound } = redirectedTo({ method: "GET", url: "http://printer.local/" });
    const isPrinter = (one: Asked) => (one.url.includes("printer") ? authorize(one) : decision("allow"));
    await expect(bound([A], { authorize: isPrinter, isApproved: true }).fetch(A.url)).rejects.toThrow(/printer/);
    await expect(
      bound([{ method: "*", url: "*", scope: "any" }], { authorize, isApproved: true }).fetch(A.url),
    ).rejects.toMatchObject({ code: "POLICY_APPROVAL_REQUIRED" });
  });

  it("that the policy denies passes by no approval", async () => {
    const { bound } = redirectedTo();
    await expect(bound([A], { authorize: onAddress("deny"), isApproved: true }).fetch(A.url)).rejects.toMatchObject({
      code: "POLICY_DENIED",
    });
  });
});

it("sends a secret that was claimed for the host of the URL, and no other", async () => {
  const { sent, bound } = redirectedTo();
  const http = bound([A, { ...A, url: "https://other.example/a" }], {
    secrets: [{ name: "token", hosts: ["example.com"] }],
  });
  await http.fetch(A.url, { secret: "token" });
  for (const [url, secret] of [
    [A.url, "key"],
    ["https://other.example/a", "token"],
    [A.url, { toString: () => "token" } as unknown as string],
  ] as const)
    await expect(http.fetch(url, { secret })).rejects.toMatchObject(unclaimed);
  expect(sent).toHaveLength(1);
});

it("refuses everything where nothing is claimed, and anything once the call has ended", async () => {
  const { sent, bound } = redirectedTo();
  await expect(bound([]).fetch(A.url)).rejects.toMatchObject(unclaimed);
  const requireLife = () => {
    throw new Error("ended");
  };
  const ended = bound(grantFor("g", [{ kind: "network-open", purpose: "browse" }]).requests, { requireLife });
  await expect(ended.fetch(A.url)).rejects.toThrow("ended");
  expect(sent).toEqual([]);
});

it("gives a response that nothing of the port can be reached from, and that ends with the call", async () => {
  let isEnded = false;
  const { bound } = redirectedTo();
  const requireLife = () => {
    if (isEnded) throw new Error("ended");
  };
  const response = await bound([A], { requireLife }).fetch(A.url);
  expect([response.status, response.headers, (await response.read(1)).isComplete]).toEqual([200, [["x", "1"]], true]);
  expect(Object.isFrozen(response) && Object.isFrozen(response.headers)).toBe(true);
  const chunks = response.chunks()[Symbol.asyncIterator]();
  await chunks.next();
  isEnded = true;
  await expect(chunks.next()).rejects.toThrow("ended");
  await expect(response.read(1)).rejects.toThrow("ended");
});

it("takes no object in place of a URL or a method: it could be another text each time it is read", async () => {
  const { sent, bound } = redirectedTo();
  const http = bound([{ ...A, scope: "any" }]);
  const object = (text: string) => ({ toString: () => text }) as unknown as string;
  await expect(http.fetch(object(A.url))).rejects.toMatchObject({ code: "CALL_INVALID" });
  await expect(http.fetch(A.url, { method: object("GET") })).rejects.toMatchObject({ code: "CALL_INVALID" });
  expect(sent).toEqual([]);
});
