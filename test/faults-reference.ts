/** `docs/reference/faults.md`: what a call gets when the way to its machine fails. */
import { FAULTS, type Fault } from "../src/testing/faults.fixture.js";

export function faultsReference(): string {
  const rows = Object.values<Fault>(FAULTS).map(({ where, event, code, words = [], outcome }) => {
    const shown = words.map((one) => `"${one}"`).join(" or ");
    return `| ${where} | ${event} | ${code === undefined ? "" : `\`${code}\``} | ${shown} | ${outcome} |`;
  });
  return `# When the way to a machine fails

<!-- Written by \`npx vitest run test/faults-reference.test.ts -u\` from the table that the fault tests play; do not edit. -->

What a call gets when a connection, a container or a terminal fails while it runs, or when a load is unusual. A call without a code gives its
result. A code is that of [the error](errors.md); its message has these words, says whether the command had begun, and what to do next.

| where | event | code | words | the call, and afterwards |
| --- | --- | --- | --- | --- |
${rows.join("\n")}

What is left behind by any of these is looked for too: processes here and there, sockets and files of state.
`;
}
