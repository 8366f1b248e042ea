import { expect, it } from "vitest";
import { causeOf, sshError } from "./explain-ssh.js";

it.each([
  ["ssh: Could not resolve hostname nope: Name or service not known", "host-not-found", "nope"],
  ["ssh: connect to host 10.0.0.9 port 22: No route to host", "no-route", "no route"],
  ["ssh: connect to host h port 22: Network is unreachable", "no-route", "no route"],
  ["ssh: connect to host h port 22: Connection timed out", "timed-out", "within 10 s"],
  ["Connection timed out during banner exchange", "timed-out", "within 10 s"],
  ["ssh: connect to host 127.0.0.1 port 1: Connection refused", "refused", "refused"],
  [
    "No ED25519 host key is known for box and you have requested strict checking.\nHost key verification failed.",
    "host-key-unknown",
    "ED25519",
  ],
  ["Host key verification failed.", "host-key-unknown", "known_hosts"],
  ["u@h: Permission denied (publickey,password).", "authentication", "publickey,password"],
  ["Received disconnect from 1.2.3.4 port 22:2: Too many authentication failures", "authentication", "too many keys"],
  [
    "Unable to negotiate with h port 22: no matching host key type found. Their offer: ssh-rsa",
    "algorithms",
    "host key type",
  ],
  ["kex_exchange_identification: Connection closed by remote host", "closed", "log in"],
  ["/home/u/.ssh/config: line 3: Bad configuration option: foo", "configuration", "line 3"],
  ["Can't open user config file /nosuch: No such file or directory", "configuration", "/nosuch"],
  ["Timeout, server h not responding.", "dropped", "did not answer"],
  ["Connection to h closed by remote host.", "dropped", "closed it"],
  [
    "ssh: Could not resolve hostname j: Name or service not known\nkex_exchange_identification: Connection closed by remote host\nConnection closed by UNKNOWN port 65535",
    "jump-host",
    'at the jump host: the host name "j"',
  ],
  [
    "channel 0: open failed: connect failed: Connection refused\nstdio forwarding failed\nConnection closed by UNKNOWN port 65535",
    "jump-host",
    "could not connect: the connection was refused",
  ],
  [
    "kex_exchange_identification: Connection closed by remote host\nConnection closed by UNKNOWN port 65535",
    "jump-host",
    "ProxyCommand",
  ],
])("%s", (printed, reason, why) => {
  const cause = causeOf(`Warning: Permanently added 'h' (ED25519) to the list of known hosts.\n${printed}\n`);
  expect(cause).toMatchObject({ reason, why: expect.stringContaining(why) });
  const { code, message, details } = sshError("ssh:u@h", { words: "u@h", config: "~/.ssh/config" }, cause!);
  expect([code, details]).toEqual(["BACKEND_UNAVAILABLE", { backend: "ssh:u@h", reason, why: cause?.why }]);
  expect(message).toMatch(/^Could not reach "ssh:u@h": .*[^.]\. [A-Z].*\.$/s);
  expect(message).not.toContain("HOST");
});

it.each(["", "bash: line 1: foo: command not found", "Connected."])("no cause in %j", (printed) => {
  expect(causeOf(printed)).toBeUndefined();
});

it("the advice names the configuration file that counts, and the host as ssh takes it", () => {
  const byHand = { words: "-F '/my lab/config' -p 2222 u@h", config: "/my lab/config" };
  const { message } = sshError("ssh:u@h:2222", byHand, causeOf("u@h: Permission denied (publickey).")!);
  expect(message).toContain("name it as IdentityFile in /my lab/config");
  expect(message).toContain("`ssh -o BatchMode=yes -F '/my lab/config' -p 2222 u@h true`");
});
