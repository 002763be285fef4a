import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Elsewhere } from "./hosts.ts";
import {
  ambiguousElsewhere,
  hostedWord,
  hostUnknown,
  meantElsewhere,
  type NamesElsewhere,
  runsElsewhere,
  whereLooked,
} from "./names.ts";

type Known = Readonly<Record<string, readonly string[]>>;

/** Hosts that are admitted at `desk`, and the addresses that each has announced. */
function admitted(known: Known): NamesElsewhere {
  const all: readonly Elsewhere[] = Object.entries(known).flatMap(([host, addresses]) =>
    addresses.map((address) => ({ address, host })),
  );
  return {
    host: "desk",
    hosts: () => Object.keys(known),
    isAdmitted: (host) => Object.hasOwn(known, host),
    named: (name) =>
      all.filter(({ address }) => address === `agent/${name}` || address.startsWith(`session/${name}`)),
    agentsOf: (host) => (known[host] ?? []).flatMap((one) => /^agent\/(.+)$/u.exec(one)?.[1] ?? []),
    personOf: (host) => (known[host] ?? []).flatMap((one) => /^person\/(.+)$/u.exec(one)?.[1] ?? [])[0],
  };
}

// Some names are common, so that several hosts have them; one is also the beginning of an id.
const agent = fc.oneof(
  fc.constantFrom("coder", "ops", "beef"),
  fc.stringMatching(/^[a-z0-9][a-z0-9._-]{0,20}$/u),
);
const session = fc.oneof(fc.constantFrom("beef0001", "beef0002"), fc.stringMatching(/^[0-9a-f]{8}$/u));
const host = fc
  .stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,10}[a-z0-9])?$/u)
  .filter((name) => name !== "desk" && !Object.hasOwn(Object.prototype, name));
const address = fc.oneof(
  agent.map((name) => `agent/${name}`),
  session.map((id) => `session/${id}`),
);
const cluster = fc.dictionary(host, fc.uniqueArray(address, { maxLength: 6 }), { maxKeys: 5 });

