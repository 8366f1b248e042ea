import { describe, expect, it } from "vitest";
import type { Claim, Decision, PolicyCall } from "../kernel/index.js";
import { POLICY_CALL } from "../testing/policy-call.fixture.js";
import { type AutonomyPolicyOptions, autonomyPolicy } from "./autonomy-policy.js";

type Given = AutonomyPolicyOptions & Partial<PolicyCall>;
type Sent = Partial<Extract<Claim, { kind: "network" }>>;

function decide({ url = "https://example.com/", method = "GET", ...more }: Sent, given: Given = {}): Decision {
  const { web, rules, ...call } = given;
  const options = { ...(web === undefined ? {} : { web }), ...(rules === undefined ? {} : { rules }) };
  const claim: Claim = { kind: "network", method, url, ...more };
  return autonomyPolicy(options).decide([claim], { ...POLICY_CALL, tool: "webfetch", ...call });
}

const LEVELS = ["readonly", "supervised", "full"] as const;
const LOCAL = { url: "http://localhost:3000/a" };
const TAINTED = { taint: [{ from: "web", ref: "https://evil.example" }] } as const;

describe("cloud metadata", () => {
  const web = { privateHosts: ["169.254.169.254", "metadata.google.internal", "cloud.example"] };
  const rules = ["allow host:169.254.169.254", "allow host:metadata.google.internal", "allow host:cloud.example"];

  it.each(LEVELS)("is denied at %s, whatever lists or allows it", (autonomy) => {
    for (const sent of [
      { url: "http://169.254.169.254/latest/" },
      { url: "http://metadata.google.internal./" },
      { url: "http://cloud.example/", address: "169.254.169.254" },
      { url: "http://cloud.example/", address: "64:ff9b::a9fe:a9fe" },
      { url: "http://169.254.169.254/", address: "169.254.169.254" },
    ])
      expect(decide(sent, { autonomy, web, rules })).toMatchObject({ effect: "deny", rule: "network-metadata" });
  });
});

describe("a private host", () => {
  it("is asked about, at full too, and denied at readonly", () => {
    expect(decide(LOCAL)).toMatchObject({
      effect: "ask",
      rule: "network-private",
      suggestedRules: ["host:localhost"],
      reason:
        'It sends a GET request to http://localhost:3000/a, and "localhost" is a name of this machine or of a private network.',
      next: `The user can add "localhost" to "web.privateHosts". To allow it, run: haft policy allow 'host:localhost'`,
    });
    expect(decide(LOCAL, { autonomy: "full" }).effect).toBe("ask");
    expect(decide(LOCAL, { autonomy: "readonly" }).effect).toBe("deny");
  });

  it.each([
    ["a listed host", { web: { privateHosts: ["localhost"] } }, "allow"],
    ["a listed domain", { web: { privateHosts: ["*.corp"] } }, "ask"],
    ["a rule that names it", { rules: ["allow host:localhost"] }, "allow"],
    ["a rule for any host", { rules: ["allow host:*"] }, "ask"],
    ["a rule for the tool", { rules: ["allow tool:webfetch"] }, "ask"],
    [
      "a rule that asks beside the list",
      { web: { privateHosts: ["localhost"] }, rules: ["ask host:localhost"] },
      "ask",
    ],
    ["a rule that denies", { rules: ["allow host:localhost", "deny host:localhost"] }, "deny"],
    ["a block", { web: { privateHosts: ["localhost"], blockedHosts: ["localhost"] } }, "deny"],
  ] as const)("with %s", (_, given, effect) => {
    expect(decide(LOCAL, given).effect).toBe(effect);
  });

  it("that is listed can be read at readonly", () => {
    const web = { privateHosts: ["localhost"] };
    expect(decide(LOCAL, { web, autonomy: "readonly" }).effect).toBe("allow");
    expect(decide(LOCAL, { rules: ["allow host:localhost"], autonomy: "readonly" }).effect).toBe("allow");
    expect(decide({ ...LOCAL, method: "POST" }, { web, autonomy: "readonly" }).effect).toBe("deny");
    expect(decide({ ...LOCAL, method: "POST" }, { web }).effect).toBe("ask");
  });
});

