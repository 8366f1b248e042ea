import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifies } from "../../testing/verifies.fixture.js";
import { findEngine } from "./engine.js";
import { openContainer, openImage } from "./index.js";
import { StubEngines } from "./stub-engine.fixture.js";

const DOCKER = "Docker version 28.2.2, build e6534b4";
const PODMAN = "podman version 4.3.1";

let engines: StubEngines;
beforeEach(() => {
  engines = new StubEngines();
});
afterEach(() => engines.dispose());

const found = async () => (await findEngine({ engineEnv: engines.env })).name;
const message = (work: Promise<unknown>) => work.then(String, (error: Error) => error.message);

describe("the engine", () => {
  verifies("BD-061", "is docker where there is one", async () => {
    engines.add("docker", { version: DOCKER });
    engines.add("podman", { version: PODMAN });
    expect(await found()).toBe("docker");
    expect(engines.calls()).toEqual(["docker --version", "docker version --format {{.Server.Version}}"]);
  });

  verifies(
    "BD-061",
    "is podman where the daemon of docker does not answer; docker, with its message, without podman",
    async () => {
      const error = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?";
      engines.add("docker", { version: DOCKER, error, isDown: true });
      expect(await message(openContainer({ name: "web", engineEnv: engines.env }))).toBe(
        `Could not reach "container:web": docker reports: ${error.replace("?", "")}. Check \`docker info\`.`,
      );
      engines.add("podman", { version: PODMAN });
      expect(await found()).toBe("podman");
      expect((await findEngine({ engine: "docker", engineEnv: engines.env })).name).toBe("docker");
    },
  );

  verifies("BD-061", "is podman where docker is missing or does not answer", async () => {
    engines.add("podman", { version: PODMAN });
    expect(await found()).toBe("podman");
    engines.add("docker", { version: 1 });
    expect(await found()).toBe("podman");
    expect(engines.calls()).toEqual(["podman --version", "docker --version", "podman --version"]);
  });

  verifies("BD-061", "is podman where docker is podman in disguise", async () => {
    engines.add("docker", { version: PODMAN });
    expect(await found()).toBe("podman");
  });

  verifies("BD-061", "is missing: the error names both", async () => {
    expect(await message(found())).toBe(
      "Did not find a container engine: docker and podman are not on PATH, or do not answer. Install one of them.",
    );
  });

  it("is the one that was named, or none", async () => {
    engines.add("docker", { version: DOCKER });
    const options = { name: "web", engine: "podman", engineEnv: engines.env } as const;
    expect(await message(openContainer(options))).toMatch(/^Did not find podman: it is not on PATH/);
  });

  it("is not taken from the workspace", async () => {
    engines.add("docker", { version: DOCKER });
    const options = { engineEnv: engines.env, workspace: engines.directory };
    expect(await message(findEngine(options))).toMatch(/^Did not find a container engine/);
    expect(engines.calls()).toEqual([]);
  });
});

describe("a command", () => {
  for (const [name, version] of [
    ["docker", DOCKER],
    ["podman", PODMAN],
  ] as const) {
    verifies(
      ["BD-062", "W31"],
      `goes through one ${name} exec with its input, as the user and with the variables that were asked for`,
      async () => {
        engines.add(name, { version });
        const { backend, transport } = await openContainer({
          name: "web.1",
          user: "app:app",
          cwd: engines.directory,
          env: { MODE: "a secret", PATH: "/usr/bin:/bin" },
          engineEnv: engines.env,
        });
        const { stdout } = await backend.root.shell.exec("cat; pwd; echo $MODE", {
          cwd: backend.cwd,
          input: Buffer.from("typed\n"),
        });
        await backend.close();
        expect(Buffer.from(stdout.head).toString()).toBe(`typed\n${engines.directory}\na secret\n`);
        const started = engines.calls().filter((line) => line.includes(" exec "));
        expect(started).toEqual([`${name} exec -i --user app:app --env MODE --env PATH=/usr/bin:/bin web.1 sh`]);
        expect([transport.engine.name, transport.container]).toEqual([name, "web.1"]);
      },
    );
  }
});

it("a container of an image has no network unless it was asked for", async () => {
  engines.add("podman", { version: PODMAN });
  for (const network of [false, true]) {
    const options = { image: "node:22", workspace: process.cwd(), network, engineEnv: engines.env };
    await (await openImage(options)).backend.close();
  }
  const runs = engines.calls().filter((line) => line.startsWith("podman run "));
  expect(runs.map((line) => line.includes("--network none"))).toEqual([true, false]);
});

