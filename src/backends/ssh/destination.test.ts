import { expect, it } from "vitest";
import { parseDestination } from "./destination.js";

it.each([
  ["host", { host: "host" }],
  ["user@host", { user: "user", host: "host" }],
  ["user@host:2222", { user: "user", host: "host", port: 2222 }],
  ["a@b@host", { user: "a@b", host: "host" }],
  ["DOMAIN\\ada@host", { user: "DOMAIN\\ada", host: "host" }],
  ["[fe80::1%eth0]:22", { host: "fe80::1%eth0", port: 22 }],
  ["ada@[::1]", { user: "ada", host: "::1" }],
  ["::1", { host: "::1" }],
  ["1:2:3:4:5:6:7:8", { host: "1:2:3:4:5:6:7:8" }],
  ["ada@fe80::1%eth0", { user: "ada", host: "fe80::1%eth0" }],
  ["a#b%c,d@host", { user: "a#b%c,d", host: "host" }],
  ["my_alias-1.x+y", { host: "my_alias-1.x+y" }],
])("%s", (text, destination) => {
  expect(parseDestination(text)).toEqual(destination);
});

it.each([
  "-oProxyCommand=touch pwned",
  "-F/tmp/x",
  "user@-oProxyCommand=x",
  "-l@host",
  "host -oProxyCommand=x",
  "ho\tst",
  "ho\nst",
  "host\0",
  "ho\u0007st",
  "$(touch pwned)",
  "a;b",
  "`id`",
  "host|x",
  "",
  "@host",
  "user@",
  "host:",
  "host:0",
  "host:65536",
  "host:x",
  "[::1",
  "host:22:",
  ":22",
  "h:22:33",
  "cafe:22:33",
  "[-oX]",
  "h,shell=pane",
  "*",
  "host\u202egnp",
  "host/srv/app",
])("refuses %j before ssh starts", (text) => {
  expect(() => parseDestination(text)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
});
