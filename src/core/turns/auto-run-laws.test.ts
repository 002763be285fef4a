import fc from "fast-check";
import { expect, it } from "vitest";
import { type AutoRunKey, type AutoRunWords, resolveAutoRun, STANDARD_AUTO_RUN } from "./auto-run.ts";

const words: fc.Arbitrary<AutoRunWords> = fc.record(
  {
    enabled: fc.boolean(),
    triageModel: fc.string(),
    debounceMs: fc.nat(),
    maxBatchSize: fc.nat(),
    alwaysAccept: fc.array(fc.record({ text: fc.string() })),
    alwaysReject: fc.array(fc.record({ text: fc.string() })),
    runner: fc.oneof(fc.constantFrom("claude", "codex", "command"), fc.string()),
    command: fc.array(fc.string()),
    cwd: fc.string(),
    role: fc.string(),
    model: fc.string(),
    tools: fc.array(fc.string()),
    permissionMode: fc.string(),
    deadlineMs: fc.nat(),
    turnsPerHour: fc.nat(),
    turnsPerDay: fc.nat(),
    usdPerDay: fc.nat(),
    untriaged: fc.constantFrom("hold", "run"),
  },
  { requiredKeys: [] },
);
const KEYS: readonly AutoRunKey[] = [
  ...(Object.keys(STANDARD_AUTO_RUN) as AutoRunKey[]),
  ...(["cwd", "role", "model", "permissionMode"] as const),
];

/** What is standard for it depends on whom there is to ask. */
const standardTriage = (runner: string) =>
  runner === "command" ? "" : runner === "claude" ? "haiku" : "default";

it("each value is the session's, else the agent's, else the config's, else the standard; and it says whose", () => {
  const level = fc.option(words, { nil: undefined });
  const law = fc.property(level, level, level, (session, agent, config) => {
    const layers = { session, agent, config };
    const { autoRun, from } = resolveAutoRun(layers);
    for (const key of KEYS) {
      const sayer = (["session", "agent", "config"] as const).find((one) => layers[one]?.[key] !== undefined);
      const standard = key === "triageModel" ? standardTriage(autoRun.runner) : STANDARD_AUTO_RUN[key];
      expect(autoRun[key]).toEqual(sayer === undefined ? standard : layers[sayer]?.[key]);
      expect(from[key]).toBe(sayer ?? (key in STANDARD_AUTO_RUN ? "standard" : undefined));
    }
  });
  fc.assert(law, { numRuns: 1_000 });
});
