import { defineConfig } from "vitest/config";

const LONG = process.env.LONG === "1";

/** The longest files: alone they start when a worker is free, and not behind all that shares a process with them. */
const LONGEST =
  "complete-backend|memory-backend|posix-backend|lifetime|hostile-commands|disconnect|replace|listener|full-disk";
/** These replace modules of Node.js, or use the one host that the helpers of a process share. */
const CHANGE_THEIRS = "embedded-state|many-sessions|session-end|toolkit|undo-recorder";
/** Tests of code that changes nothing of its process share one, so that its modules are loaded once. */
const SHARED =
  "text kernel engines policy tools dialects backends/memory backends/posix mcp-client stores testing surfaces toolkit"
    .split(" ")
    .map((directory) => `src/${directory}/**/!(${LONGEST}|${CHANGE_THEIRS}).test.ts`)
    .concat("test/**/*.test.ts");

export default defineConfig({
  test: {
    // Three on the two cores that the project is built for: many tests wait for processes. More make them wait for each other.
    maxWorkers: 3,
    testTimeout: LONG ? 300_000 : 30_000,
    hookTimeout: 30_000,
    // A worker thread cannot change its directory, receive signals or be killed: the process tests need a process.
    pool: "forks",
    dangerouslyIgnoreUnhandledErrors: false,
    projects: [
      { extends: true, test: { name: "shared", include: SHARED, isolate: false } },
      { extends: true, test: { name: "own", include: ["src/**/*.test.ts", "test/**/*.test.ts"], exclude: SHARED } },
    ],
  },
});
