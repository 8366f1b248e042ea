/** Tests that need programs of this machine. Where one is absent they are skipped with the reason; with REQUIRE_ALL=1 they fail. */
import { spawnSync } from "node:child_process";
import { describeUnless } from "./services.fixture.js";

/** A `describe` of tests that need these programs to be installed. */
export function withPrograms(title: string, programs: readonly string[], tests: () => void): void {
  const missing = programs.filter((one) => spawnSync("sh", ["-c", `command -v ${one}`]).status !== 0);
  describeUnless(missing.length === 0 ? undefined : `${missing.join(", ")} is not installed`, title, tests);
}

/** A `describe` of tests that need the sandbox of bubblewrap. */
export function withBubblewrap(title: string, tests: () => void): void {
  describeUnless(whyNoBubblewrap(), title, tests);
}

function whyNoBubblewrap(): string | undefined {
  const { error, status, stderr } = spawnSync("bwrap", ["--ro-bind", "/", "/", "--unshare-user", "true"], {
    encoding: "utf8",
  });
  if (error !== undefined) return "the program bwrap is not installed; install bubblewrap";
  return status === 0 ? undefined : `bwrap does not work here: ${stderr.trim() || `it ended with status ${status}`}`;
}