describe("an address", () => {
  it("of the public internet passes", () => {
    expect(decide({ address: "93.184.215.14" }).effect).toBe("allow");
    expect(decide({ address: "2606:4700::1111" }, TAINTED).effect).toBe("allow");
  });

  it.each(LEVELS)("that is private is denied for a name that looks public, at %s", (autonomy) => {
    for (const address of ["10.0.0.5", "::ffff:10.0.0.5", "127.0.0.1", "fe80::1%eth0"])
      expect(decide({ address }, { autonomy, rules: ["allow host:*", "allow tool:webfetch"] })).toMatchObject({
        effect: "deny",
        rule: "network-private",
      });
  });

  it("names itself and what to add", () => {
    expect(decide({ address: "10.0.0.5" })).toMatchObject({
      reason: '"example.com" resolves to 10.0.0.5, a private address (10.0.0.0/8).',
      next: 'The user can add "example.com" to "web.privateHosts". To allow it, run: haft policy allow \'host:example.com\'',
      suggestedRules: ["host:example.com"],
    });
  });

  it.each([
    ["listed", { web: { privateHosts: ["*.example.com"] } }, "https://wiki.example.com/"],
    ["named by a rule", { rules: ["allow host:wiki.example.com"] }, "https://wiki.example.com/"],
    ["the search's", { web: { searchEndpoints: ["https://search.example/q"] } }, "https://search.example/q?q=a"],
  ] as const)("that is private passes for a host that is %s", (_, given, url) => {
    expect(decide({ url, address: "10.0.0.5" }, given).effect).toBe("allow");
  });

  it("that is private is asked about for a private name", () => {
    expect(decide({ ...LOCAL, address: "127.0.0.1" }).effect).toBe("ask");
    expect(decide({ ...LOCAL, address: "127.0.0.1" }, { autonomy: "full" }).effect).toBe("ask");
  });

  it("that is blocked, or that is none, is denied", () => {
    const web = { blockedHosts: ["8.8.8.8"] };
    expect(decide({ address: "8.8.8.8" }, { web }).effect).toBe("deny");
    expect(decide({ address: "nowhere" }, { autonomy: "full" })).toMatchObject({ effect: "deny" });
  });
});

describe("lists of hosts", () => {
  it.each(LEVELS)("hold at %s", (autonomy) => {
    const web = { allowedHosts: ["*.example.com", "a.example"], blockedHosts: ["bad.example.com"] };
    const effect = (url: string) => decide({ url }, { autonomy, web, rules: ["allow host:*"] }).effect;
    expect(effect("https://docs.example.com/")).toBe("allow");
    expect(effect("https://A.example./")).toBe("allow");
    expect(effect("https://b.example/")).toBe("deny");
    expect(effect("https://bad.example.com/")).toBe("deny");
  });
});

describe("after untrusted content", () => {
  const shownUrls = new Set(["https://example.com/a?b=1"]);

  it.each([
    ["a URL that was shown", { url: "https://example.com/a?b=1#part" }, {}, "allow"],
    [
      "a URL that was shown, with a header",
      { url: "https://example.com/a?b=1", headers: [["X-Data", "k"]] },
      {},
      "ask",
    ],
    ["a URL that was shown, with a body", { url: "https://example.com/a?b=1", body: "k" }, {}, "ask"],
    [
      "a host that a rule names, with a header",
      { headers: [["X-Data", "k"]] },
      { rules: ["allow host:example.com"] },
      "allow",
    ],
    ["another query", { url: "https://example.com/a?b=2" }, {}, "ask"],
    ["another path of that host", { url: "https://example.com/" }, {}, "ask"],
    ["a host that a rule names", { url: "https://example.com/x" }, { rules: ["allow host:*.com"] }, "allow"],
    ["a rule for any host", { url: "https://example.com/x" }, { rules: ["allow host:*"] }, "ask"],
    ["a rule for the tool", { url: "https://example.com/x" }, { rules: ["allow tool:webfetch"] }, "ask"],
    ["a POST to a URL that was shown", { url: "https://example.com/a?b=1", method: "POST" }, {}, "ask"],
    ["a POST to a host that a rule names", { method: "POST" }, { rules: ["allow host:example.com"] }, "ask"],
    ["a private URL that was shown", { url: "http://localhost/" }, {}, "ask"],
  ] as const)("%s", (_, sent, given, effect) => {
    expect(decide(sent, { ...TAINTED, ...given, shownUrls: new Set([...shownUrls, "http://localhost/"]) }).effect).toBe(
      effect,
    );
  });
});

