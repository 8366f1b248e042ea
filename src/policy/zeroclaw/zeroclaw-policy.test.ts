import { describe, expect, it } from "vitest";
import type { Autonomy, Claim, Decision, PolicyCall } from "../../kernel/index.js";
import { verifies } from "../../testing/verifies.fixture.js";
import { autonomyPolicy } from "../autonomy-policy.js";
import { COMMAND_ROWS } from "../commands/command-rows.fixture.js";
import { validatingPolicy } from "./index.js";
import type { ZeroclawPolicyOptions } from "./options.js";

const WORKSPACE = "/home/u/project";

function callAt(autonomy: Autonomy, effect: PolicyCall["effect"] = "write"): PolicyCall {
  const place = { target: "local", cwd: WORKSPACE, workspace: WORKSPACE, home: "/home/u" };
  const about = { sandboxed: false, taint: [], autonomy } as const;
  return { callId: "c1", tool: "bash", effect, sessionId: "s1", ...place, ...about };
}

const commandClaim = (command: string): Claim => ({ kind: "command", command, cwd: WORKSPACE });

type Options = ZeroclawPolicyOptions & { readonly autonomy?: Autonomy };

function decide(command: string, { autonomy = "supervised", ...options }: Options = {}): Decision {
  return validatingPolicy(options).decide([commandClaim(command)], callAt(autonomy));
}

/** `allow`, or the reason up to the colon. */
function verdict(command: string, options: Options = {}): string {
  const { effect, reason } = decide(command, options);
  return effect === "allow" ? effect : reason.replace(/^(\w+-risk [^:]*):.*$/s, "$1");
}

const NOT_LISTED = "Command not in allowlist";
const BLOCKED = "High-risk commands are blocked";
const HIGH_ASKED = "High-risk command requires approval";
const MEDIUM_ASKED = "Medium-risk command requires approval";
const ANY = { allowedCommands: ["*"] };

const words = (text: string) => text.split(" ");
const each = (commands: readonly string[], options: Options = {}) =>
  commands.map((command) => [command, verdict(command, options)]);
const all = (commands: readonly string[], expected: string) => commands.map((command) => [command, expected]);

