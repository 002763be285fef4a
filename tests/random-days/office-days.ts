/** Random days at the desk: what people, programs, disks, clocks and crashes do, as fast-check makes them up. */
import fc from "fast-check";
import { STEPS, type Step } from "../../src/office/base/steps.ts";
import type { GateOutcome } from "../../src/ports/terminal.ts";
import type { DeskProgram } from "../desk/profiles.ts";
import type { Asked, When } from "./time-laws.ts";

/** `calm`: nobody jumps the queue, so that no draft may be touched before it is stale. */
export type Mood = "calm" | "wild";

export interface Cast {
  readonly program: Extract<DeskProgram, "plain" | "two-step" | "stashing" | "unproven" | "recalling">;
  readonly hooks: "told" | "none";
  readonly inbox: "offered" | "none";
}

export type Happening =
  | {
      readonly do: "send";
      readonly priority: string;
      readonly by: "person" | "agent";
      readonly atMostOnce: boolean;
      readonly asked: Asked;
    }
  | {
      readonly do: "remind";
      readonly by: "person" | "agent";
      readonly to: "self" | "coder";
      readonly when: When;
    }
  | { readonly do: "forget-reminder"; readonly at: number }
  | { readonly do: "set-clock" | "sleep"; readonly ms: number }
  /** The other agent ends, and is not told anything any more. */
  | { readonly do: "leave" }
  | { readonly do: "pass"; readonly ms: number }
  | {
      readonly do:
        | "type"
        | "erase"
        | "submit"
        | "work"
        | "rest"
        | "ask"
        | "answer"
        | "hide"
        | "show"
        | "mute"
        | "print";
    }
  | { readonly do: "gate"; readonly outcome: GateOutcome }
  | { readonly do: "lose-answer" | "pause" | "unpause" | "disk-full" | "disk-works" }
  | { readonly do: "change"; readonly change: "cancel" | "hold" | "now"; readonly at: number }
  | { readonly do: "restart" }
  | { readonly do: "die-at"; readonly step: Step };

export const casts: fc.Arbitrary<Cast> = fc.record({
  program: fc.constantFrom("plain", "two-step", "stashing", "unproven", "recalling"),
  hooks: fc.constantFrom("told", "none"),
  inbox: fc.constantFrom("none", "offered"),
});

export function happenings(mood: Mood): fc.Arbitrary<readonly Happening[]> {
  const only = <T extends Happening["do"]>(...all: readonly T[]) =>
    fc.constantFrom(...all).map((one) => ({ do: one }));
  const send = fc.record({
    do: fc.constant("send" as const),
    priority: fc.constantFrom(
      ...["normal", "normal", "idle", "idle-first", ...(mood === "wild" ? ["interrupt"] : [])],
    ),
    by: fc.constantFrom("person", "agent"),
    atMostOnce: fc.boolean(),
    asked: fc.record(
      {
        timeoutMs: fc.constantFrom(0, 0, 0, 2_000, 20_000, 100_000),
        notifyOnDelivery: fc.boolean(),
        notifyAfterMs: fc.constantFrom(0, 20_000, 100_000),
      },
      { requiredKeys: ["timeoutMs", "notifyOnDelivery"] },
    ),
  });
  const remind = fc.record({
    do: fc.constant("remind" as const),
    by: fc.constantFrom("person", "agent"),
    to: fc.constantFrom("self", "coder"),
    when: fc.constantFrom<When>(
      { afterMs: 1_000 },
      { afterMs: 40_000 },
      { afterMs: 600_000 },
      { everyMs: 45_000 },
    ),
  });
  const clock = fc.oneof(
    fc.record({
      do: fc.constant("set-clock" as const),
      ms: fc.constantFrom(-172_800_000, -3_600_000, -5_000, 5_000, 3_600_000, 172_800_000),
    }),
    fc.record({ do: fc.constant("sleep" as const), ms: fc.constantFrom(20_000, 600_000, 32_400_000) }),
  );
  const pass = fc.record({
    do: fc.constant("pass" as const),
    ms: fc.constantFrom(50, 400, 1_500, 4_000, 12_000, 40_000, 125_000),
  });
  const gate = fc.record({
    do: fc.constant("gate" as const),
    outcome: fc.constantFrom<GateOutcome>(
      { kind: "refused", because: ["typing"] },
      { kind: "refused", because: ["cursor-moved"] },
      { kind: "unknown", cause: "no answer" },
    ),
  });
  const change = fc.record({
    do: fc.constant("change" as const),
    change: fc.constantFrom("cancel", "hold", ...(mood === "wild" ? (["now"] as const) : [])),
    at: fc.nat(5),
  });
  const forget = fc.record({ do: fc.constant("forget-reminder" as const), at: fc.nat(5) });
  const death = fc.record({ do: fc.constant("die-at" as const), step: fc.constantFrom(...STEPS) });
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: send },
      { weight: 7, arbitrary: pass },
      { weight: 4, arbitrary: only("type", "type", "erase", "submit") },
      { weight: 4, arbitrary: only("work", "rest", "ask", "answer", "hide", "show", "mute", "print") },
      { weight: 2, arbitrary: gate },
      { weight: 2, arbitrary: only("lose-answer", "pause", "unpause", "disk-full", "disk-works") },
      { weight: 1, arbitrary: change },
      { weight: 2, arbitrary: remind },
      { weight: 2, arbitrary: clock },
      { weight: 1, arbitrary: fc.oneof(only("leave"), forget) },
      { weight: 2, arbitrary: only("restart") },
      { weight: 2, arbitrary: death },
    ) as fc.Arbitrary<Happening>,
    { minLength: 12, maxLength: 40, size: "max" },
  );
}
