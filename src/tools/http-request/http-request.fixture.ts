/** Calls of `http_request` over a server of the test. */
import { type Claim, grantFor, type Policy } from "../../kernel/index.js";
import { type FakeRequest, type FakeResponse, fakeHttp } from "../../testing/fakes/fake-http.js";
import { memoryBench } from "../tool-bench.fixture.js";
import type { HttpRequestData } from "./contract.js";

export const URL = "https://api.example/v1";

function watching(claims: Claim[]): Policy {
  return {
    name: "watching",
    decide(asked) {
      // A connection, and a redirect, are judged with their address.
      claims.push(...asked.filter((claim) => !("address" in claim)));
      return { effect: "allow", rule: "all", risk: "low", reason: "", grant: grantFor("g", asked) };
    },
  };
}

/** What was claimed and sent, beside the calls. */
export function requests(answer: FakeResponse | ((request: FakeRequest) => FakeResponse) = {}, files = {}) {
  const http = fakeHttp((request) => (typeof answer === "function" ? answer(request) : answer));
  const claims: Claim[] = [];
  const bench = memoryBench(files, { host: { http, policy: watching(claims) } });
  const call = (input: object = {}, limits?: object) =>
    bench.call<HttpRequestData>("http_request", { url: URL, ...input }, limits);
  return { call, bench, claims, sent: http.sent };
}
