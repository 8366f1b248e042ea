/** A suite is data; a plan selects what runs of it for one subject. Independent of any test runner. */

/** One guarantee of a port, and its test. */
export interface Case<F> {
  /** For example "fs:read:missing-is-not-found". */
  readonly id: string;
  /** The guarantee as a sentence about the port. */
  readonly behavior: string;
  /** Rejects if the guarantee is broken. */
  run(fixture: F): Promise<void>;
}

/** The guarantees of one port, in the order in which they run. */
export type Suite<F> = readonly Case<F>[];

/** The subject of the tests, and which cases do not apply to it. */
export interface Plan<F extends { dispose(): Promise<void> }> {
  readonly name: string;
  /** Called once per case. A `dispose` that rejects fails the case, unless it has failed already. */
  create(): Promise<F>;
  /** Ids of cases that cannot pass here, each with the reason. They do not run and are printed as a table. */
  readonly cannot: Readonly<Record<string, string>>;
  /** Ids of cases that should pass and do not yet, each with the reason. They run, and fail once they pass. */
  readonly knownFailures: Readonly<Record<string, string>>;
}

/** A case as a plan runs it, ready for any test runner. */
export interface RunnableCase {
  readonly id: string;
  readonly behavior: string;
  readonly kind: "run" | "cannot" | "knownFailure";
  readonly reason?: string;
  /** For "cannot" it does nothing. */
  run(): Promise<void>;
}

/**
 * The cases of the suites, in order, as this plan runs them.
 * @throws Error at once when the plan names an id that no suite has, or one id twice, or gives no reason.
 */
export function runnable<F extends { dispose(): Promise<void> }>(
  plan: Plan<F>,
  suites: readonly Suite<F>[],
): readonly RunnableCase[] {
  const cases = suites.flat();
  refuseUnknownIds(plan, cases);
  return cases.map((one) => {
    const { id, behavior } = one;
    const cannot = plan.cannot[id];
    if (cannot !== undefined) return { id, behavior, kind: "cannot", reason: cannot, run: async () => {} };
    const known = plan.knownFailures[id];
    if (known === undefined) return { id, behavior, kind: "run", run: () => runOnce(plan, one) };
    return { id, behavior, kind: "knownFailure", reason: known, run: () => expectFailure(plan, one) };
  });
}

/** The `cannot` of the plans as a Markdown table; one sentence if there are none. */
export function cannotTable(plans: readonly Pick<Plan<never>, "name" | "cannot">[]): string {
  const rows = plans.flatMap((plan) =>
    Object.entries(plan.cannot).map(
      ([id, reason]) => `| ${plan.name} | \`${id}\` | ${reason.replaceAll("|", "\\|")} |`,
    ),
  );
  if (rows.length === 0) return "Every case runs.\n";
  return `${["| on | cannot | reason |", "| --- | --- | --- |", ...rows].join("\n")}\n`;
}

function refuseUnknownIds<F extends { dispose(): Promise<void> }>(plan: Plan<F>, cases: Suite<F>): void {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) throw new Error(`Two cases are called "${id}".`);
    ids.add(id);
  }
  for (const list of ["cannot", "knownFailures"] as const) {
    for (const [id, reason] of Object.entries(plan[list])) {
      if (!ids.has(id))
        throw new Error(
          `The plan "${plan.name}" names "${id}" under \`${list}\`, but no suite has it. To run some suites only, give all and filter the cases.`,
        );
      if (reason.trim() === "")
        throw new Error(`The plan "${plan.name}" gives no reason for "${id}" under \`${list}\`.`);
    }
  }
  for (const id of Object.keys(plan.cannot)) {
    if (id in plan.knownFailures)
      throw new Error(`The plan "${plan.name}" lists "${id}" as cannot and as known failure.`);
  }
}

async function runOnce<F extends { dispose(): Promise<void> }>(plan: Plan<F>, one: Case<F>): Promise<void> {
  const fixture = await plan.create();
  if (typeof fixture?.dispose !== "function")
    throw new Error(`\`create\` of the plan "${plan.name}" has to return a fixture: an object with \`dispose\`.`);
  try {
    await one.run(fixture);
  } catch (thrown) {
    // What the case found comes first: a fixture that it has broken may not be removable.
    try {
      await fixture.dispose();
    } catch {}
    throw thrown;
  }
  await fixture.dispose();
}

async function expectFailure<F extends { dispose(): Promise<void> }>(plan: Plan<F>, one: Case<F>): Promise<void> {
  const passed = await runOnce(plan, one).then(
    () => true,
    () => false,
  );
  if (passed) throw new Error(`"${one.id}" passes on "${plan.name}" now: take it out of \`knownFailures\`.`);
}
