/** Whatever form a program has for it: what the office must be able to rely on when text goes in a hook's answer. */
import { expect, it } from "vitest";
import { parseHookEvent } from "../../src/hooks/events.ts";
import type { Program } from "../../src/programs/program.ts";

const TEXT = 'it\'s "100%" \\n $HOME\n[message from: coder #m7k2q9]\n四つ 🙂';
/** No program is known to show a longer one whole. */
const LONGEST_BYTES = 10_000;

export function programHookAnswersContract({ profile, hooks, proven }: Program): void {
  const { hookAnswers } = profile;
  if (hookAnswers === undefined || hooks === undefined) {
    it("take no text", () => expect(hookAnswers).toBeUndefined());
    return;
  }
  const momentsOf = (version: string) => Object.entries(hookAnswers.moments(version));
  const reported = (eventName: string, payload: object) =>
    parseHookEvent(
      { program: profile.name, eventName, emittedAt: 1, environment: {}, payload: payload as never },
      [hooks],
    );

  it.each(proven)("are installed for every moment at which %s takes text, and say which it is", (version) => {
    expect(momentsOf(version).map(([, moment]) => moment)).toContain("turn-end");
    for (const [event, moment] of momentsOf(version)) {
      expect(hooks.events).toContain(event);
      const told = reported(event, { session_id: "s", stop_hook_active: true });
      if (moment === "turn-end") expect(told).toMatchObject({ turn: "turn-ended", continued: true });
      // It comes with every tool: small, and nothing is written for it.
      else expect(told).toMatchObject({ ofTool: true });
      if (moment === "tool-result") expect(Object.keys(hooks.brief ?? {})).toContain(event);
      expect(reported(event, {})).not.toHaveProperty("continued");
    }
  });

  it.each(proven)(
    "carry the whole text in a form that %s reads, with our header at the start of a line",
    (version) => {
      for (const [event] of momentsOf(version)) {
        const output = JSON.parse(JSON.stringify(hookAnswers.output(event, TEXT, version)));
        const texts = stringsIn(output).filter((text) => text.includes(TEXT));
        expect(texts).toHaveLength(1);
        expect(texts[0]?.trim()).toBe(TEXT);
      }
    },
  );

  it("have limits that are named", () => {
    expect(hookAnswers.mostBytes).toBeGreaterThan(1_000);
    expect(hookAnswers.mostBytes).toBeLessThan(LONGEST_BYTES);
    expect(hookAnswers.mostInARow).toBeGreaterThanOrEqual(1);
  });
}

function stringsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(stringsIn) : [];
}
