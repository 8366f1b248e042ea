import { describe, expect, it } from "vitest";
import { HOST_FORMS } from "./address-forms.fixture.js";
import { judgeAddress, judgeHost } from "./address-guard.js";

describe.each(Object.entries(HOST_FORMS))("is %s", (place, hosts) => {
  it.each(hosts)("%s", (host) => {
    expect(judgeHost(new URL(`http://${host}/`).hostname)).toMatchObject({ place });
  });
});

/** Addresses as a resolver reports them, and whatever else may reach us in their place. */
it.each([
  ["fe80::1%eth0", "private"],
  ["fe80::1%25eth0", "private"],
  ["fe80::a9fe:a9fe%1", "metadata"],
  ["::1%lo", "private"],
  ["::ffff:127.0.0.1", "private"],
  ["::FFFF:169.254.169.254", "metadata"],
  ["0:0:0:0:0:0:0:1", "private"],
  ["127.0.0.1", "private"],
  ["010.0.0.1", "public"], // octal 8
  ["0x0a.0.0.1", "private"],
  ["127.0.0.1.", "private"],
  ["2606:4700::1111", "public"],
  ["93.184.215.14", "public"],
  ["", undefined],
  ["example.com", undefined],
  ["1.2.3.4.5", undefined],
  ["1.2.3.256", undefined],
  ["1.2.3.4:80", undefined],
  ["1.2.3.4/8", undefined],
  ["1.2.3.4 ", undefined],
  ["user@1.2.3.4", undefined],
  ["8.8.8.8#10.0.0.1", undefined],
  ["8.8.8.8\\10.0.0.1", undefined],
  ["::1::", undefined],
  ["fe80:", undefined],
  ["[", undefined],
  ["%31", "private"], // the address 0.0.0.1
])("the address %j is %s", (address, place) => {
  expect(judgeAddress(address)?.place).toBe(place);
});

it("names the block", () => {
  expect(judgeAddress("10.1.2.3")?.what).toBe("a private address (10.0.0.0/8)");
  expect(judgeAddress("::1")?.what).toBe("an address of this machine (::1/128)");
  expect(judgeAddress("64:ff9b::10.0.0.1")?.what).toBe("a private address (10.0.0.0/8), as 10.0.0.1 within IPv6");
  expect(judgeAddress("4000::")?.what).toBe("not a public address");
});
