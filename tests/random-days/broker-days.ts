/** Random days at the broker: what agents, sessions, senders, readers and crashes do, as fast-check makes them up. */
import fc from "fast-check";

export const AGENTS = ["a", "b", "c", "t1", "t2"];
export const SESSIONS = [undefined, "s", undefined, "main", "s2"];
export const PATTERNS = [
  ...["x/1", "x/*", "x/**", "*/1", "**", "agent/a", "agent/*", "agent/**", "slack/**", "slack/*/#general"],
  ...["session/*", "person/*", "y/2/**", "**/1", "agent/t1", "x/*/deep", "agent/b/**", "slack/team/*"],
];
export const PATHS = [
  ...["x/1", "x/2", "x/1/deep", "agent/a", "agent/b", "agent/**", "agent/*", "**", "slack/team/#general"],
  ...["y/2", "person/dev", "x/*", "x/**", "agent/t1", "agent/c", "agent", "*/1", "slack/**", "agent/a/b"],
];

/** Numbers choose among what is there when it happens. */
export function pick<T>(all: readonly T[], at: number): T {
  return all[at % all.length] as T;
}

export type BrokerHappening =
  | {
      readonly do: "add-agent" | "remove-agent" | "add-session";
      readonly who: number;
      readonly session: number;
    }
  | {
      /** `give-up`: of what somebody hears; `unsubscribe`: of anything. */
      readonly do: "subscribe" | "unsubscribe" | "give-up";
      readonly who: number;
      readonly session: number;
      readonly pattern: number;
    }
  | { readonly do: "route" | "route-twice"; readonly path: number; readonly by: number }
  | {
      readonly do: "receive" | "history";
      readonly who: number;
      readonly session: number;
      readonly limit: number;
    }
  | { readonly do: "acknowledge"; readonly at: number }
  | { readonly do: "listen"; readonly who: number; readonly session: number; readonly how: ListenerKind }
  | { readonly do: "close-listener"; readonly at: number }
  | { readonly do: "rename"; readonly at: number; readonly name: number }
  | { readonly do: "reroute" | "clear" | "pass" | "restart" | "kill" }
  | { readonly do: "die-sending"; readonly path: number; readonly by: number; readonly at: DyingStep }
  | { readonly do: "work" | "rest" | "end" | "resume"; readonly at: number };

/** `leaves`: is gone when something is pushed to it. `slow`: has it in hand until it closes. */
export type ListenerKind = "hears" | "consumes" | "leaves" | "slow";
export type DyingStep = "accept.validated" | "accept.in-transaction" | "accept.committed";

export interface BrokerCast {
  readonly terminals: number;
}

export const brokerCasts: fc.Arbitrary<BrokerCast> = fc.record({
  terminals: fc.constantFrom(0, 0, 0, 0, 1, 2),
});

const any = fc.nat(60);

const happening: fc.Arbitrary<BrokerHappening> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("add-agent", "add-session"), who: any, session: any }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove-agent"), who: any, session: any }) },
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constantFrom("subscribe", "subscribe", "subscribe", "unsubscribe", "give-up"),
      who: any,
      session: any,
      pattern: any,
    }),
  },
  {
    weight: 16,
    arbitrary: fc.record({
      do: fc.constantFrom("route", "route", "route", "route-twice"),
      path: any,
      by: any,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("receive", "receive", "history"),
      who: any,
      session: any,
      limit: fc.constantFrom(1, 2, 100),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("acknowledge"), at: any }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("listen"),
      who: any,
      session: any,
      how: fc.constantFrom("hears", "hears", "consumes", "leaves", "slow"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("close-listener"), at: any }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("rename"), at: any, name: any }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("reroute", "reroute", "clear", "pass", "restart", "kill") }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("die-sending"),
      path: any,
      by: any,
      at: fc.constantFrom("accept.validated", "accept.in-transaction", "accept.committed"),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("work", "rest", "end", "resume"), at: any }) },
) as fc.Arbitrary<BrokerHappening>;

export function brokerDays(most: number): fc.Arbitrary<readonly BrokerHappening[]> {
  return fc.array(happening, { minLength: 6, maxLength: most, size: "max" });
}
