import { describe, expect, it } from "vitest";
import { isPublicHost } from "./public-host.js";

const hostOf = (url: string) => new URL(url).hostname;

describe("the host of a URL", () => {
  it.each([
    ...["http://127.0.0.1", "http://0x7f.1", "http://2130706433", "http://10.1.2.3", "http://172.31.0.1"],
    ...["http://192.168.0.1", "http://169.254.169.254", "http://100.100.0.1", "http://0.0.0.0", "http://239.0.0.1"],
    ...["http://[::1]", "http://[::ffff:8.8.8.8]", "http://[fe80::1]", "http://[fd00::1]", "http://[2002:7f00:1::]"],
    ...[
      "http://[2001::1]",
      "http://[2001:db8::1]",
      "http://[64:ff9b::7f00:1]",
      "http://localhost",
      "http://a.localhost.",
    ],
    ...["http://intranet", "http://printer.local", "http://metadata.google.internal", "http://router.home.arpa"],
  ])("is not public: %s", (url) => {
    expect(isPublicHost(hostOf(url))).toBe(false);
  });

  it.each([
    ...["https://example.com", "https://EXAMPLE.com.", "http://8.8.8.8", "http://172.32.0.1", "http://100.128.0.1"],
    ...["http://[2606:4700::1111]", "http://[2001:4860:4860::8888]", "https://localhost.example.org"],
  ])("is public: %s", (url) => {
    expect(isPublicHost(hostOf(url))).toBe(true);
  });
});