describe("a word that names its host", () => {
  it("means the same agent in each of its three forms, whether or not the host was ever heard of", () => {
    fc.assert(
      fc.property(agent, host, fc.boolean(), (name, where, isKnown) => {
        const names = admitted({ [where]: isKnown ? [`agent/${name}`] : [] });
        const there = { kind: "there", address: `agent/${name}@${where}` };
        for (const word of [`agent/${name}@${where}`, `${name}@${where}`, `${where}:${name}`])
          expect(hostedWord(word, names)).toEqual(there);
      }),
    );
  });

  it("is looked up here if the host is this one", () => {
    const names = admitted({ laptop: ["agent/coder"] });
    expect(hostedWord("agent/coder@desk", names)).toEqual({ kind: "here", word: "agent/coder" });
    expect(hostedWord("desk:coder", names)).toEqual({ kind: "here", word: "coder" });
    expect(hostedWord("08bc@desk", names)).toEqual({ kind: "here", word: "08bc" });
    expect(hostedWord("person/ada@desk", names)).toEqual({ kind: "here", word: "person/ada" });
  });

  it("never means anybody on a host that is not admitted", () => {
    fc.assert(
      fc.property(agent, host, cluster, (name, where, known) => {
        fc.pre(!Object.hasOwn(known, where));
        const names = admitted(known);
        for (const word of [`agent/${name}@${where}`, `${where}:${name}`, `person/${name}@${where}`])
          expect(hostedWord(word, names)).toEqual({ kind: "stranger", host: where });
      }),
    );
  });

  it("may be a session's id or its beginning, if the host has one such session", () => {
    const names = admitted({
      laptop: ["session/08bc57cf", "session/08ff0000", "agent/beef", "session/beef0001"],
    });
    expect(hostedWord("session/08bc@laptop", names)).toEqual({
      kind: "there",
      address: "session/08bc57cf@laptop",
    });
    expect(hostedWord("laptop:08bc", names)).toEqual({ kind: "there", address: "session/08bc57cf@laptop" });
    expect(hostedWord("session/08@laptop", names)).toEqual({ kind: "there", address: "session/08@laptop" });
    expect(hostedWord("laptop:beef", names)).toEqual({ kind: "there", address: "agent/beef@laptop" });
    expect(hostedWord("session/beef@laptop", names)).toEqual({
      kind: "there",
      address: "session/beef0001@laptop",
    });
  });

  it("may be the person of that host, if no agent there has the name", () => {
    const names = admitted({ laptop: ["person/root", "agent/dev"], box: ["person/dev", "agent/dev"] });
    for (const word of ["laptop:root", "root@laptop", "laptop:Root"])
      expect(hostedWord(word, names)).toEqual({ kind: "there", address: "person/root@laptop" });
    expect(hostedWord("box:dev", names)).toEqual({ kind: "there", address: "agent/dev@box" });
    expect(hostedWord("agent/root@laptop", names)).toEqual({ kind: "there", address: "agent/root@laptop" });
    const spaced = admitted({ laptop: ["person/Ada L"] });
    expect(hostedWord("laptop:Ada L", spaced)).toEqual({ kind: "there", address: "person/Ada L@laptop" });
  });

  it("is folded as a name is at home", () => {
    const names = admitted({ ws: ["agent/code-reviewer", "agent/coder"] });
    for (const word of ["WS:coder", "ws:Coder", "Coder@WS"])
      expect(hostedWord(word, names)).toEqual({ kind: "there", address: "agent/coder@ws" });
    for (const word of ["ws:Code_Reviewer", "ws:code reviewer"])
      expect(hostedWord(word, names)).toEqual({ kind: "there", address: "agent/code-reviewer@ws" });
    expect(hostedWord("WS:Nobody", names)).toEqual({ kind: "there", address: "agent/nobody@ws" });
    expect(hostedWord("DESK:Coder", names)).toEqual({ kind: "here", word: "Coder" });
    expect(meantElsewhere("Code Reviewer", names)).toEqual({
      kind: "address",
      address: "agent/code-reviewer@ws",
    });
    expect(meantElsewhere("agent/code_reviewer", names)).toEqual({ kind: "unknown" });
  });

  it("may stand before an address: ws:agent/coder", () => {
    const names = admitted({ ws: ["agent/coder", "session/08bc57cf"] });
    expect(hostedWord("ws:agent/coder", names)).toEqual({ kind: "there", address: "agent/coder@ws" });
    expect(hostedWord("WS:session/08bc", names)).toEqual({ kind: "there", address: "session/08bc57cf@ws" });
    expect(hostedWord("ws:person/ada", names)).toEqual({ kind: "there", address: "person/ada@ws" });
    expect(hostedWord("desk:agent/coder", names)).toEqual({ kind: "here", word: "agent/coder" });
    expect(hostedWord("moon:agent/coder", names)).toEqual({ kind: "stranger", host: "moon" });
    expect(hostedWord("ws:team/news", names)).toEqual({ kind: "no-host" });
  });

  it.each([
    "coder",
    "agent/coder",
    "agent/coder@LAPTOP",
    "agent/*@laptop",
    "agent/a/b@laptop",
    "email/bot@example.com/you@example.com",
    "imessage/ada@laptop",
    "laptop:",
    "laptop:a/b",
    ":coder",
    "@laptop",
    "a b@laptop",
    "team/news@laptop",
    "a@b@laptop",
  ])("%s names none", (text) => {
    expect(hostedWord(text, admitted({ laptop: ["agent/coder"] }))).toEqual({ kind: "no-host" });
  });

  it("is refused without a cluster; only the name of a person may look like that", () => {
    expect(hostedWord("laptop:coder", undefined)).toEqual({ kind: "stranger", host: "laptop" });
    expect(hostedWord("agent/coder@laptop", undefined)).toEqual({ kind: "stranger", host: "laptop" });
    expect(hostedWord("person/ada@lab", undefined)).toEqual({ kind: "no-host" });
  });
});

