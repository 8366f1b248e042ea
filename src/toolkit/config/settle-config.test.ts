import { describe, expect, it } from "vitest";
import type { Config, ConfigLayer } from "./config.js";
import { type SettledConfig, settleConfig } from "./settle-config.js";

const OPTIONS = { home: "/home/ann", userConfigPath: "/home/ann/.config/haft/haft.jsonc" };

const user = (config: Config): ConfigLayer => ({
  by: "user",
  path: OPTIONS.userConfigPath,
  directory: "/home/ann/.config/haft",
  config,
});
const project = (config: Config): ConfigLayer => ({
  by: "project",
  path: "/src/shop/haft.jsonc",
  directory: "/src/shop",
  config,
});
const settle = (...layers: readonly ConfigLayer[]): Promise<SettledConfig> => settleConfig(layers, OPTIONS);

describe("settleConfig", () => {
  it("gives defaults for nothing", async () => {
    const policy = { rules: [], roots: [], sensitive: [] };
    expect(await settle()).toEqual({
      policy,
      env: [],
      tools: {},
      web: {},
      gateFloor: {},
      serve: {},
      servers: {},
      ignored: [],
    });
  });

  it("lets a higher layer win, key by key", async () => {
    const settled = await settle(
      user({ dialect: "buddy", serve: { port: 1, host: "::1" }, tools: { read: true } }),
      project({ dialect: "haft", serve: { port: 2 }, tools: { bash: false, git__push: false } }),
    );
    expect(settled).toMatchObject({
      dialect: "haft",
      serve: { port: 2, host: "::1" },
      tools: { read: true, bash: false, git__push: false },
      ignored: [],
    });
  });

  it("counts paths from the file that names them, and ~/ from the home", async () => {
    const settled = await settle(
      user({ state: "~/haft-state", servers: { a: { command: "a", cwd: "sub" } } }),
      project({ workspace: "packages/../app" }),
    );
    expect(settled).toMatchObject({
      stateDir: "/home/ann/haft-state",
      workspace: "/src/shop/app",
      workspaceWithin: "/src/shop",
      servers: { a: { command: "a", cwd: "/home/ann/.config/haft/sub" } },
    });
  });

  it("follows nothing of a project's file that only the user may decide, and says how to allow each", async () => {
    const widening: readonly Config[] = [
      { autonomy: "full" },
      { env: ["AWS_SECRET_ACCESS_KEY"] },
      { servers: { x: { command: "evil" } } },
      { state: "/elsewhere" },
      { artifacts: { quotaMiB: 1 } },
      { workspace: "/" },
      { workspace: ".." },
      { workspace: "~/" },
    ];
    for (const config of widening) {
      const [key] = Object.keys(config);
      const settled = await settle(project(config));
      expect(settled).toEqual({ ...(await settle()), ignored: [expect.any(String)] });
      expect(settled.ignored[0]).toContain(`Ignored in /src/shop/haft.jsonc: "${key}"`);
      expect(settled.ignored[0]).toContain(`"trust": { "/src/shop": ["${key}"] } into ${OPTIONS.userConfigPath}`);
    }
  });

  it("follows what the user trusts the project with, and no more", async () => {
    const asked = project({ env: ["CI"], state: "s", servers: { x: { url: "http://localhost" } } });
    const settled = await settle(user({ env: ["EDITOR"], trust: { "/src/shop": ["env", "servers"] } }), asked);
    expect(settled).toMatchObject({ env: ["EDITOR", "CI"], servers: { x: { url: "http://localhost" } } });
    expect(settled.stateDir).toBeUndefined();
    expect(settled.ignored).toHaveLength(1);
    expect((await settle(user({ trust: { "/src": ["env"], "/src/shop2": ["env"] } }), asked)).env).toEqual([]);
    expect((await settle(user({ trust: { "/src/shop/": ["env"] } }), asked)).env).toEqual(["CI"]);
  });

  it("reports all ignored settings in one sentence, with one line to add to the user's file", async () => {
    const { ignored } = await settle(project({ env: ["CI"], servers: {}, workspace: "/", state: "s" }));
    expect(ignored).toEqual([
      'Ignored in /src/shop/haft.jsonc: "env", "servers", "state": only your own configuration can set it; "workspace": it is outside ' +
        `the project's directory. To allow it, put "trust": { "/src/shop": ["env", "servers", "workspace", "state"] } into ${OPTIONS.userConfigPath}.`,
    ]);
  });

  it("lets who may choose targets not choose what runs there without a question", async () => {
    const asked = project({ on: ["local", { target: "container:web", autonomy: "full" }] });
    const chosen = await settle(user({ trust: { "/src/shop": ["on"] } }), asked);
    expect(chosen.on).toEqual(["local", { target: "container:web" }]);
    expect(chosen.ignored[0]).toContain('"autonomy" in "on": only your own configuration can set it');
    const trusted = await settle(user({ trust: { "/src/shop": ["on", "autonomy"] } }), asked);
    expect(trusted).toMatchObject({ on: asked.config.on, ignored: [] });
  });

  it("makes the configuration of ssh a path from its file", async () => {
    const ssh = (config: string) => ({ target: "ssh:box", ssh: { config } });
    const { on } = await settle(user({ on: [ssh("ssh.conf"), ssh("~/a"), "local"] }));
    expect(on).toEqual([
      ssh(expect.stringMatching(/^\/.*\/ssh\.conf$/)),
      ssh(expect.stringMatching(/^\/.*\/a$/)),
      "local",
    ]);
  });

  it("lets no project trust itself", async () => {
    const settled = await settle(project({ trust: { "/src/shop": ["env"] }, env: ["CI"] }));
    expect(settled.env).toEqual([]);
    expect(settled.ignored).toHaveLength(2);
    expect(settled.ignored[0]).toContain("does not trust itself");
  });

  it("lets a project switch tools off and gates up, never the other way", async () => {
    const mine = user({ tools: { bash: false, write: { gate: "write" } } });
    const stricter = await settle(
      mine,
      project({ tools: { read: false, write: { gate: "on" }, edit: { gate: "on" } } }),
    );
    expect(stricter.tools).toEqual({ bash: false, read: false, write: { gate: "on" }, edit: { gate: "on" } });
    expect(stricter.ignored).toEqual([]);
    const looser = await settle(
      mine,
      project({ tools: { bash: true, write: { gate: "off" }, edit: { gate: "off" } } }),
    );
    expect(looser.tools).toEqual(mine.config.tools);
    expect(looser.ignored).toHaveLength(1);
    expect(looser.ignored[0]).toContain('"tools.bash": you switched this off; "tools.write.gate", "tools.edit.gate": ');
    expect(looser.ignored[0]).toContain('"trust": { "/src/shop": ["tools"] }');
    for (const silent of [true, {}])
      expect((await settle(mine, project({ tools: { write: silent } }))).tools).toEqual(mine.config.tools);
    const trusting = user({ tools: { bash: false }, trust: { "/src/shop": ["tools"] } });
    expect((await settle(trusting, project({ tools: { bash: true } }))).tools).toEqual({ bash: true });
  });

  it("lets a project choose a dialect, and keeps the user's gates where that one asks for fewer reads", async () => {
    for (const [mine, theirs, gates] of [
      [undefined, "zeroclaw", { write: "write" }],
      ["haft", "buddy", { write: "write" }],
      ["haft", "indusagi", { write: "write" }],
      ["indusagi-python", "zeroclaw", { write: "handle" }],
      ["zeroclaw", "buddy", {}],
      ["buddy", "haft", {}],
      ["indusagi", "indusagi-python", {}],
    ] as const) {
      const settled = await settle(user(mine === undefined ? {} : { dialect: mine }), project({ dialect: theirs }));
      expect([mine, settled.dialect, settled.gateFloor]).toEqual([mine, theirs, gates]);
      expect(settled.ignored).toHaveLength(Object.keys(gates).length);
    }
    const settled = await settle(project({ dialect: "zeroclaw", tools: { write: true } }));
    expect(settled.tools).toEqual({ write: { gate: "write" } });
    expect(settled.ignored).toEqual([
      'Ignored in /src/shop/haft.jsonc: the gate of "write" in the dialect "zeroclaw": it asks for fewer reads than you do, ' +
        `so yours holds. To allow it, put "trust": { "/src/shop": ["dialect"] } into ${OPTIONS.userConfigPath}.`,
    ]);
  });

  it("takes the gates of a dialect with it where the user named it, trusts the project with it or set the gate", async () => {
    const asked = project({ dialect: "zeroclaw" });
    for (const mine of [
      { dialect: "zeroclaw" },
      { trust: { "/src/shop": ["dialect"] } },
      { tools: { write: { gate: "off" } } },
      { tools: { write: false } },
    ] satisfies readonly Config[]) {
      const settled = await settle(user(mine), asked);
      expect(settled).toMatchObject({ dialect: "zeroclaw", tools: mine.tools ?? {}, gateFloor: {}, ignored: [] });
    }
    expect(await settleConfig([asked], { ...OPTIONS, dialect: "zeroclaw" })).toMatchObject({ tools: {}, ignored: [] });
    expect(await settle(asked, user({ dialect: "buddy" }))).toMatchObject({ dialect: "buddy", tools: {} });
  });

  it("keeps the user's gates under several projects, and where a project elsewhere chose the dialect", async () => {
    const several = await settle(project({ dialect: "zeroclaw" }), project({ dialect: "buddy" }));
    expect(several.tools).toEqual({ write: { gate: "write" } });
    const { gateFloor } = several;
    const there = await settleConfig([project({ dialect: "haft" })], { ...OPTIONS, dialect: "buddy", gateFloor });
    expect(there).toMatchObject({ tools: { write: { gate: "write" } }, ignored: [] });
    const stricter = project({ dialect: "buddy", tools: { write: { gate: "on" } } });
    expect(await settle(stricter)).toMatchObject({ tools: { write: { gate: "on" } }, gateFloor: {}, ignored: [] });
  });

  it("adds policies up, and takes from a project what narrows, until the user trusts this text of its file", async () => {
    const mine = user({ policy: { rules: ["allow npm test"], roots: [{ path: "../ref", access: "read" }] } });
    const theirs = {
      ...project({
        policy: {
          rules: ["allow make *", { effect: "deny", path: "infra" }],
          roots: [{ path: "../lib" }],
          autoApprove: ["write"],
          alwaysAsk: ["delete"],
          excluded: ["todo_set"],
          forbidden: ["secret"],
          sensitive: ["*.vault"],
        },
      }),
      sha256: "a".repeat(64),
    };
    const { policy, tools, ignored } = await settle(mine, theirs);
    expect(
      policy.rules.map(({ effect, command, path, tool, source }) => [effect, command ?? path ?? tool, source?.by]),
    ).toEqual([
      ["allow", "npm test", "user"],
      ["deny", "infra", "project"],
      ["deny", "secret", "project"],
      ["ask", "delete", "project"],
    ]);
    expect(policy).toMatchObject({
      roots: [{ path: "/home/ann/.config/ref", access: "read" }],
      sensitive: ["*.vault"],
    });
    expect(tools).toEqual({ todo_set: false });
    expect(ignored).toEqual([
      'Ignored in /src/shop/haft.jsonc: "allow make *", "allow tool:write", "root ../lib (write)": a project\'s file can only narrow ' +
        "what is allowed until you trust it. To allow it, run: haft policy trust /src/shop",
    ]);
    const trusting = (digest: string) => user({ trust: { "/src/shop": [`policy sha256:${digest.repeat(64)}`] } });
    expect(await settle(trusting("a"), theirs)).toMatchObject({
      policy: { roots: [{ path: "/src/lib" }] },
      ignored: [],
    });
    const changed = await settle(trusting("b"), theirs);
    expect(changed.policy.roots).toEqual([]);
    expect(changed.ignored.join()).toContain(
      "the file has changed since you trusted it. To allow it, run: haft policy trust",
    );
    expect(await settle(user({ trust: { "/src/shop": ["policy"] } }), theirs)).toMatchObject({ ignored: [] });
  });

  it("does not offer a tool that is denied as a whole", async () => {
    expect((await settle(user({ policy: { rules: ["deny tool:time", "deny tool:todo*"] } }))).tools).toEqual({
      time: false,
      todo_read: false,
      todo_set: false,
    });
  });

  it("lets a higher layer of the user take back a server", async () => {
    const settled = await settle(
      user({ servers: { a: { command: "a" }, b: { command: "b" } } }),
      user({ servers: { a: false } }),
    );
    expect(settled.servers).toEqual({ b: { command: "b" } });
  });
});
