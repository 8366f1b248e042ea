import { afterAll, expect, it } from "vitest";
import { PosixMachine } from "../machine.fixture.js";

const machine = new PosixMachine("dash");
afterAll(() => machine.dispose());

it("a directory that does not exist there is named, with what to do, and nothing is left", async () => {
  const cwd = `${machine.work}/none`;
  await expect(machine.open({ cwd })).rejects.toMatchObject({
    code: "BACKEND_UNAVAILABLE",
    message: `Could not reach "posix:dash": cannot enter the directory "${cwd}". Name a directory that exists there, then try again.`,
  });
  expect(machine.leftovers()).toEqual([]);
});
