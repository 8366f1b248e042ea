import { expect, it } from "vitest";
import { isSecretHeader, maskHeaders } from "./mask-headers.js";

it("hides the values of headers that are credentials, and keeps their names", () => {
  const headers = {
    Authorization: "Bearer ab",
    "X-Api-Key": "key1",
    "x-goog-api-key": "key2",
    "Proxy-Authorization": "Basic YQ==",
  };
  const cookies = { Cookie: "a=b; c=d", "SET-COOKIE": ["sid=1", "t=12"] };
  expect(maskHeaders({ url: "https://a.example/", headers: { ...headers, ...cookies, Accept: "text/html" } })).toEqual({
    url: "https://a.example/",
    headers: {
      Authorization: "⟦redacted:authorization⟧",
      "X-Api-Key": "⟦redacted:x-api-key⟧",
      "x-goog-api-key": "⟦redacted:x-goog-api-key⟧",
      "Proxy-Authorization": "⟦redacted:proxy-authorization⟧",
      Cookie: "⟦redacted:cookie⟧",
      "SET-COOKIE": ["⟦redacted:set-cookie⟧", "⟦redacted:set-cookie⟧"],
      Accept: "text/html",
    },
  });
});

it("hides them in pairs too, and nothing that only has such a word in it", () => {
  const hidden: string[] = [];
  const given = [
    [
      ["authorization", "Bearer x"],
      ["a", "authorization"],
    ],
    { secret: "github", token: "t-1", Cookie: "abc" },
  ];
  expect(maskHeaders(given, (text) => hidden.push(text))).toEqual([
    [
      ["authorization", "⟦redacted:authorization⟧"],
      ["a", "authorization"],
    ],
    { secret: "github", token: "t-1", Cookie: "abc" },
  ]);
  expect(hidden).toEqual(["Bearer x"]);
});

it("knows the names of headers that are credentials, sent and received", () => {
  const secret =
    "authorization Proxy-Authorization Cookie set-cookie Set-Cookie2 api-key apikey X-Key X-Api-Key x-goog-api-key X-Auth-Token X-CSRF-Token x-vault-token token secret client-secret session Session-Id X-Session-Id x-amz-security-token";
  expect(secret.split(" ").filter((name) => !isSecretHeader(name))).toEqual([]);
  const open = "etag www-authenticate content-type key keys x-keyword tokens x-token-count session-count set-cookies";
  expect(open.split(" ").filter(isSecretHeader)).toEqual([]);
});

it("keeps arguments of such names", () => {
  const given = { secret: "github", token: "12345", session: "s-12345" };
  expect(maskHeaders(given)).toEqual(given);
  expect(maskHeaders({ "client-secret": "12345" })).toEqual({ "client-secret": "⟦redacted:client-secret⟧" });
});