describe("a word that nobody here has", () => {
  it("means whoever alone has it elsewhere, else each candidate means one of those who have it", () => {
    fc.assert(
      fc.property(cluster, fc.oneof(agent, session, address), (known, word) => {
        const names = admitted(known);
        const all = Object.entries(known).flatMap(([where, addresses]) =>
          addresses.map((one) => `${one}@${where}`),
        );
        const wanted = all.filter((one) => {
          const [own = ""] = one.split("@");
          return word.includes("/")
            ? own === word || (word.startsWith("session/") && own.startsWith(word))
            : own === `agent/${word}` || own.startsWith(`session/${word}`);
        });
        const meant = meantElsewhere(word, names);
        if (wanted.length === 0) expect(meant).toEqual({ kind: "unknown" });
        else if (wanted.length === 1) expect(meant).toEqual({ kind: "address", address: wanted[0] });
        else {
          expect(meant.kind).toBe("ambiguous");
          const each = meant.kind === "ambiguous" ? meant.candidates : [];
          expect(each.map((one) => hostedWord(one, names))).toEqual(
            wanted.map((one) => ({ kind: "there", address: one })),
          );
        }
      }),
    );
  });

  it("gives candidates as host:agent", () => {
    const names = admitted({ box: ["agent/coder"], laptop: ["agent/coder"] });
    expect(meantElsewhere("coder", names)).toEqual({
      kind: "ambiguous",
      candidates: ["box:coder", "laptop:coder"],
    });
    expect(meantElsewhere("Coder", admitted({ box: ["agent/coder"] }))).toEqual({
      kind: "address",
      address: "agent/coder@box",
    });
  });

  it("is a person or a path only here", () => {
    const names = admitted({ box: ["agent/coder"] });
    for (const path of ["person/coder", "agent/*", "agent/a/coder", "team/coder"])
      expect(meantElsewhere(path, names)).toEqual({ kind: "unknown" });
  });
});

describe("what is said", () => {
  const names = admitted({ box: [], laptop: [] });

  it("of a host that is not admitted: what to type, and which host was perhaps meant", () => {
    const error = hostUnknown("labtop", names);
    expect(error).toMatchObject({ code: "host.unknown", message: 'The host "labtop" is not admitted here.' });
    expect(error.next).toContain('Did you mean "laptop"?');
    expect(error.next).toContain("bellhop cluster admit labtop KEY");
    expect(hostUnknown("box", undefined).next).toContain("bellhop cluster join");
  });

  it("of somebody who is elsewhere", () => {
    expect(runsElsewhere({ address: "agent/coder", host: "box" })).toMatchObject({
      code: "recipient.elsewhere",
      message: "agent/coder is on box; from here it can only be written to.",
      next: 'Do this on box, or write to it with "bellhop send box:coder …". What went there from here: "bellhop queue host/box" and "bellhop history host/box".',
    });
  });

  it("of several: all of them", () => {
    const error = ambiguousElsewhere("coder", ["box:coder", "laptop:coder"]);
    expect(error).toMatchObject({ code: "recipient.ambiguous", candidates: ["box:coder", "laptop:coder"] });
    expect(error.next).toContain('"bellhop ls --all-hosts --all"');
  });

  it("of where it was looked for, with no more than a few hosts", () => {
    expect(whereLooked(undefined)).toBe("");
    expect(whereLooked(admitted({}))).toBe(" on desk, and no other host is admitted");
    expect(whereLooked(names)).toBe(" on desk, box, laptop");
    const many = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`h${index}`, []]));
    expect(whereLooked(admitted(many))).toBe(" on desk, h0, h1, h2, h3, h4 or 4 more hosts");
  });
});