describe("a refusal says what lifts it", () => {
  it.each([
    [
      "a private host at readonly",
      LOCAL,
      { autonomy: "readonly" },
      {
        rule: "network-private",
        reason:
          'It sends a GET request to http://localhost:3000/a, and "localhost" is a name of this machine or of a private network. A read-only session refuses this without asking.',
        next: `The user can add "localhost" to "web.privateHosts". To allow it, run: haft policy allow 'host:localhost'`,
      },
    ],
    [
      "a read after untrusted content at readonly",
      { url: "https://example.com/x" },
      { ...TAINTED, autonomy: "readonly" },
      {
        rule: "network-tainted",
        reason:
          "It sends a GET request to https://example.com/x. This session has read content from outside the workspace, which may carry instructions. A read-only session refuses this without asking.",
        next: "To allow it, run: haft policy allow 'host:example.com'",
      },
    ],
    [
      "another method at readonly",
      { ...LOCAL, method: "POST" },
      { autonomy: "readonly" },
      {
        rule: "readonly",
        reason: expect.stringMatching(/ The session is read-only, which no rule lifts\.$/),
        next: "Report what you would change instead.",
      },
    ],
    [
      "another method after untrusted content",
      { method: "POST" },
      TAINTED,
      {
        rule: "network",
        next: "No rule lifts this in a session that has read such content; a user who is asked can.",
      },
    ],
    [
      "another method to a private host after untrusted content",
      { ...LOCAL, method: "POST" },
      TAINTED,
      {
        rule: "network-private",
        next: "No rule lifts this in a session that has read such content; a user who is asked can.",
      },
    ],
  ] as const)("%s", (_, sent, given, expected) => {
    const decision = decide(sent, given);
    expect(decision).toMatchObject(expected);
    expect(decision.suggestedRules !== undefined).toBe(expected.next.toString().includes("haft policy allow"));
  });

  it("and what it names does", () => {
    const read = { url: "https://example.com/x" };
    const rules = ["allow host:example.com", "allow host:localhost"];
    expect(decide(LOCAL, { autonomy: "readonly", rules }).effect).toBe("allow");
    expect(decide(read, { ...TAINTED, autonomy: "readonly", rules }).effect).toBe("allow");
    expect(decide({ ...read, method: "POST" }, { ...TAINTED, rules }).effect).toBe("ask");
  });
});

describe("the configured search", () => {
  const web = { searchEndpoints: ["https://search.example/html/"] };
  const url = "https://search.example/html/?q=a";

  it.each(LEVELS)("runs unasked at %s, after untrusted content too", (autonomy) => {
    expect(decide({ url, method: "POST", purpose: "search" }, { web, autonomy, ...TAINTED })).toMatchObject({
      effect: "allow",
      rule: "web-search",
    });
  });

  it("is that URL and no other, and can be denied", () => {
    const search = (sent: Sent, given: Given = {}) =>
      decide({ url, method: "POST", purpose: "search", ...sent }, { web, ...given }).effect;
    expect(search({ url: "https://search.example/post" })).toBe("ask");
    expect(search({ url: "http://search.example/html/" })).toBe("ask");
    expect(search({ method: "DELETE" })).toBe("ask");
    expect(search({}, { rules: ["deny host:search.example"] })).toBe("deny");
  });

  it("is not another request to that URL, nor one with headers or a body of the model", () => {
    for (const sent of [{}, { method: "POST" }, { purpose: "search", headers: [["X-Data", "k"]] } as const])
      expect(decide({ url, ...sent }, { web, ...TAINTED })).toMatchObject({ effect: "ask" });
    expect(decide({ url }, { web: { ...web, allowedHosts: ["a.example"] } }).effect).toBe("deny");
  });
});

