/** What a supervised session keeps from happening, tried with real shells; the page of it is made from the same table. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type Approver, createToolkit } from "../src/index.js";
import { isSampled } from "../src/testing/long.fixture.js";
import { REPOSITORY } from "./architecture/source-tree.js";
import { ATTEMPTS, type Attempt, type Step } from "./policy-limits/attempts.js";
import { policyLimits } from "./policy-limits/page.js";

type Toolkit = Awaited<ReturnType<typeof createToolkit>>;

const PLACES = ["ws", "out", "home", "state"] as const;
let root: string;
let counter = 0;
/** Whether the user allows what is asked until the session ends; otherwise the question stays open. */
let isAllowing = false;
const approver: Approver = {
  ask: async () => (isAllowing ? { by: "ada", scope: "session" } : { pending: true }),
};

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "haft-limits-")));
  vi.stubEnv("HOME", join(root, "home"));
  vi.stubEnv("GIT_CONFIG_NOSYSTEM", "1");
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(root, { recursive: true, force: true });
});

function filled(text: string): string {
  return text.replace(/\{(ws|out|home|state)\}/g, (_, name: string) => join(root, name));
}

function setUp({ setup }: Attempt): void {
  for (const place of PLACES) {
    if (place !== "state") rmSync(join(root, place), { recursive: true, force: true });
    mkdirSync(join(root, place), { recursive: true });
  }
  rmSync(join(root, "state", "approved"), { recursive: true, force: true });
  writeFileSync(join(root, "ws", "a.txt"), "a\n");
  writeFileSync(join(root, "out", "s.txt"), "SECRET\n");
  if (setup !== undefined) execFileSync("bash", ["-c", filled(setup)], { cwd: join(root, "ws"), stdio: "pipe" });
}

/** What is outside, with contents, and the file that an attempt leaves. */
function outside(): string[] {
  const seen = ["out", "home"].flatMap((place) =>
    readdirSync(join(root, place), { recursive: true, withFileTypes: true }).map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return entry.isFile() ? `${path}: ${readFileSync(path, "utf8")}` : path;
    }),
  );
  const left = ["ws/pwned", "ws/r/pwned", "state/approved/new", "state/audit/x"].filter((path) =>
    existsSync(join(root, path)),
  );
  const audit = existsSync(join(root, "state/audit")) ? [] : ["the audit log is gone"];
  return [...seen, ...left, ...audit].sort();
}

async function opened(autonomy: "supervised" | "full", on: string, asked?: Approver): Promise<Toolkit> {
  for (const place of PLACES) mkdirSync(join(root, place), { recursive: true });
  const toolkit = await createToolkit({
    autonomy,
    on,
    workspace: join(root, "ws"),
    stateDir: join(root, "state"),
    ...(asked === undefined ? {} : { approver: asked }),
  });
  await run(toolkit, "true"); // from here on there is an audit log
  return toolkit;
}

const run = (toolkit: Toolkit, command: string) =>
  toolkit.session("first").box().runner.run({ id: "first", name: "bash", input: { command } });

/** The last outcome, and what came of it all. */
async function played(toolkit: Toolkit, { kind, steps, isAnswered: answered }: Attempt) {
  const before = outside();
  const { runner } = toolkit.session(`s${counter++}`).box();
  let outcome: Awaited<ReturnType<typeof runner.run>> | undefined;
  let output = "";
  for (const [index, step] of steps.entries()) {
    const [name, input] = callOf(step);
    isAllowing = index === 0 && answered === true;
    outcome = await runner.run({ id: `c${counter++}`, name, input });
    output += outcome.output;
    if (outcome.status === "denied" || outcome.status === "input-required") break;
  }
  if (kind === "Jobs" || steps.some((step) => step[0] === "process"))
    await new Promise((resolve) => setTimeout(resolve, 300));
  const after = outside();
  return { outcome: outcome!, harm: after.join("\n") !== before.join("\n") || /SECRET/.test(output) };
}

function callOf(step: Step): readonly [string, Readonly<Record<string, unknown>>] {
  if (typeof step === "string") return ["bash", { command: filled(step) }];
  const [name, input] = step;
  return [
    name,
    Object.fromEntries(
      Object.entries(input).map(([key, value]) => [key, typeof value === "string" ? filled(value) : value]),
    ),
  ];
}

const CODES = { denied: "POLICY_DENIED", asked: "POLICY_APPROVAL_REQUIRED", invalid: "CALL_INVALID" } as const;

describe.each(["posix:bash", "local"])("attempts on %s", (on) => {
  let toolkit: Toolkit;
  let answered: Toolkit;
  beforeAll(async () => {
    toolkit = await opened("supervised", on);
    answered = await opened("supervised", on, approver);
  });
  afterAll(async () => {
    await toolkit.close();
    await answered.close();
  });

  // What is refused does not depend on the shell of the target, so that one of them plays a sample.
  const attempts = ATTEMPTS.filter((_, index) => on === "posix:bash" || isSampled(index));
  it.each(attempts.map((attempt) => [`${attempt.kind}: ${attempt.what}`, attempt] as const))(
    "%s",
    async (_, attempt) => {
      setUp(attempt);
      const { outcome, harm } = await played(attempt.isAnswered ? answered : toolkit, attempt);
      expect([outcome.output, harm]).toEqual([expect.anything(), false]);
      if (attempt.ends === "harmless") expect(outcome.status).not.toBe("denied");
      else expect([outcome.output, outcome.code]).toEqual([expect.anything(), CODES[attempt.ends]]);
    },
  );
});

describe("the attempts succeed where nothing stops them, in bash", () => {
  let toolkit: Toolkit;
  beforeAll(async () => {
    toolkit = await opened("full", "posix:bash");
  });
  afterAll(() => toolkit.close());

  const biting = ATTEMPTS.filter(({ bites }) => bites !== false).filter((_, index) => isSampled(index));
  it.each(biting.map((attempt) => [`${attempt.kind}: ${attempt.what}`, attempt] as const))("%s", async (_, attempt) => {
    setUp(attempt);
    const { outcome, harm } = await played(toolkit, attempt);
    expect([outcome.output, harm]).toEqual([expect.anything(), true]);
  });
});

it("there are at least 60, and the page lists them", async () => {
  expect(ATTEMPTS.length).toBeGreaterThanOrEqual(60);
  await expect(policyLimits(ATTEMPTS)).toMatchFileSnapshot(join(REPOSITORY, "docs/reference/policy-limits.md"));
});
