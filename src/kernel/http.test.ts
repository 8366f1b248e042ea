import { describe, expect, it } from "vitest";
import { HTTP_METHODS, requestProblem } from "./http.js";

const GOOD = "https://api.example/";

describe("what cannot be sent", () => {
  it("is nothing of a valid request", () => {
    for (const method of HTTP_METHODS)
      expect(requestProblem("HTTP://api.example:80/a b#c", { method })).toBeUndefined();
    const headers = [["X-A", "caf\u00e9\t1"]] as const;
    for (const body of ["", "日本", new Uint8Array(1)])
      expect(requestProblem(GOOD, { method: "DELETE", headers, body })).toBeUndefined();
  });

  it.each([
    ["", "https://example.com/"],
    ["a b", "https://example.com/"],
    ["example.com/a", "https://example.com/a"],
    ["//example.com", "https://example.com"],
  ])("is a URL that is not absolute, with one to send instead: %j", (url, example) => {
    const problem = `\`url\` is not an absolute URL; send one such as "${example}"`;
    expect(requestProblem(url)).toEqual({ parameter: "url", problem });
  });

  it.each<[parameter: string, url: string, request?: object]>([
    ["url", "data:text/plain,x"],
    ["url", "https://me:hunter2@api.example/"],
    ["method", GOOD, { method: "get" }],
    ["headers", GOOD, { headers: [["a b", "1"]] }],
    ["headers", GOOD, { headers: [["proxy-authorization", "1"]] }],
    ["headers", GOOD, { headers: [["X-A", "1\nHost: b"]] }],
    ["body", GOOD, { body: "" }],
    ["body", GOOD, { method: "POST", body: "\udc00" }],
  ])("is named by its parameter, without a password: %s", (parameter, url, request) => {
    const found = requestProblem(url, request);
    expect(found).toMatchObject({ parameter, problem: expect.not.stringContaining("hunter2") });
  });
});