describe("the list of commands", () => {
  verifies("ZC-081", "has 20 programs and a few more, and nothing else", () => {
    const harmless = words("ls cat grep echo pwd wc head tail date df du uname uptime hostname free");
    const listed = [...harmless, "git status", "find .", "npm ls", "cargo tree", "python3 --version", "node --version"];
    expect(each(listed).filter(([, got]) => got === NOT_LISTED)).toEqual([]);
    const others = words("make bash sh env xargs sudo rm curl touch cd true awk sed tee perl npx pip3");
    expect(each(others)).toEqual(all(others, NOT_LISTED));
  });

  verifies("ZC-084", "is asked about every program of a command, by its name without the system's directories", () => {
    const refused = ["ls && rm x", "ls | rm x", "ls; rm x", "ls || rm x", "ls\nrm x", "(ls; rm x)", "FOO=1 /bin/rm x"];
    const wrapped = ["env ls", "timeout 5 ls", "sh -c ls", "nohup ls", "xargs ls", "ls $(rm x)", "f() { ls; }; f"];
    expect(each([...refused, ...wrapped])).toEqual(all([...refused, ...wrapped], NOT_LISTED));
    const passing = ["FOO=1 /bin/ls", "echo 'a && rm x; rm y'", 'echo "a | rm x"', "ls; cat a.txt | wc -l"];
    expect(each(passing)).toEqual(all(passing, "allow"));
    const high = ["ls && rm x", "FOO=1 /bin/rm x", "sudo ls", "timeout 5 rm x"];
    expect(each(high, ANY)).toEqual(all(high, BLOCKED));
  });

  verifies("ZC-085", "does not see through substitutions, expansions, redirections and the background", () => {
    const refused = [
      ...[
        "echo `ls`",
        "echo $(ls)",
        "echo $HOME",
        'echo "$HOME"',
        "cat <(ls)",
        "ls >(cat)",
        "echo a > b",
        "echo a >> b",
      ],
      ...[
        "cat < a",
        "ls & ls",
        "ls &",
        "echo a | tee b",
        "ls >| b",
        "ls &> b",
        "ls 2> b",
        "ls > /dev/nullx",
        "echo $'a'",
      ],
    ];
    const options = { allowedCommands: ["echo", "ls", "cat", "tee"] };
    expect(each(refused, options)).toEqual(all(refused, NOT_LISTED));
    expect(each(refused, ANY)).toEqual(all(refused, NOT_LISTED));
    const passing = [
      ...["ls 2>&1", "ls > /dev/null", "ls >/dev/null 2>&1", "ls &>/dev/null", "ls >&2", "ls && ls", "ls || ls"],
      ...["echo '$HOME > a & `b`'", "echo a\\$b", "echo 5$", "cat <<E\na\nE"],
    ];
    expect(each(passing, options)).toEqual(all(passing, "allow"));
  });

  verifies("ZC-086", "refuses arguments by which a listed program starts another one, or installs one", () => {
    const refused = [
      ...["find . -exec ls ;", "find . -execdir ls ;", "find . -ok ls ;", "git -c a=b status", "git -ca=b status"],
      ...["git config a b", "git alias", "python -c x", "python3 -Ec x", "python3 -m http.server", "node -e x"],
      ...[
        "node --eval=x",
        "node -p x",
        "node -pe x",
        "node --print x",
        "pip install x",
        "pip download x",
        "npm exec x",
      ],
      ...["npm install", "npm i x", "npm add x", "npm ci", "cargo install x"],
    ];
    expect(each(refused)).toEqual(all(refused, NOT_LISTED));
  });

  verifies("ZC-087", "takes names, paths of programs and `*`; an empty one refuses all", () => {
    expect(verdict("ls", { allowedCommands: [] })).toBe(NOT_LISTED);
    expect(verdict("/opt/tool", { allowedCommands: ["tool"] })).toBe(NOT_LISTED);
    expect(verdict("cat a", { allowedCommands: ["/bin/ls"] })).toBe(NOT_LISTED);
    expect(verdict("/bin/ls", { allowedCommands: ["/bin/ls"] })).toBe("allow");
    expect(verdict("./build.sh", { allowedCommands: ["./build.sh"] })).toBe(MEDIUM_ASKED);
    expect(verdict("cut -c1 a.txt", ANY)).toBe("allow");
    expect(verdict("$X", ANY)).toBe(NOT_LISTED);
    expect(verdict("$X", { ...ANY, blockHighRiskCommands: false })).toBe(HIGH_ASKED);
  });
});

