import { defineConfig } from "vitest/config";

const LONG = process.env.LONG === "1";

/** Tests of code that changes nothing of its process share one, so that its modules are loaded once. */
const SHARED = ["text", "kernel", "engines", "policy", "tools", "dialects", "backends/memory"].map(
  (directory) => `src/${directory}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    // Two cores is the machine that the project is built for; more workers only make process tests wait for each other.
    maxWorkers: 4,
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
