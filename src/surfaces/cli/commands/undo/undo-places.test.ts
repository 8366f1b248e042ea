import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cliPlace } from "../../../../testing/cli-place.fixture.js";
import { service, withServices } from "../../../../testing/services.fixture.js";

withServices(["podman", "ssh"], "haft undo on other machines", () => {
  const place = cliPlace();
  const haft = (...args: readonly string[]) => place.inProcess(args, { env: service("podman").env });
  const at = (name: string) => join(place.workspace, name);
  const idOf = async (...more: readonly string[]) =>
    JSON.parse((await haft("undo", "--json", ...more)).stdout).calls[0].id as string;

  it("does not take an older call here for the last one where one from here ran in a container since", async () => {
    const on = ["--on", `container:${service("podman").container}=/tmp`];
    await haft("call", "write", "path=a.txt", "content=a");
    const name = `haft-undo-${process.pid}.txt`;
    expect(await haft("call", "write", `path=${name}`, "content=b", ...on)).toMatchObject({ status: 0 });
    const id = await idOf();
    expect((await haft("undo")).stdout).toContain(`write /tmp/${name} (created, +1)`);
    const refused = await haft("undo", "--last");
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain(
      `Did not undo the last call: it is "${id}" (write), on "container:${service("podman").container}" in /tmp. The last one in this workspace is "`,
    );
    expect((await haft("undo", "--last", "--workspace", place.workspace, "--dry-run")).stdout).toContain(
      "would remove a.txt",
    );
    expect(await haft("undo", "--last", ...on)).toMatchObject({
      status: 0,
      stdout: `removed /tmp/${name} on container:${service("podman").container}\n`,
    });
    expect(await haft("undo", "--last")).toMatchObject({ status: 0, stdout: "removed a.txt\n" });
    expect(existsSync(at("a.txt"))).toBe(false);
  });

  it("opens a target with the settings that the configuration has for it, and is at home in its workspace", async () => {
    const { config, home } = service("ssh");
    const file = at("box.jsonc");
    const other = join(place.root, "other");
    mkdirSync(other);
    writeFileSync(file, JSON.stringify({ on: [{ name: "far", target: "ssh:box", workspace: home, ssh: { config } }] }));
    const name = `haft-undo-${process.pid}.txt`;
    await haft("call", "write", `path=${name}`, "content=b", "--config", file);
    expect(existsSync(join(home, name))).toBe(true);
    const id = await idOf();
    const bare = await haft("undo", id);
    expect(bare).toMatchObject({ status: 1, stdout: "" });
    expect(bare.stderr).toContain(
      '"far" is not a target of the configuration here: name the file that has it with `--config`.',
    );
    expect((await haft("undo", "--config", file, "--workspace", other)).stdout).toContain(id);
    const stdout = expect.stringMatching(new RegExp(`^removed .*${name} on far\n$`));
    expect(await haft("undo", "--last", "--config", file)).toMatchObject({ status: 0, stdout });
    expect(existsSync(join(home, name))).toBe(false);
  });

  it("undoes what containers that are gone changed in the workspace, together with what was changed here", async () => {
    const on = ["--session", "mixed", "--on", `image:${service("podman").image}`];
    const write = (content: string, ...more: readonly string[]) =>
      haft("call", "write", "path=a.txt", `content=${content}`, "--gate", "off", ...more);
    await write("one", ...on);
    await write("two", ...on);
    expect(await haft("undo", "--session", "mixed", "--dry-run")).toMatchObject({ status: 0 });
    expect(await haft("undo", "--last")).toMatchObject({ status: 0, stdout: "restored a.txt\n" });
    await write("three", "--session", "mixed");
    expect(await haft("undo", "--session", "mixed")).toMatchObject({ status: 0, stdout: "removed a.txt\n" });
    expect(existsSync(at("a.txt"))).toBe(false);
  });

  it("names a call whose files ended with its container by the id that the list has", async () => {
    const on = ["--on", `image:${service("podman").image}`, "--autonomy", "full"];
    expect(await haft("call", "write", "path=/tmp/gone.txt", "content=one", ...on)).toMatchObject({ status: 0 });
    const id = await idOf();
    const refused = await haft("undo", id);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain(`Did not undo "${id}" (write): it ran on image:`);
    expect(refused.stderr).toContain("whose files ended with it.");
  });
});