describe("the risk", () => {
  verifies("ZC-082", "is high for each of these programs", () => {
    const unix = words(
      "rm mkfs dd shutdown reboot halt poweroff sudo su chown chmod useradd userdel usermod passwd mount umount iptables ufw firewall-cmd curl wget nc ncat netcat scp ssh ftp telnet",
    );
    const windows = words("del rmdir format reg net runas icacls takeown powershell pwsh wmic sc netsh");
    const high = [...unix, ...windows].map((name) => `${name} x`);
    expect(each(high, ANY)).toEqual(all(high, BLOCKED));
    expect(verdict(":(){ :|:& };:", { ...ANY, blockHighRiskCommands: false })).toBe(HIGH_ASKED);
  });

  verifies("ZC-083", "is medium at least for each of these", () => {
    const git = words("commit push reset clean rebase merge cherry-pick revert branch checkout switch tag");
    const packages = ["npm", "pnpm", "yarn"].flatMap((name) =>
      words("add remove install uninstall update publish").map((verb) => `${name} ${verb} x`),
    );
    const cargo = words("add remove install clean publish").map((verb) => `cargo ${verb} x`);
    const files = words("touch mkdir mv cp ln copy xcopy robocopy move ren rename mklink").map((name) => `${name} a b`);
    const medium = [...git.map((verb) => `git ${verb} x`), ...packages, ...cargo, ...files];
    const options = { ...ANY, blockHighRiskCommands: false };
    const passing = each(medium, options).filter(([, got]) => got !== MEDIUM_ASKED && got !== HIGH_ASKED);
    expect(passing).toEqual([]);
  });

  verifies("ZC-079", "and the level decide: two switches, three risks, two levels", () => {
    const commands = { low: "ls", medium: "mkdir x", high: "rm x" };
    const seen = (options: Options) =>
      Object.values(commands).map((command) =>
        verdict(command, { allowedCommands: ["ls", "mkdir", "rm"], ...options }),
      );
    const [blocked, asked] = [{ blockHighRiskCommands: true }, { requireApprovalForMediumRisk: true }];
    const [unblocked, unasked] = [{ blockHighRiskCommands: false }, { requireApprovalForMediumRisk: false }];
    expect(seen({ ...blocked, ...asked })).toEqual(["allow", MEDIUM_ASKED, BLOCKED]);
    expect(seen({ ...unblocked, ...asked })).toEqual(["allow", MEDIUM_ASKED, HIGH_ASKED]);
    for (const switches of [asked, unasked]) {
      expect(seen({ ...blocked, ...switches, autonomy: "full" })).toEqual(["allow", "allow", BLOCKED]);
      expect(seen({ ...unblocked, ...switches, autonomy: "full" })).toEqual(["allow", "allow", "allow"]);
    }
    expect(seen({ ...blocked, ...unasked })).toEqual(["allow", "allow", BLOCKED]);
    // Haft's own policy asks about `cp` too, and the strictest decision holds.
    expect(verdict("cp a b", { allowedCommands: ["cp"], ...unasked })).toMatch(/copies files/);
    const { risk } = decide("mkdir x", { autonomy: "full", allowedCommands: ["mkdir"] });
    expect(risk).toBe("medium");
  });

  it("is named in the question, which is remembered for the same command only", () => {
    const asked = decide("npm test");
    expect(asked).toMatchObject({
      effect: "ask",
      rule: "zeroclaw-medium-risk",
      risk: "medium",
      reason: `${MEDIUM_ASKED}: \`npm test\` runs code of the workspace.`,
    });
    const keysOf = (command: string) => (decide(command) as { readonly remember?: readonly string[] }).remember;
    expect(keysOf("npm test")).toContainEqual(expect.stringMatching(/^command /));
    expect(keysOf("npm test")).not.toEqual(keysOf("npm test -- --watch"));
    expect(keysOf("git tag v1")).toContainEqual(expect.stringMatching(/^command /));
    expect(decide("cat .env")).toMatchObject({ effect: "ask", risk: "medium" });
  });
});

describe("the paths", () => {
  const reads = (path: string, { autonomy = "supervised", ...options }: Options = {}) => {
    const claim: Claim = { kind: "file", path, access: ["read"], scope: "self" };
    return validatingPolicy(options).decide([claim], callAt(autonomy, "read")).effect;
  };

  verifies("ZC-090", "are forbidden in these directories, at every level; the workspace in one of them is not", () => {
    const forbidden = [
      ...words("/etc /root /home /usr /bin /sbin /lib /opt /boot /dev /proc /sys /var /tmp"),
      ...words("/home/u/.ssh /home/u/.gnupg /home/u/.aws /home/u/.config"),
    ];
    for (const autonomy of ["supervised", "full"] as const) {
      expect(forbidden.map((path) => reads(`${path}/x`, { autonomy }))).toEqual(forbidden.map(() => "deny"));
      expect(reads(`${WORKSPACE}/a.txt`, { autonomy })).toBe("allow");
      expect(reads("/homework/x", { autonomy })).toBe(autonomy === "full" ? "allow" : "deny");
    }
  });

  verifies("ZC-088", "outside the workspace are refused, and inside it those that are forbidden there", () => {
    expect(reads("/srv/x")).toBe("deny");
    expect(reads("/srv/x", { autonomy: "full", workspaceOnly: true })).toBe("deny");
    expect(reads("/srv/x", { roots: [{ path: "/srv" }] })).toBe("allow");
    expect(reads("/tmp/own/x", { roots: [{ path: "/tmp/own" }] })).toBe("allow");
    expect(reads("/tmp/x", { roots: [{ path: "/tmp/own" }] })).toBe("deny");
    const forbiddenPaths = [`${WORKSPACE}/private`, "~/project/keys"];
    expect(reads(`${WORKSPACE}/private/x`, { forbiddenPaths })).toBe("deny");
    expect(reads(`${WORKSPACE}/keys`, { forbiddenPaths })).toBe("deny");
    expect(reads(`${WORKSPACE}/keys.txt`, { forbiddenPaths })).toBe("allow");
  });

  verifies("ZC-092", "are found in every argument of a command", () => {
    const refused = [
      ["cat /etc/passwd", "/etc/passwd"],
      ["cat --file=/etc/passwd", "/etc/passwd"],
      ["grep -f/etc/passwd a", "/etc/passwd"],
      ["head -c1/etc/x", "/etc/x"],
      ["head -n1 a /etc/x", "/etc/x"],
      ["git -C../other log", "../other"],
      ["ls a/../../x", "a/../../x"],
      ["ls ~root", "~root"],
      ["echo of=/dev/sda", "/dev/sda"],
      ["ls '/et'c", "/etc"],
      ["ls / ", "/"],
    ] as const;
    for (const [command, path] of refused)
      expect([command, verdict(command)]).toEqual([command, `Forbidden path: ${path}`]);
    const passing = ["cat /dev/null", `ls ${WORKSPACE}/a`, "ls a/../b", "echo https://example.com/etc", "echo a/b ..."];
    expect(each(passing)).toEqual(all(passing, "allow"));
    expect(verdict("cat</etc/passwd", { ...ANY, blockHighRiskCommands: false })).toBe("Forbidden path: /etc/passwd");
  });
});

