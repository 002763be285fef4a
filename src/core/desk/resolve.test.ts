/** The decision table of the desk. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Candidate } from "./candidates.ts";
import { CHOICE_MS, type Resolved, resolve, type Situation } from "./resolve.ts";

const api: Candidate = { session: "0000000a", agent: "api", label: "work:0.0" };
const web: Candidate = { session: "0000000b", agent: "web-shop", label: "work:0.1" };
const agent: Candidate = { session: "0000000c", agent: "my-agent", label: "my-agent main:0.1" };
const now = 1_000_000_000;
const asked = { id: "q1", at: now, text: "go on", choices: [api, web], isAnswered: false };
const quiet: Situation = {
  now,
  live: [api, web, agent],
  asking: [],
  notified: [],
  freshMs: 900_000,
  classifies: false,
};

/** In few words. */
function outcome(resolved: Resolved): string {
  switch (resolved.kind) {
    case "to":
      return `${resolved.to.agent} by ${resolved.by}: ${resolved.body}${resolved.despite === undefined ? "" : ` (not ${resolved.despite})`}`;
    case "ask":
      return `ask ${resolved.choices.map((one) => one.agent).join(" ")}: ${resolved.body}`;
    case "refuse":
      return `refuse ${Object.values(resolved.because).join(" ")}`;
    case "classify":
      return "classify";
  }
}

describe("whom an answer is meant for", () => {
  it.each<[string, string, Partial<Situation>, string]>([
    ["an exact label in brackets", "[work:0.1] go on", {}, "web-shop by tag: go on"],
    ["an exact name in brackets", "[api] go on", {}, "api by tag: go on"],
    ["an exact name after @", "@api go on", {}, "api by tag: go on"],
    ["a name and a comma", "@web-shop, go on", {}, "web-shop by tag: go on"],
    ["a part of a label, whatever its case", "[MAIN:0] go on", {}, "my-agent by tag: go on"],
    ["a name with a space for its hyphen", "[web shop] go on", {}, "web-shop by tag: go on"],
    ["a tag on a line of its own", "[api]\nfirst\nsecond", {}, "api by tag: first\nsecond"],
    [
      "an exact name, though another contains it",
      "[api] go on",
      { live: [{ ...web, agent: "api-docs" }, api] },
      "api by tag: go on",
    ],
    [
      "an exact label, though another contains it",
      "[work:0.1] go on",
      { live: [{ ...api, label: "work:0.11" }, web] },
      "web-shop by tag: go on",
    ],
    [
      "a tag that is not at the beginning is text",
      "go on [api]",
      {},
      "ask api web-shop my-agent: go on [api]",
    ],
    ["a part that fits several", "[work] go on", {}, "ask api web-shop: go on"],
    ["a tag that nobody has", "[docs] go on", {}, "refuse unknown-tag docs"],
    ["a name that nobody has", "@docs go on", {}, "refuse unknown-tag docs"],
    ["a tag and no text", "[api]", {}, "refuse empty"],
    ["no text at all", " \n ", {}, "refuse empty"],
    [
      "a tag that nobody has, though it answers a message",
      "[docs] go on",
      { answers: api },
      "refuse unknown-tag docs",
    ],
    ["an answer to a message", "go on", { answers: api }, "api by reply: go on"],
    [
      "an answer to a session that was started again",
      "go on",
      { answers: { agent: "api", session: "0000dead" } },
      "api by reply: go on",
    ],
    ["an answer to one that has ended", "go on", { answers: { agent: "docs" } }, "refuse ended docs"],
    [
      "a tag in an answer to another",
      "[web shop] go on",
      { answers: api },
      "web-shop by tag: go on (not api)",
    ],
    ["the topic of an agent", "go on", { topic: "api" }, "api by topic: go on"],
    ["an answer inside another's topic", "go on", { topic: "api", answers: web }, "web-shop by reply: go on"],
    ["the topic of one that has ended", "go on", { topic: "docs" }, "refuse ended docs"],
    ["the only one that asks", "yes", { asking: [web.session] }, "web-shop by only-question: yes"],
    ["two that ask", "yes", { asking: [web.session, api.session] }, "ask api web-shop my-agent: yes"],
    ["one that asked and has ended", "yes", { asking: ["0000dead"] }, "ask api web-shop my-agent: yes"],
    [
      "the topic of an agent, before the only one that asks",
      "yes",
      { topic: "api", asking: [web.session] },
      "api by topic: yes",
    ],
    [
      "the only one that asks, before the classifier and everything after it",
      "yes",
      {
        asking: [web.session],
        classified: { label: "work:0.0" },
        notified: [{ session: api.session, at: now }],
        defaultAgent: "api",
      },
      "web-shop by only-question: yes",
    ],
    ["the only one that runs", "go on", { live: [web] }, "web-shop by only-agent: go on"],
    [
      "the only one, which the classifier is not asked about",
      "go on",
      { live: [web], classifies: true },
      "web-shop by only-agent: go on",
    ],
    ["nobody runs", "go on", { live: [] }, "refuse nobody"],
    ["nobody runs, not even the default", "go on", { live: [], defaultAgent: "api" }, "refuse nobody"],
    [
      "several, before the classifier has answered",
      "ask the shop to go on",
      { classifies: true },
      "classify",
    ],
    [
      "a label from the classifier",
      "Web shop: go on",
      { classified: { label: "work:0.1" } },
      "web-shop by classifier: go on",
    ],
    [
      "words before it that are not its name stay",
      "ask the shop: go on",
      { classified: { label: "work:0.1" } },
      "web-shop by classifier: ask the shop: go on",
    ],
    [
      "a label from the classifier, before the last notifier and the default",
      "go on",
      {
        classified: { label: "work:0.1" },
        notified: [{ session: api.session, at: now }],
        defaultAgent: "api",
      },
      "web-shop by classifier: go on",
    ],
    [
      "none from the classifier and no notifier, then the default",
      "go on",
      { classified: { none: "none" }, defaultAgent: "my-agent" },
      "my-agent by default: go on",
    ],
    [
      "a last notifier, before the default",
      "go on",
      { notified: [{ session: api.session, at: now }], defaultAgent: "my-agent" },
      "api by last-notifier: go on",
    ],
    [
      "a last notifier that has ended, then the default",
      "go on",
      { notified: [{ session: "0000dead", at: now }], defaultAgent: "my-agent" },
      "my-agent by default: go on",
    ],
    [
      "a label that nobody has from the classifier",
      "go on",
      { classified: { label: "x" } },
      "ask api web-shop my-agent: go on",
    ],
    [
      "none from the classifier, then the last notifier",
      "go on",
      { classified: { none: "time-out" }, notified: [{ session: api.session, at: now - 60_000 }] },
      "api by last-notifier: go on",
    ],
    [
      "a last notifier that is stale",
      "go on",
      { notified: [{ session: api.session, at: now - 900_001 }] },
      "ask api web-shop my-agent: go on",
    ],
    [
      "two fresh notifiers",
      "go on",
      {
        notified: [
          { session: api.session, at: now },
          { session: web.session, at: now },
        ],
      },
      "ask api web-shop my-agent: go on",
    ],
    [
      "a fresh notifier and one that has ended",
      "go on",
      {
        notified: [
          { session: api.session, at: now },
          { session: "0000dead", at: now },
        ],
      },
      "api by last-notifier: go on",
    ],
    [
      "the default, by a part of its label",
      "go on",
      { defaultAgent: "my agent" },
      "my-agent by default: go on",
    ],
    ["a default that fits several", "go on", { defaultAgent: "work" }, "ask api web-shop: go on"],
    ["a default that does not run", "go on", { defaultAgent: "docs" }, "ask api web-shop my-agent: go on"],
    [
      "a number within ten minutes",
      "2",
      { asked: { ...asked, at: now - CHOICE_MS } },
      "web-shop by choice: go on",
    ],
    [
      "a number after ten minutes is a text",
      "2",
      { asked: { ...asked, at: now - CHOICE_MS - 1 } },
      "ask api web-shop my-agent: 2",
    ],
    ["a number that answers another's message", "2", { asked, answers: api }, "api by reply: 2"],
    [
      "a number that answers the question, which is about somebody",
      "2",
      { asked: { ...asked, isAnswered: true }, answers: api },
      "web-shop by choice: go on",
    ],
    ["a number that was no choice", "3", { asked }, "refuse no-such-choice 2"],
    [
      "the choice of one that has ended",
      "1",
      { asked: { ...asked, choices: [{ ...api, session: "0000dead", agent: "docs" }] } },
      "refuse ended docs",
    ],
    [
      "another text than a number is no choice",
      "2 more tests",
      { asked, defaultAgent: "api" },
      "api by default: 2 more tests",
    ],
  ])("%s", (_, text, situation, expected) => {
    expect(outcome(resolve(text, { ...quiet, ...situation }))).toBe(expected);
  });

  it("says of every rule up to the one that chose why it could not tell", () => {
    const { considered } = resolve("go on", { ...quiet, defaultAgent: "api" });
    expect(considered.map(({ rule, why }) => `${rule}: ${why}`)).toEqual([
      "choice: it is not the number of a choice",
      "tag: it has no tag",
      "reply: it answers no message",
      "topic: it has no topic",
      "only-question: no agent asks anything",
      "only-agent: 3 agents run",
      "classifier: it is switched off",
      "last-notifier: nobody told the person anything lately",
      "default: work:0.0 is the default",
    ]);
  });
});

