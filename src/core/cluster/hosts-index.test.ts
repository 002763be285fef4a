import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isHeardElsewhere } from "../routing/across-hosts.ts";
import { type Pattern, parsePattern, subscriptionMatches } from "../routing/pattern.ts";
import { HostsIndex } from "./hosts-index.ts";
import { summaryOf } from "./summary.ts";

const parsed = (texts: readonly string[]): readonly Pattern[] =>
  texts.map((text) => ({ ...parsePattern(text) }));
const agents = (...names: readonly string[]) => names.map((name) => ({ name, sessions: [] as string[] }));

const segment = fc.constantFrom("a", "b", "c", "*", "**");
const pattern = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .filter((segments) => segments.filter((one) => one === "**").length <= 2)
  .map((segments) => segments.join("/"));
const host = fc.constantFrom("box", "laptop", "tower");

describe("what is known of other hosts", () => {
  it("names who has a name, whichever host said it when", () => {
    const index = new HostsIndex();
    index.put("tower", { agents: agents("coder"), patterns: [] });
    index.put("box", {
      agents: [
        { name: "coder", sessions: ["beef0001", "beef0002"] },
        { name: "beef", sessions: [] },
      ],
      patterns: [],
    });
    expect(index.named("coder")).toEqual([
      { address: "agent/coder", host: "box" },
      { address: "agent/coder", host: "tower" },
    ]);
    expect(index.named("beef")).toEqual([
      { address: "agent/beef", host: "box" },
      { address: "session/beef0001", host: "box" },
      { address: "session/beef0002", host: "box" },
    ]);
    expect(index.named("beef0002")).toEqual([{ address: "session/beef0002", host: "box" }]);
    // Too short to be the beginning of an id.
    expect(index.named("bee")).toEqual([]);
    index.put("box", { agents: agents("writer"), patterns: [] });
    expect(index.named("coder")).toEqual([{ address: "agent/coder", host: "tower" }]);
    expect(index.named("beef")).toEqual([]);
    index.remove("tower");
    expect(index.named("coder")).toEqual([]);
  });

  it("names every host on which somebody subscribes to a path, after whatever the hosts said before", () => {
    const saying = fc.record({
      host,
      all: fc.array(pattern, { maxLength: 5 }),
      most: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(saying, { maxLength: 8 }), pattern, (sayings, said) => {
        const path = { ...parsePattern(said) };
        fc.pre(isHeardElsewhere(path));
        const index = new HostsIndex();
        for (const { host: where, all, most } of sayings)
          index.put(where, { agents: [], patterns: parsed(summaryOf(parsed(all), most)) });
        const last = new Map(sayings.map((one) => [one.host, one.all]));
        const takers = [...last]
          .filter(([, all]) => all.some((one) => subscriptionMatches(one, said)))
          .map(([where]) => where);
        expect(index.takersOf(path)).toEqual(expect.arrayContaining(takers));
        expect(index.takersOf(path)).toEqual(index.takersOf(path).toSorted());
      }),
      { numRuns: 1_000 },
    );
  });

  it("names no host that hears other paths only, and none that was removed", () => {
    const index = new HostsIndex();
    index.put("box", { agents: [], patterns: parsed(["team/*", "team/*", "build/**"]) });
    index.put("laptop", { agents: [], patterns: parsed(["team/news"]) });
    expect(index.takersOf(parsePattern("team/news"))).toEqual(["box", "laptop"]);
    expect(index.takersOf(parsePattern("team/other"))).toEqual(["box"]);
    expect(index.takersOf(parsePattern("build"))).toEqual(["box"]);
    expect(index.takersOf(parsePattern("else"))).toEqual([]);
    index.remove("box");
    expect(index.takersOf(parsePattern("team/*"))).toEqual(["laptop"]);
    index.remove("laptop");
    expect(index.takersOf(parsePattern("team/news"))).toEqual([]);
  });
});