const STRICTNESS = { allow: 0, ask: 1, deny: 2 };

describe("Haft's own policy", () => {
  // A claim is analyzed once for all policies and levels.
  const rows = COMMAND_ROWS.map(({ command }) => ({ command, claims: [commandClaim(command)] }));

  it.each(["readonly", "supervised", "full"] as const)("is never loosened at the level %s", (autonomy) => {
    const open = { allowedCommands: ["*"], forbiddenPaths: [], blockHighRiskCommands: false };
    const base = autonomyPolicy();
    const policies = [validatingPolicy(), validatingPolicy({ ...open, requireApprovalForMediumRisk: false })];
    const call = callAt(autonomy);
    const looser = rows.filter(({ claims }) => {
      const least = STRICTNESS[base.decide(claims, call).effect];
      return policies.some((policy) => STRICTNESS[policy.decide(claims, call).effect] < least);
    });
    expect(rows.length).toBeGreaterThan(500);
    expect(looser).toEqual([]);
  });

  it("refuses what the lists allow", () => {
    const options = { ...ANY, blockHighRiskCommands: false, workspaceOnly: false, forbiddenPaths: [] };
    expect(decide("cat /srv/x", options)).toMatchObject({ effect: "deny", rule: "outside-roots" });
    const claim: Claim = { kind: "file", path: `${WORKSPACE}/haft.jsonc`, access: ["write"], scope: "self" };
    const { rule } = validatingPolicy(options).decide([claim], callAt("supervised"));
    expect(rule).toBe("own-configuration");
  });

  it("asks about what has no list: secrets, other servers", () => {
    const claims: readonly Claim[] = [
      { kind: "file", path: `${WORKSPACE}/.env`, access: ["read"], scope: "self" },
      { kind: "server", server: "docs", tool: "search" },
    ];
    for (const claim of claims)
      expect(validatingPolicy().decide([claim], callAt("supervised", "read")).effect).toBe("ask");
  });
});

verifies("ZC-093", "acting needs a level that allows it; reading does not", () => {
  const policy = validatingPolicy();
  const claim: Claim = { kind: "file", path: `${WORKSPACE}/a`, access: ["read"], scope: "self" };
  expect(policy.decide([claim], callAt("readonly", "read")).effect).toBe("allow");
  expect(policy.decide([claim], callAt("readonly", "write"))).toMatchObject({
    effect: "deny",
    rule: "readonly",
    reason: "Read-only mode: cannot perform 'bash'",
  });
});

it("a root that is not absolute is refused when the policy is made", () => {
  expect(() => validatingPolicy({ roots: [{ path: "shared" }] })).toThrow(/"shared" is not absolute/);
});