describe("any answer", () => {
  const candidates = fc.uniqueArray(
    fc.record({
      session: fc.constantFrom("0000000a", "0000000b", "ffffffff", "0000dead"),
      agent: fc.constantFrom("api", "web", "web-2"),
      label: fc.string(),
    }),
    { selector: ({ session }) => session, maxLength: 4 },
  );
  const situations = fc.record({
    live: candidates,
    asking: fc.array(fc.constantFrom("0000000a", "ffffffff")),
    classified: fc.option(fc.record({ label: fc.string() }), { nil: undefined }),
    topic: fc.option(fc.constantFrom("api", "gone"), { nil: undefined }),
  });

  it("goes to somebody who runs, with words of the person, or to nobody", () => {
    fc.assert(
      fc.property(fc.string(), situations, (text, { classified, topic, ...rest }) => {
        const situation: Situation = {
          ...quiet,
          ...rest,
          ...(classified === undefined ? {} : { classified }),
          ...(topic === undefined ? {} : { topic }),
        };
        const resolved = resolve(text, situation);
        if (resolved.kind === "to") {
          expect(situation.live).toContain(resolved.to);
          expect(resolved.body.trim()).not.toBe("");
          expect(text).toContain(resolved.body);
        }
        if (resolved.kind === "ask") expect(resolved.choices.length).toBeGreaterThan(0);
      }),
    );
  });
});