describe("a name", () => {
  const refused = async (options: Partial<Parameters<typeof openContainer>[0]>) => {
    engines.add("docker", { version: DOCKER });
    return message(openContainer({ name: "web", engineEnv: engines.env, ...options }));
  };

  it("that is empty is refused", async () => {
    expect(await refused({ name: "" })).toMatch(/^Cannot open a container without a name\./);
    expect(engines.calls()).toEqual([]);
  });

  verifies("W31", "that no container can have is refused before anything starts", async () => {
    const names = [
      "-it",
      "--privileged",
      "web sh",
      "web;id",
      "web\nsh",
      "../web",
      "wéb",
      "a/b",
      "$(id)",
      `a${"b".repeat(300)}`,
    ];
    for (const name of names)
      expect(await refused({ name })).toMatch(/^Cannot open a container ".*: its name or id begins with a letter/s);
    expect(engines.calls()).toEqual([]);
  });

  it("of a user, a variable or a directory is refused likewise", async () => {
    expect(await refused({ user: "--privileged" })).toMatch(/^Cannot run as "--privileged" in a container/);
    expect(await refused({ user: "a b" })).toMatch(/^Cannot run as/);
    expect(await refused({ env: { "A=B": "" } })).toMatch(/^Cannot set "A=B" in a container/);
    expect(await refused({ cwd: "src" })).toMatch(
      /^Cannot start in "src": a directory of a container is an absolute path/,
    );
    expect(engines.calls()).toEqual([]);
  });

  it.each(["", "--privileged", "node 22", "node;id"])("of an image is refused likewise: %j", async (image) => {
    engines.add("docker", { version: DOCKER });
    const work = openImage({ image, workspace: engines.directory, engineEnv: engines.env });
    expect(await message(work)).toMatch(/^Cannot start a container /);
    expect(engines.calls()).toEqual([]);
  });

  it.each(["src", "/", "/a,b", "/a\nb", "/nowhere"])(
    "of a workspace that cannot be mounted is refused likewise: %j",
    async (workspace) => {
      engines.add("docker", { version: DOCKER });
      const work = openImage({ image: "node:22", workspace, engineEnv: engines.env });
      expect(await message(work)).toMatch(/^Cannot mount the workspace /);
      expect(engines.calls()).toEqual([]);
    },
  );
});

describe("what the engine reports becomes what to do", () => {
  it.each([
    [
      { error: "Error: inspecting object: no such container web" },
      'docker has no container "web". See `docker ps -a`, then start it or create it again.',
    ],
    [
      { error: "Error response from daemon: No such container: web" },
      'docker has no container "web". See `docker ps -a`',
    ],
    [
      { error: "Cannot connect to the Docker daemon at unix:///x.sock. Is the docker daemon running?" },
      "docker reports: Cannot connect to the Docker daemon at unix:///x.sock. Is the docker daemon running. Check `docker info`.",
    ],
    [{ state: "exited 137" }, 'the container "web" is stopped (exit code 137). Start it: `docker start web`.'],
    [{ state: "created 0" }, 'the container "web" was not started yet. Start it: `docker start web`.'],
    [{ state: "paused 0" }, 'the container "web" is paused. Continue it: `docker unpause web`.'],
  ])("%j", async (answers, words) => {
    engines.add("docker", { version: DOCKER, ...answers });
    const said = await message(openContainer({ name: "web", engineEnv: engines.env }));
    expect(said).toContain(`Could not reach "container:web": ${words}`);
  });

  it("names the other engine where the container may be one of its", async () => {
    engines.add("docker", { version: DOCKER, error: "Error response from daemon: No such container: web" });
    engines.add("podman", { version: PODMAN });
    const said = await message(openContainer({ name: "web", engineEnv: engines.env }));
    expect(said).toContain('create it again. If it is a container of podman, use "podman:web".');
  });

  it.each([
    [
      "Unable to find image 'node:22' locally\ndocker: Error response from daemon: No such image: node:22",
      'the image "node:22" is not on this machine. Get it: `docker pull node:22`.',
    ],
    ["Error: node:22: image not known", 'the image "node:22" is not on this machine.'],
    [
      'exec: "sh": executable file not found in $PATH',
      'the image "node:22" has no `sh`. Use an image that has a POSIX shell.',
    ],
    [
      "Error: container-init binary not found on the host: stat /usr/libexec/podman/catatonit",
      "podman has no init program. Install catatonit.",
    ],
    [
      'docker: Error response from daemon: invalid mount config for type "bind": bind source path does not exist: /usr/share.',
      'docker does not have the workspace "/usr/share". It may run on another machine, or in a VM that does not share that directory: ',
    ],
    [
      "Error: statfs /usr/share: no such file or directory",
      'docker does not have the workspace "/usr/share". It may run on another machine',
    ],
    [
      "Error: OCI runtime error: the cgroup of the container does not exist",
      "docker reports: Error: OCI runtime error: the cgroup of the container does not exist.",
    ],
  ])("of an image: %j", async (error, words) => {
    engines.add("docker", { version: DOCKER, error });
    const work = openImage({ image: "node:22", workspace: "/usr/share", engineEnv: engines.env });
    expect(await message(work)).toContain(`Could not reach "image:node:22": ${words}`);
    expect(engines.calls().filter((line) => line.startsWith("docker rm --force haft-")).length).toBeGreaterThan(0);
  });
});

describe("an engine that does not answer is reported before a call stops waiting for its target", () => {
  const never = async (hangs: "exec" | "ps", open: typeof openContainer | typeof openImage) => {
    engines.add("docker", { version: DOCKER, hangs });
    const options = { name: "web", image: "node:22", workspace: "/usr/share", engineEnv: engines.env };
    return message(open(options));
  };

  it("the shell of a container", async () => {
    expect(await never("exec", openContainer)).toBe(
      'Could not reach "container:web": it did not answer within 12000 ms. Check that it runs, then try again.',
    );
  }, 60_000);

  it("the shell of a container of an image", async () => {
    expect(await never("exec", openImage)).toBe(
      'Could not reach "image:node:22": it did not answer within 12000 ms. Check that it runs, then try again.',
    );
  }, 60_000);

  it("the engine", async () => {
    expect(await never("ps", openImage)).toBe(
      'Could not reach "image:node:22": docker reports: no answer within 10000 ms. Check `docker info`.',
    );
  }, 60_000);
});
