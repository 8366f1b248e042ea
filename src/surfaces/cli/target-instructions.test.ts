import { describe, expect, it } from "vitest";
import { targetInstructions } from "./target-instructions.js";

describe("instructions about targets", () => {
  it("are none for this machine alone", () => {
    expect(targetInstructions([{ target: "local" }], {})).toBeUndefined();
    expect(targetInstructions([{ target: "local", workspace: "/srv" }], {})).toBeUndefined();
  });

  it("say what a sandbox lacks, and which hosts it reaches", () => {
    expect(targetInstructions([{ target: "sandbox" }], {})).toBe(
      "Targets:\n- sandbox: commands have no network, and a private /tmp and home directory",
    );
    const hosts = ["a.com", "b.com", "c.com", "d.com", "e.com", "f.com"];
    expect(targetInstructions([{ target: "sandbox" }], { sandbox: { hosts } })).toContain(
      "HTTP to a.com, b.com, c.com, d.com, e.com and 1 more only",
    );
  });

  it("give each target its name, kind, workspace and a level of its own", () => {
    const targets = [
      { target: "local" },
      { name: "box", target: "sandbox", workspace: "/srv/box" },
      { name: "web", target: "ssh:web.example.com", workspace: "/srv/web", autonomy: "readonly" },
      { target: "image:alpine" },
      { name: "net", target: "image:alpine", container: { network: true } },
      { target: "local+tmux=work", autonomy: "supervised" },
    ] as const;
    expect(targetInstructions(targets, { autonomy: "supervised" })).toBe(
      [
        "Targets:",
        "- local: this machine",
        "- box: sandbox; in /srv/box; commands have no network, and a private /tmp and home directory",
        "- web: ssh:web.example.com; in /srv/web; level readonly",
        "- image:alpine: no network",
        "- net: image:alpine",
        "- local+tmux=work",
      ].join("\n"),
    );
  });
});
