import { describe, expect, it } from "vitest";
import { checkedTarget, parseTarget } from "./chosen-target.js";
import { findScheme, schemeOf } from "./target-schemes.js";
import { splitTerminal } from "./target-terminal.js";

const box = { box: { open: () => Promise.reject(new Error("not opened here")) } };

describe("the terminal of a target", () => {
  it.each([
    ["local", undefined],
    ["local+tmux", {}],
    ["local+tmux=work", { session: "work" }],
    ["local+tmux=current", { current: true }],
    ["posix:dash+tmux,shell=pane", { shell: "pane" }],
    ["container:web+tmux=a_b-1,shell=pane", { session: "a_b-1", shell: "pane" }],
  ])("is what follows it: %s", (text, terminal) => {
    expect(splitTerminal(text)).toEqual({ target: text.replace(/\+.*/, ""), ...(terminal && { terminal }) });
    expect(schemeOf(text).terminal).toEqual(terminal);
  });

  it.each([
    ["local+tmux=/srv/a", { target: "local+tmux", workspace: "/srv/a" }],
    ["local+tmux=work=/srv/a", { target: "local+tmux=work", workspace: "/srv/a" }],
    ["api=container:web+tmux=work=/srv/a", { name: "api", target: "container:web+tmux=work", workspace: "/srv/a" }],
  ])("stands before the workspace: %s", (text, chosen) => {
    expect(parseTarget(text)).toEqual(chosen);
    expect(checkedTarget(text)).toEqual(chosen);
  });

  it.each([
    ["local+tmux=a.b", /does not end as a target with a terminal does: \+tmux\[=SESSION.* and no "\." or ":"/],
    ["local+tmux=a b", /does not end as/],
    ["local+tmux=a,shell=shell", /does not end as/],
    ["container:web+tmux=-x", /does not end as/],
    ["local+tmux=a\u001b[2Jb", /The target "local\+tmux=a\\x1b\[2Jb" does not end as/],
    ["ssh:h+tmux=current", /on this machine\. Use "ssh:h\+tmux" or "ssh:h\+tmux=SESSION"/],
    ["container:web+tmux=current", /on this machine/],
    ["memory+tmux", /"memory" has no terminal\. Leave out "\+tmux"/],
    ["box:red+tmux=work", /"box:red" has no terminal\. Leave out "\+tmux=work"/],
    ["image:alpine+tmux", /has no terminal/],
  ])("that cannot be is refused: %s", (text, why) => {
    expect(findScheme(text, box)).toBeUndefined();
    expect(() => checkedTarget(text, { schemes: box })).toThrow(why);
  });

  it("does not make a name of a target", () => {
    expect(() => checkedTarget({ name: "local+tmux", target: "memory" })).toThrow(/cannot be the name/);
  });
});

describe("a target that cannot be parsed", () => {
  it.each([
    ["contianer:web", /Did you mean "container:web"\? Use one of local, /],
    ["lokal", /Did you mean "local"\?/],
    ["container:", /no target "container:"\. Use one of .*container:NAME/],
    ["container:-rm", /Cannot open a container "-rm"/],
    ["docker:a b", /Cannot open a container "a b"/],
    ["ssh:h:22:33", /Cannot connect to "h:22:33": it is not `user@host`/],
    ["ssh:h,shell=pane", /a host name cannot contain ","/],
    ["ssh:[-oX]", /option of ssh/],
    ["ssh:h:0", /the port is not a number from 1 to 65535/],
    ["ssh:*", /cannot contain "\*"/],
    ["ssh:a\u202eb", /"a\\u202eb": it has whitespace, a control character/],
    ["docker:a\u009bb", /Cannot open a container "a\\x9bb"/],
    ["lokal\u001b[2J", /no target "lokal\\x1b\[2J"/],
    ["local:\u202ex", /no target "local:\\u202ex"/],
    ["image:--privileged", /Cannot start a container of "--privileged"/],
  ])("%s", (text, why) => {
    expect(() => checkedTarget(text)).toThrow(why);
  });
});

describe("settings of a target", () => {
  it("are refused for another kind of target", () => {
    expect(checkedTarget({ target: "container:web", container: { user: "node" } })).toMatchObject({
      target: "container:web",
    });
    for (const target of ["local", "box:red"])
      expect(() => checkedTarget({ target, container: { user: "node" } }, { schemes: box })).toThrow(
        `The target "${target}" does not take \`container\``,
      );
    const container = { network: true };
    expect(checkedTarget({ target: "image:node:22", container })).toMatchObject({ container });
    expect(() => checkedTarget({ target: "container:web", container })).toThrow(
      /"container:web" does not take `container.network`, which is for "image:IMAGE"/,
    );
    expect(() => checkedTarget({ target: "local", autonomy: "some" as never })).toThrow(
      /must be one of readonly, supervised, full/,
    );
  });
});
