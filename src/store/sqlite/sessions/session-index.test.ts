import fc from "fast-check";
import { expect, it } from "vitest";
import { aSession } from "../../../../tests/contract/store-samples.ts";
import type { StoredSession } from "../../../ports/store.ts";
import { SessionIndex } from "./session-index.ts";

const AGENTS = ["coder", "tester"];
const MOST = 2;

const change = fc.record({
  id: fc.constantFrom("00000001", "00000002", "00000003", "00000004", "00000005"),
  now: fc.option(
    fc.record({
      agent: fc.constantFrom(...AGENTS),
      startedAt: fc.integer({ min: 1, max: 9 }),
      exitedAt: fc.option(fc.integer({ min: 10, max: 19 }), { nil: undefined }),
      name: fc.option(fc.constantFrom("monitor"), { nil: undefined }),
      title: fc.constantFrom("one", "another"),
    }),
    { nil: undefined },
  ),
  asked: fc.boolean(),
});

it("answers as one that was made just now, whatever has changed and been asked before", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
      const index = new SessionIndex([]);
      const stored = new Map<string, StoredSession>();
      for (const { id, now, asked } of changes) {
        const { name, exitedAt, ...rest } = now ?? {};
        const session =
          now === undefined
            ? undefined
            : aSession(id, {
                ...rest,
                ...(name === undefined ? {} : { name }),
                ...(exitedAt === undefined ? {} : { exitedAt }),
              });
        index.set(id, session);
        if (session === undefined) stored.delete(id);
        else stored.set(id, session);
        if (!asked) continue;
        const fresh = new SessionIndex(stored.values());
        for (const agent of AGENTS) {
          expect(byId(index.latestOfAgent(agent, MOST))).toEqual(byId(fresh.latestOfAgent(agent, MOST)));
          expect(byId(index.ofAgent(agent))).toEqual(byId(fresh.ofAgent(agent)));
        }
      }
    }),
  );
});

const byId = (sessions: readonly StoredSession[]) =>
  sessions.toSorted((one, other) => one.id.localeCompare(other.id));

it("gives the same list for as long as nothing about an agent changes, and remembers no name that has no session", () => {
  const index = new SessionIndex([aSession("00000001", { agent: "coder" })]);
  const lists = () => [1, 8].map((most) => index.latestOfAgent("coder", most));
  const [one, eight] = lists();
  expect(lists()[0]).toBe(one);
  expect(lists()[1]).toBe(eight);
  index.set("00000001", aSession("00000001", { agent: "coder", title: "another" }));
  expect(lists()[0]).not.toBe(one);
  expect(index.latestOfAgent("nobody", 8)).toBe(index.latestOfAgent("nobody either", 1));
});
