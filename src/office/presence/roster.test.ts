import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AN_IDENTITY, aSession } from "../../../tests/contract/store-samples.ts";
import { FakeClock, OpenWork } from "../../../tests/desk/clock.ts";
import type { Profile } from "../../ports/profile.ts";
import type { Store } from "../../ports/store.ts";
import type { Terminal } from "../../ports/terminal.ts";
import { LiveSession } from "./live-session.ts";
import { Roster } from "./roster.ts";

/** Its terminal is never asked. */
function live(id: string, agent: string, pane = "%1"): LiveSession {
  return new LiveSession({
    record: aSession(id, { agent }),
    identity: { ...AN_IDENTITY, pane },
    terminal: { onChange: () => () => {} } as unknown as Terminal,
    profile: { settleMs: 1 } as unknown as Profile,
    facts: { sessionId: id, agentPid: 1 },
    clock: new FakeClock(new OpenWork()),
    digest: () => "",
    standing: async () => "in-front",
    ownNote: async () => undefined,
  });
}

const newRoster = (): Roster => new Roster({} as Store);

/** The reference: searches all live sessions, following the definition. */
function takerAmongAll(roster: Roster, agent: string): LiveSession | undefined {
  const sessions = roster.all().filter(({ record }) => record.agent === agent);
  return (
    sessions.find(({ record }) => record.main) ??
    sessions.toSorted((a, b) => b.record.lastActiveAt - a.record.lastActiveAt)[0]
  );
}

describe("whoever runs", () => {
  it("is found by the agent it is now, whatever it was called when it came", () => {
    const roster = newRoster();
    const session = live("a1", "coder");
    roster.add(session);
    session.record = { ...session.record, agent: "tester" };
    expect([roster.takerOf("coder"), roster.takerOf("tester")]).toEqual([undefined, session]);
    roster.remove("a1");
    expect(roster.takerOf("tester")).toBeUndefined();
    session.record = { ...session.record, agent: "coder" };
    expect(roster.takerOf("coder")).toBeUndefined();
  });

  it("is found by its terminal, with whoever is suspended there", () => {
    const roster = newRoster();
    const [one, other, elsewhere] = [live("a1", "a"), live("a2", "b"), live("a3", "c", "%2")];
    for (const session of [one, other, elsewhere]) roster.add(session);
    expect(roster.at(one.identity)).toEqual([one, other]);
    roster.remove("a1");
    expect(roster.at(one.identity)).toEqual([other]);
    expect(roster.at({ server: "another", pane: "%1" })).toEqual([]);
  });

  it("is found as a look through everybody would find it, after every change", () => {
    const change = fc.record({
      id: fc.constantFrom("a1", "a2", "a3", "a4"),
      what: fc.constantFrom("comes", "goes", "is-renamed", "is-main", "is-not-main", "acts"),
      agent: fc.constantFrom("coder", "tester"),
      at: fc.nat(3),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const roster = newRoster();
        for (const { id, what, agent, at } of changes) {
          const session = roster.get(id);
          if (what === "comes") roster.add(live(id, agent, `%${at}`));
          else if (what === "goes") roster.remove(id);
          else if (session !== undefined) {
            const { record } = session;
            if (what === "is-renamed") session.record = { ...record, agent };
            else if (what === "acts") session.record = { ...record, lastActiveAt: at };
            else session.record = { ...record, main: what === "is-main" };
          }
          for (const name of ["coder", "tester"])
            expect(roster.takerOf(name)).toBe(takerAmongAll(roster, name));
          const there = roster.all().filter(({ identity }) => identity.pane === `%${at}`);
          expect(new Set(roster.at({ server: AN_IDENTITY.server, pane: `%${at}` }))).toEqual(new Set(there));
          expect(roster.count).toBe(roster.all().length);
        }
      }),
    );
  });
});