describe("a secret", () => {
  const web = { secrets: [{ name: "token", hosts: ["api.example.com", "git.example.com:8443"] }] };
  const decideOn = (name: string, hosts: readonly string[], autonomy: PolicyCall["autonomy"] = "supervised") =>
    autonomyPolicy({ web }).decide([{ kind: "secret", name, hosts }], { ...POLICY_CALL, autonomy });

  it("may be sent to the hosts that the user has bound it to", () => {
    expect(decideOn("token", ["api.example.com"]).effect).toBe("allow");
    expect(decideOn("token", ["API.example.com", "git.example.com:8443"], "readonly").effect).toBe("allow");
  });

  it.each(LEVELS)("is denied for any other at %s, with the hosts that it is bound to", (autonomy) => {
    expect(decideOn("token", ["api.example.com", "evil.example"], autonomy)).toMatchObject({
      effect: "deny",
      reason:
        'It would send the secret "token" to evil.example, and the user has bound it to api.example.com, git.example.com.',
    });
  });

  it.each(LEVELS)("that is unknown is denied at %s with the names of the others", (autonomy) => {
    expect(decideOn("nope", ["api.example.com"], autonomy)).toMatchObject({
      effect: "deny",
      rule: "unknown-secret",
      reason: 'There is no secret "nope"; the configured ones are "token".',
      next: 'Use one of them, or ask the user to add it to "web.secrets" of the configuration.',
    });
  });

  it("that is unknown is denied where there is none, and asked about where none are known", () => {
    const decideBy = (given: object) =>
      autonomyPolicy({ web: given }).decide([{ kind: "secret", name: "nope", hosts: ["a.example"] }], POLICY_CALL);
    expect(decideBy({ secrets: [] })).toMatchObject({
      effect: "deny",
      reason: 'There is no secret "nope"; none is configured.',
      next: 'Send the request without `secret`, or ask the user to add it to "web.secrets" of the configuration.',
    });
    expect(decideBy({}).effect).toBe("ask");
  });
});

it("lets a question remember the URL without its fragment", () => {
  expect(decide({ url: "https://example.com/a#b", method: "post" })).toMatchObject({
    remember: ["POST https://example.com/a"],
  });
});

describe("what an approval of a request is remembered for", () => {
  const url = "https://example.com/a";
  const secret = { kind: "secret", name: "token", hosts: ["example.com"] } as const;
  const web = { secrets: [{ name: "token", hosts: ["example.com"] }] };
  const asked = (sent: Sent, claims: readonly Claim[] = []) => {
    const claim: Claim = { kind: "network", method: "POST", url, ...sent };
    const decision = autonomyPolicy({ web }).decide([claim, ...claims], POLICY_CALL);
    if (decision.effect !== "ask") throw new Error("It is not asked about.");
    return decision;
  };

  it("is exactly its headers, body and secret", () => {
    const all = [
      asked({}),
      asked({ body: "a" }),
      asked({ body: "b" }),
      asked({ headers: [["X-A", "1"]] }),
      asked({ headers: [["X-A", "2"]] }),
      asked({ headers: [["X-A", "1"]], body: "a" }),
      asked({}, [secret]),
    ];
    expect(new Set(all.map(({ remember }) => remember?.join())).size).toBe(all.length);
    expect(asked({ body: "a" }).remember).toEqual(all[1]?.remember);
  });

  it("is named in the question", () => {
    const headers = [
      ["X-A", "1"],
      ["X-B", "2"],
    ] as const;
    const decision = asked({ headers, body: "é" }, [secret]);
    const content = 'with the secret "token", 2 headers and a body of 2 bytes';
    expect(decision.reason).toBe(`It sends a POST request to ${url} ${content}.`);
    expect(decision.rememberedText).toEqual([`POST ${url} ${content}, exactly as it is`]);
    expect(asked({ headers: [["X-A", "1"]] }).reason).toBe(`It sends a POST request to ${url} with 1 header.`);
  });
});
