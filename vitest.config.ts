import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

/** Property tests that take seconds each: they run beside those that wait, so that the unit tests stay quick. */
const LAWS = "src/**/*-laws.test.ts";

const setupFiles = ["tests/seed.ts"];
// What waits is told when it is through: these only end what never will, on the slowest machine.
const slow = { setupFiles, testTimeout: 600_000, hookTimeout: 600_000, teardownTimeout: 60_000 };
const quick = {
  isolate: false,
  maxWorkers: availableParallelism(),
  // Property tests leave much behind: with more room for what is young, less of it is collected.
  execArgv: ["--max-semi-space-size=32"],
};

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts", "web/src/**/*.test.ts"],
          exclude: [LAWS],
          ...quick,
          setupFiles,
          // Beside them the real programs may be downloaded and unpacked: slow is no failure.
          testTimeout: 30_000,
        },
      },
      { test: { name: "laws", include: [LAWS], ...slow, ...quick } },
      {
        test: {
          name: "contract",
          include: ["tests/contract/**/*.test.ts", "tests/cli/**/*.test.ts"],
          ...slow,
          // One more than there are cores: it is the longest suite, and its tests wait for about half of their time. In a
          // whole run it comes in parts, and each part says how many.
          maxWorkers: Number(process.env.BELLHOP_FILES_AT_ONCE ?? availableParallelism() + 1),
        },
      },
      { test: { name: "crash", include: ["tests/crash/**/*.test.ts"], ...slow, fileParallelism: false } },
      { test: { name: "races", include: ["tests/races/**/*.test.ts"], ...slow, fileParallelism: false } },
      {
        test: {
          name: "e2e",
          include: ["tests/rig/**/*.test.ts", "tests/e2e/**/*.test.ts"],
          ...slow,
          // They wait for the programs more than they work.
          maxWorkers: Number(process.env.BELLHOP_FILES_AT_ONCE ?? 2),
        },
      },
      {
        test: { name: "hardship", include: ["tests/hardship/**/*.test.ts"], ...slow, fileParallelism: false },
      },
      {
        test: {
          name: "versions",
          include: ["tests/versions/**/*.test.ts"],
          ...slow,
          maxWorkers: Number(process.env.BELLHOP_FILES_AT_ONCE ?? 2),
        },
      },
    ],
  },
});
