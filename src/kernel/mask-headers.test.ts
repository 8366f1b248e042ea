import { expect, it } from "vitest";
import { maskHeaders } from "./mask-headers.js";

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
