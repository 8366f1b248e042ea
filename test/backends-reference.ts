/** `docs/reference/backends.md`: what the conformance suites do not require of each backend, and why. */
import { MEMORY_CANNOT } from "../src/backends/memory/cannot.fixture.js";
import { POSIX_CANNOT } from "../src/backends/posix/shells.fixture.js";
import { SANDBOX_CANNOT } from "../src/backends/sandbox/conformance.fixture.js";
import { backendSuite, COMPLETED_CANNOT, fsSuite, searchSuite, shellSuite } from "../src/testing/index.js";

type Cannot = Readonly<Record<string, string>>;

const BACKENDS: readonly (readonly [name: string, targets: string, cannot: Cannot])[] = [
  ["local", "`local`", {}],
  ["sandbox", "`sandbox`", SANDBOX_CANNOT],
  [
    "a plain shell",
    "`posix:sh`, `posix:dash`, `posix:bash`, `ssh:`, `container:` and `image:` with such a shell",
    POSIX_CANNOT.dash,
  ],
  ["busybox", "`posix:busybox`, `ssh:`, `container:` and `image:` with busybox", POSIX_CANNOT.busybox],
  ["memory", "`memory`", MEMORY_CANNOT],
  ["completed", "a backend of yours, from `completeBackend`", COMPLETED_CANNOT],
];

export function backendsReference(): string {
  const cases = [fsSuite, shellSuite, searchSuite, backendSuite].flat();
  const kinds = BACKENDS.map(([name, targets, cannot]) => {
    const count = cases.length - Object.keys(cannot).length;
    return `| ${name} | ${targets} | ${count} |`;
  });
  const rows = cases.flatMap(({ id, behavior }) => {
    const reasons = new Map<string, string[]>();
    for (const [name, , cannot] of BACKENDS) {
      const reason = cannot[id];
      if (reason !== undefined) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
    }
    const why = [...reasons].map(([reason, names]) => `${names.join(", ")}: ${reason}`).join("; ");
    return reasons.size === 0 ? [] : [`| ${cell(behavior)} | ${cell(why)} | \`${id}\` |`];
  });
  return `# What each backend can do

<!-- Written by \`npx vitest run test/backends-reference.test.ts -u\` from the conformance suites; do not edit. -->

All tools run on every backend. The conformance suites of \`haft/testing\` have ${cases.length} cases; a backend passes all but those that it
cannot by its nature:

| backend | targets | cases |
| --- | --- | --- |
${kinds.join("\n")}

A terminal (\`+tmux\`) changes nothing of files and searches. How to use each: [backends](../guide/backends.md).

| what does not hold | where, and why | case |
| --- | --- | --- |
${rows.join("\n")}
`;
}

const cell = (text: string): string => text.replaceAll("|", "\\|");
