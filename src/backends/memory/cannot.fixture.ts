/** What cannot hold where there are no processes. */
const NO_PROCESSES = "no processes of a kernel, so no sessions, no /proc, no terminals";
const NO_COMPOUND = "the shell in memory knows simple commands only: no loops, no subshells, no trap";

export const MEMORY_CANNOT: Readonly<Record<string, string>> = {
  "shell:exec:term-is-heard": NO_COMPOUND,
  "shell:exec:term-ignored": NO_COMPOUND,
  "shell:exec:child-ignores-term": NO_COMPOUND,
  "shell:spawn:signal": NO_COMPOUND,
  "shell:survivor:slow-printer-does-not-leak": NO_COMPOUND,
  "shell:survivor:output-before-the-end-is-whole": NO_COMPOUND,
  "shell:exec:new-session-ends-too": NO_PROCESSES,
  "shell:survivor:new-session": NO_PROCESSES,
  "shell:process:default-signals": NO_PROCESSES,
  "shell:process:no-foreign-descriptors": NO_PROCESSES,
  "shell:process:no-terminal": NO_PROCESSES,
  "shell:process:own-group": NO_PROCESSES,
  "shell:spawn:input-closed-by-itself": NO_PROCESSES,
  "shell:spawn:waiting": NO_PROCESSES,
  "backend:close:kept-job": "each backend has everything for itself",
};
