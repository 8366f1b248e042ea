import { describe, expect, it } from "vitest";
import type { Autonomy, Claim } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { validatingPolicy } from "./index.js";

const WORKSPACE = "/home/u/project";

function decide(host: string, allowedDomains?: readonly string[], tool = "http_request", autonomy: Autonomy = "full") {
  const claim: Claim = { kind: "network", method: "GET", url: `https://${host}/a` };
  const place = { target: "local", cwd: WORKSPACE, workspace: WORKSPACE, home: "/home/u" };
  const about = { sandboxed: false, taint: [], autonomy, callId: "c1", sessionId: "s1" } as const;
  const effect = tool === "http_request" ? "write" : "read";
  const policy = validatingPolicy(allowedDomains === undefined ? {} : { allowedDomains });
  return policy.decide([claim], { tool, effect, ...place, ...about });
}

describe("allowed domains", () => {
  verifies("ZC-045", "name a domain with its subdomains, an address, or every host; none disables requests", () => {
    const rows: readonly (readonly [readonly string[] | undefined, string, boolean])[] = [
      [undefined, "example.com", false],
      [[], "example.com", false],
      [["*"], "example.com", true],
      [["example.com"], "example.com", true],
      [["example.com"], "a.b.example.com", true],
      [["example.com"], "EXAMPLE.com.", true],
      [["example.com"], "notexample.com", false],
      [["example.com"], "example.com.evil.example", false],
      [["*.api.example"], "api.example", true],
      [["*.api.example"], "v1.api.example", true],
      [["  HTTPS://Api.Example:8443/v1?a#b "], "api.example", true],
      [["api.example", "93.184.215.14"], "93.184.215.14", true],
      [["215.14"], "93.184.215.14", false],
      [["93.184.215.14"], "1.93.184.215.14.example", false],
      [["2606:2800:21f:cb07:6820:80da:af6b:8b2c"], "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]", true],
      [["[2606:2800:21f:cb07:6820:80da:af6b:8b2c]"], "[2606:2800:21f:cb07:6820:80da:af6b:8b2d]", false],
      [["bücher.example"], "xn--bcher-kva.example", true],
    ];
    const seen = rows.map(([list, host]) => [list, host, decide(host, list).effect === "allow"]);
    expect(seen).toEqual(rows);
    expect(decide("example.com")).toMatchObject({ effect: "deny", reason: expect.stringContaining("disabled") });
    expect(decide("other.example", ["example.com"]).reason).toBe("Host not in allowed domains: other.example");
  });

  verifies("ZC-045", "that name no host are refused when the policy is made", () => {
    for (const entry of [
      "",
      " ",
      "a b",
      "ada@example.com",
      "a..b",
      "*.*.example",
      "exa*mple.com",
      "https://",
      ".",
      "[x]",
    ])
      expect(() => validatingPolicy({ allowedDomains: ["ok.example", entry] }), entry).toThrow(/names no host/);
  });

  verifies("ZC-051", "allow nothing in a session that is read-only, whatever the method", () => {
    expect(decide("example.com", ["*"], "http_request", "readonly")).toMatchObject({
      effect: "deny",
      reason: "Read-only mode: cannot perform 'http_request'",
    });
  });

  it("do not limit web_fetch", () => {
    expect(decide("example.com", [], "webfetch").effect).toBe("allow");
  });
});
