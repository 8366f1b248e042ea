import { describe, expect, it } from "vitest";
import { boundHttp, type RequestBinding } from "./bound-http.js";
import { type Decision, type Grant, grantFor } from "./claims.js";
import { HaftError } from "./errors.js";
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
  const requested: string[] = [];
  const connecting: string[] = [];
  let answers = 0;
  const http: Http = {
    async fetch(url, { method = "GET", hop }) {
      for (const request of [{ method, url }, ...to]) {
        await hop({ ...request, address: "192.0.2.1" });
        sent.push(`${request.method} ${request.url}`);
      }
      return RESPONSE;
    },
  };
  const bound = (
    requests: Grant["requests"],
    more: Partial<RequestBinding> & Partial<Pick<Grant, "secrets">> = {},
    port = http,
  ) =>
    boundHttp(port, {
      grant: grantFor("g", [], { requests, secrets: more.secrets ?? [] }),
      backend: "local",
      signal: new AbortController().signal,
      isApproved: false,
      requireLife() {},
      requested: (url) => void requested.push(url),
      answered: () => void answers++,
      connecting: ({ method, url, address }) => void connecting.push(`${method} ${url} at ${address}`),
      ...more,
      authorize(request) {
        asked.push(request);
        return more.authorize?.(request) ?? decision("allow");
      },
    });
  return { sent, asked, requested, connecting, answers: () => answers, bound };
}

function decision(effect: Decision["effect"]): Decision {
  const stated = { rule: "network", risk: "low", reason: "It is so.", next: "Do this." } as const;
  return effect === "deny" ? { effect, ...stated } : { effect, ...stated, grant: grantFor("g", []) };
}

const unclaimed = { code: "CALL_UNCLAIMED" };

it("makes the claimed request, and none of another method, path or origin", async () => {
  const { sent, bound, requested } = redirectedTo();
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
  expect(new Set(requested)).toEqual(new Set(["https://example.com/a#part", "https://example.com/a"]));
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

it("reports each connection that may be made, and none that may not", async () => {
  const { bound, connecting } = redirectedTo({ method: "GET", url: "https://b.example/" });
  await bound([A]).fetch(A.url);
  const made = [`GET ${A.url} at 192.0.2.1`, "GET https://b.example/ at 192.0.2.1"];
  expect(connecting).toEqual(made);
  const authorize = ({ url }: Asked) => decision(url === A.url ? "allow" : "deny");
  await expect(bound([A], { authorize }).fetch(A.url)).rejects.toMatchObject({ code: "POLICY_DENIED" });
  expect(connecting).toEqual([...made, made[0]]);
});

describe("what a call has read", () => {
  const failing = (code: "WEB_UNREACHABLE" | "WEB_REDIRECTS", hops: readonly string[]): Http => ({
    async fetch(_, { method = "GET", hop }) {
      for (const url of hops) await hop({ method, url, address: "192.0.2.1" });
      throw new HaftError(code, "Did not fetch it.");
    },
  });

  it.each([
    ["a name that does not resolve", "WEB_UNREACHABLE", [], false],
    ["a server that does not answer", "WEB_UNREACHABLE", ["https://example.com/a", "https://example.com/a"], false],
    ["a redirect to where nobody answers", "WEB_UNREACHABLE", ["https://example.com/a", "https://b.example/"], true],
    ["a redirect to no URL", "WEB_REDIRECTS", ["https://example.com/a"], true],
  ] as const)("after %s", async (_, code, hops, isAnswered) => {
    const { bound, answers, requested } = redirectedTo();
    const http = bound([A], {}, failing(code, hops));
    await expect(http.fetch("https://example.com/a#part")).rejects.toMatchObject({ code });
    expect(answers() > 0).toBe(isAnswered);
    expect(new Set(requested)).toEqual(new Set(["https://example.com/a#part", ...hops]));
  });

  it("is a redirect that is refused, whose target may not be requested again", async () => {
    const { bound, answers, requested } = redirectedTo({ method: "GET", url: "https://other.example/" });
    const authorize = ({ address }: Asked) => decision(address === undefined ? "ask" : "allow");
    await expect(bound([A], { authorize }).fetch(A.url)).rejects.toMatchObject({ code: "POLICY_APPROVAL_REQUIRED" });
    expect([answers() > 0, requested.includes("https://other.example/")]).toEqual([true, false]);
  });

  it("may be requested again by GET, and of any URL only once the policy has allowed it", async () => {
    const { bound, requested } = redirectedTo();
    const authorize = () => decision("ask");
    const any = { method: "*", url: "*", scope: "any" } as const;
    await expect(bound([any], { authorize }).fetch(A.url)).rejects.toMatchObject({ code: "POLICY_APPROVAL_REQUIRED" });
    const post = bound([{ ...A, method: "POST" }], {}, failing("WEB_UNREACHABLE", [A.url]));
    await expect(post.fetch(A.url, { method: "POST" })).rejects.toMatchObject({ code: "WEB_UNREACHABLE" });
    expect(requested).toEqual([]);
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
