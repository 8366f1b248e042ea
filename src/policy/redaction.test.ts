import { expect, test } from "vitest";
import { secretRedactor } from "./redaction.js";

test("x", () => {
  const r = secretRedactor({ secrets: [{ name: "MY_KEY", value: "correct horse/battery+9'x" }] });
  const out = [
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "Authorization: Bearer abcdef0123456789abcdef",
    "Authorization: Basic dXNlcjpwYXNzd29yZA==",
    "postgres://u:hunter2@db/x and https://u:${PW}@x",
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtzc2gtZW\n-----END OPENSSH PRIVATE KEY-----\nrest",
    "risk-management-of-things-and-more-Things9",
    "correct horse/battery+9'x",
    Buffer.from("correct horse/battery+9'x").toString("base64"),
    Buffer.from("u:correct horse/battery+9'x").toString("base64"),
    encodeURIComponent("correct horse/battery+9'x"),
    "'correct horse/battery+9'\\''x'",
  ].map((t) => r.redact(t));
  console.log(out.join("\n"));
  for (const t of out) expect(r.redact(t)).toBe(t);
});
