import { defineConfig } from "vitest/config";

const LONG = process.env.LONG === "1";

/** Tests of code that changes nothing of its process share one, so that its modules are loaded once. */
const SHARED =
  "text kernel engines policy tools dialects backends/memory backends/posix mcp-client stores testing surfaces"
    .split(" ")
    .map((directory) => `src/${directory}/**/*.test.ts`)
    // These replace modules of Node.js, or use the one host that the helpers of a process share.
    .concat("src/toolkit/**/!(many-sessions|session-end|toolkit).test.ts", "test/**/*.test.ts");

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
