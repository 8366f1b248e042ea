// biome-ignore-all lint/suspicious/noTemplateCurlyInString: texts with placeholders are what this is about
import { describe, expect, it } from "vitest";
import { withVariables } from "./configured-servers.js";

const lookUp = (name: string): string | undefined => ({ TOKEN: "t", EMPTY: "" })[name];

describe("withVariables", () => {
  it("puts values of the environment into every text of a server, and into no key", () => {
    const server = { command: "a", args: ["--token=${TOKEN}", "$TOKEN"], env: { A: "${EMPTY}b", B: "${1}" } };
    expect(withVariables(server, lookUp)).toEqual({
      server: { command: "a", args: ["--token=t", "$TOKEN"], env: { A: "b", B: "${1}" } },
    });
    const web = { url: "https://h/${TOKEN}", headers: { Authorization: "Bearer ${TOKEN}" } };
    expect(withVariables(web, lookUp)).toEqual({
      server: { url: "https://h/t", headers: { Authorization: "Bearer t" } },
    });
  });

  it("names what is not set, once each, instead of a server without it", () => {
    const server = { command: "${GONE}", args: ["${GONE}", "${AWAY}"] };
    expect(withVariables(server, lookUp)).toEqual({ missing: ["GONE", "AWAY"] });
  });

  it("puts in a value as it is: what it holds is not looked at again", () => {
    const server = { command: "${TOKEN}" };
    expect(withVariables(server, () => "${TOKEN}$&")).toEqual({ server: { command: "${TOKEN}$&" } });
  });
});
