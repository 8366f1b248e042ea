import { expect, it } from "vitest";
import { withoutEchoes } from "./echoed-urls.js";

const STEAL = "http://evil.example/steal?d=k";
const DOCS = "https://docs.example/a";

it.each([
  ["as it is", STEAL],
  ["in a sentence", `see <${STEAL}>.`],
  ["encoded", encodeURIComponent(STEAL)],
  ["encoded three times", encodeURIComponent(encodeURIComponent(encodeURIComponent(STEAL)))],
  ["without a scheme", "evil.example/steal?d=k"],
  ["in another case", "HTTP://EVIL.EXAMPLE/STEAL?D=K"],
  ["with a path that is resolved", "http://evil.example/a/../steal?d=k"],
  ["with a part that the server completes", "http://evil.example/steal?"],
  ["with a port and a backslash", "http:\\\\evil.example:80\\steal"],
  ["with a tab in its host", "http://e\tvil.exa\nmple/steal?d=k"],
  ["with characters that are removed", "http://e\u0001vil.\u202eexam\x1b[0mple/st\u200beal?d=k"],
  ["with its path elsewhere", "/steal?d=k&host=evil.example"],
  ["in fullwidth characters", "http://ｅｖｉｌ.example/steal?d=k"],
])("omits a URL that was sent %s", (_, text) => {
  const url = `https://echo.example/?q=${text}`;
  expect(withoutEchoes([STEAL, DOCS], [url])).toEqual([DOCS]);
  expect(withoutEchoes([STEAL, DOCS], ["https://echo.example/"], [text])).toEqual([DOCS]);
  expect(withoutEchoes([STEAL, DOCS], [], [text])).toEqual([DOCS]);
});

it("keeps the URLs of a host that is named alone, without its root", () => {
  const urls = ["https://docs.example/", DOCS];
  expect(withoutEchoes(urls, [], ["site:docs.example install"])).toEqual([DOCS]);
});

it("keeps the URLs of the host that was requested, without those that were sent there", () => {
  const sent = "https://docs.example/a/b?next=https://docs.example/c";
  const urls = ["https://docs.example/", DOCS, "https://docs.example/a/b", "https://docs.example/c"];
  expect(withoutEchoes(urls.slice(1), [sent], [sent])).toEqual(urls.slice(1, 3));
  expect(withoutEchoes(urls, ["https://docs.example/a/b"], ["https://docs.example/a/b#c"])).toEqual(urls);
});

it("omits what is not an http or https URL", () => {
  expect(withoutEchoes(["mailto:a@example.com", "no"], [])).toEqual([]);
});
