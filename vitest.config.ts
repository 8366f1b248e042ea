import { defineConfig } from "vitest/config";

const LONG = process.env.LONG === "1";

export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    // Two cores is the machine that the project is built for; more workers only make process tests wait for each other.
    maxWorkers: 2,
    testTimeout: LONG ? 300_000 : 30_000,
    hookTimeout: 30_000,
    // A worker thread cannot change its folder, receive signals or be killed: the process tests need a process.
    pool: "forks",
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
