/** Plays the suites on the sandbox without a test runner. Started as a plain user by `plain-user.test.ts`; a line of JSON a case. */
import { runnable } from "../../testing/index.js";
import { closeInherited } from "../local/shell/inherited-descriptors.fixture.js";
import { SANDBOX_SUITES, sandboxPlan } from "./conformance.fixture.js";

/** As long as a test may take. */
const CASE_MS = 60_000;

const [above = ""] = process.argv.slice(2);
closeInherited();
const plan = sandboxPlan(() => above);
for (const one of runnable(plan, SANDBOX_SUITES)) {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It took more than ${CASE_MS / 1_000} s.`)), CASE_MS);
  });
  const problem = await Promise.race([one.run(), late]).then(
    () => null,
    (thrown: unknown) => (thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)),
  );
  clearTimeout(timer);
  console.log(JSON.stringify({ id: one.id, kind: one.kind, problem }));
}
await plan.close();
