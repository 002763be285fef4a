import { describe, expect, it } from "vitest";
import type { Traffic } from "../../../src/wire/shapes/broker.ts";
import { agentOf, DEAD_LETTERS, kindOf, nameOf, partyOf } from "./parties.ts";
import { MOST_PAIRS, Talks } from "./talks.ts";

const counted = (until: number, more: Partial<Traffic> = {}): Traffic => ({
  until,
  talks: [{ from: "agent/a", to: "agent/b", messages: 5 }],
  others: { pairs: 0, messages: 0 },
  unmatched: [],
  ...more,
});
const heard = (at: number, from = "agent/a", ...owners: readonly string[]) => ({
  from,
  owners: owners.length === 0 ? ["agent/b"] : owners,
  at,
});

describe("who wrote to whom", () => {
  it("adds what is heard after the daemon's count, and nothing that is in it", () => {
    const talks = new Talks();
    talks.asked();
    talks.heard(heard(99));
    talks.heard(heard(100));
    talks.answered(counted(100));
    talks.heard(heard(99));
    talks.heard(heard(101));
    expect(talks.all()).toEqual([{ from: "agent/a", to: "agent/b", messages: 7 }]);
  });

  it("begins anew with each count, and keeps what came while it was made", () => {
    const talks = new Talks();
    talks.asked();
    talks.answered(counted(100));
    talks.heard(heard(150));
    talks.asked();
    talks.heard(heard(200));
    expect(talks.all()).toMatchObject([{ messages: 7 }]);
    talks.answered(counted(200, { talks: [{ from: "agent/a", to: "agent/b", messages: 6 }] }));
    expect(talks.all()).toMatchObject([{ messages: 7 }]);
  });

  it("tells five thousand pairs apart, and only counts the messages of others", () => {
    const talks = new Talks();
    talks.asked();
    talks.answered(counted(0, { talks: [], others: { pairs: 1, messages: 2 } }));
    for (let number = 0; number < MOST_PAIRS + 3; number += 1) talks.heard(heard(1, `agent/a${number}`));
    talks.heard(heard(1, "agent/a0"));
    expect(talks.all()).toHaveLength(MOST_PAIRS);
    expect(talks.all()[0]).toMatchObject({ messages: 2 });
    expect(talks.others).toEqual({ pairs: 1, messages: 5 });
  });

  it("counts nothing before the first count", () => {
    const talks = new Talks();
    talks.heard(heard(1));
    expect(talks.all()).toEqual([]);
  });

  it("counts each owner, places outside as their bridge, and dead letters as one", () => {
    const talks = new Talks();
    talks.asked();
    const unmatched = [{ from: "agent/a", messages: 2 }];
    talks.answered(counted(100, { talks: [], unmatched, since: 40, others: { pairs: 3, messages: 4 } }));
    talks.heard(heard(100, "slack/team/@ada", "agent/b", "agent/c"));
    talks.heard(heard(100, "slack/other/@eve", "bridge/telegram", "agent/b"));
    expect(talks.all()).toEqual([
      { from: "agent/a", to: DEAD_LETTERS, messages: 2 },
      { from: "slack", to: "agent/b", messages: 2 },
      { from: "slack", to: "agent/c", messages: 1 },
      { from: "slack", to: "telegram", messages: 1 },
    ]);
    expect(talks.since).toBe(40);
    expect(talks.others).toEqual({ pairs: 3, messages: 4 });
  });
});

it.each([
  ["agent/api", "agent/api", "agent", "api", "api"],
  ["person/dev", "person/dev", "person", "dev", undefined],
  ["slack/team/#general", "slack", "outside", "slack", undefined],
  ["bridge/email", "email", "outside", "email", undefined],
  ["desk/answers", "desk", "outside", "desk", undefined],
  ["agent/api@laptop", "host/laptop", "outside", "laptop", undefined],
  ["host/laptop", "host/laptop", "outside", "laptop", undefined],
  ["program/cron", "program/cron", "other", "cron", undefined],
  ["bellhop/notices", "bellhop", "other", "bellhop", undefined],
])("%s is drawn as %s", (address, party, kind, name, agent) => {
  expect(partyOf(address)).toBe(party);
  expect(kindOf(party)).toBe(kind);
  expect(nameOf(party)).toBe(name);
  expect(agentOf(party)).toBe(agent);
});
