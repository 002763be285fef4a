import { describe, expect, it } from "vitest";
import { admit, aHost, announcement, sealer } from "../../../tests/desk/known-hosts.ts";
import { parsePattern } from "../../core/routing/pattern.ts";
import { STRANGERS } from "./heard-hosts.ts";

const coder = { name: "coder", program: "claude", state: "idle", sessions: ["08bc57cf"] };

describe("what other hosts said", () => {
  it("says who is where, and where somebody hears a path", async () => {
    const hosts = (await aHost("desk", admit("box", "laptop"))).open();
    hosts.announced("box", announcement("box", { agents: [coder], patterns: ["team/**"] }));
    expect(hosts.named("coder")).toEqual([{ address: "agent/coder", host: "box" }]);
    expect(hosts.named("08bc")).toEqual([{ address: "session/08bc57cf", host: "box" }]);
    expect(hosts.takersOf(parsePattern("team/news"))).toEqual(["box"]);
    expect(hosts.takersOf(parsePattern("other/news"))).toEqual([]);
    expect(hosts.hosts()).toEqual(["box", "laptop"]);
    expect(hosts.isAdmitted("laptop")).toBe(true);
    expect(hosts.list().slice(1)).toMatchObject([
      {
        host: "box",
        state: "up",
        version: "1.0.0",
        agents: [{ name: "coder", program: "claude", state: "idle" }],
      },
      { host: "laptop", state: "silent", agents: [], rights: ["send", "hear"] },
    ]);
  });

  it("is asked only of those that may hear what is published here", async () => {
    const host = await aHost("desk", admit("box"));
    const hosts = host.open();
    hosts.announced("box", announcement("box", { agents: [coder], patterns: ["**"] }));
    expect(hosts.takersOf(parsePattern("team/news"))).toEqual(["box"]);
    host.admitted = admit("box").map((one) => ({ ...one, rights: ["send"] }));
    expect(hosts.takersOf(parsePattern("team/news"))).toEqual([]);
    expect(hosts.named("coder")).toHaveLength(1);
  });

  it("names its person, unless that is no person's name", async () => {
    const host = await aHost("desk", admit("box"));
    const hosts = host.open();
    const personAfter = (number: number, person: string) => {
      hosts.announced("box", announcement("box", { number, person }));
      return hosts.personOf("box");
    };
    expect(personAfter(1, "ada")).toBe("ada");
    for (const [index, person] of ["", "a/b", "ada@desk", "a\u001b[31mda", "a\nb"].entries())
      expect(personAfter(index + 2, person)).toBeUndefined();
    expect(personAfter(9, "ada")).toBe("ada");
    host.admitted = [];
    expect(hosts.personOf("box")).toBeUndefined();
  });

  it("is replaced by what they say later, and never by what is older", async () => {
    const hosts = (await aHost("desk", admit("box"))).open();
    hosts.announced("box", announcement("box", { number: 5, agents: [coder], patterns: ["a"] }));
    hosts.announced("box", announcement("box", { number: 4, agents: [], patterns: ["b"] }));
    expect(hosts.named("coder")).toHaveLength(1);
    hosts.announced("box", announcement("box", { number: 6, agents: [], patterns: ["b"] }));
    expect(hosts.named("coder")).toEqual([]);
    expect(hosts.takersOf(parsePattern("a"))).toEqual([]);
    expect(hosts.takersOf(parsePattern("b"))).toEqual(["box"]);
  });

  it("holds while they are away, and after a restart", async () => {
    const host = await aHost("desk", admit("box"));
    const before = host.open();
    before.announced("box", announcement("box", { agents: [coder], patterns: ["a"] }));
    before.announced("box", undefined);
    expect(before.list()[1]).toMatchObject({ host: "box", state: "silent", agents: [{ name: "coder" }] });
    await host.clock.advance(0);
    await before.stop();
    const hosts = host.open();
    expect(hosts.list()[1]).toMatchObject({ host: "box", state: "silent", agents: [{ name: "coder" }] });
    expect(hosts.named("coder")).toHaveLength(1);
    expect(hosts.takersOf(parsePattern("a"))).toEqual(["box"]);
    hosts.announced("box", announcement("box", { number: 0 }));
    expect(hosts.named("coder")).toHaveLength(1);
    hosts.announced("box", announcement("box", { agents: [coder], patterns: ["a"] }));
    expect(hosts.list()[1]).toMatchObject({ state: "up" });
  });

  it("is verified once, however often it is said, and again with another key", async () => {
    const host = await aHost("desk", admit("box"));
    const hosts = host.open();
    const said = announcement("box", { agents: [coder] });
    for (let times = 0; times < 3; times += 1) hosts.announced("box", said.slice());
    expect([host.verified, hosts.list()[1]?.state]).toEqual([1, "up"]);
    hosts.announced("box", undefined);
    expect(hosts.list()[1]?.state).toBe("silent");
    hosts.announced("box", said.slice());
    expect([host.verified, hosts.list()[1]?.state]).toEqual([1, "up"]);
    host.admitted = [{ host: "box", key: "another key", rights: ["send"] }];
    hosts.announced("box", said.slice());
    expect([host.verified, host.warned]).toEqual([2, ["cluster.announcement_forged"]]);
  });

  it("is not believed if somebody else signed it, or if it is another host's", async () => {
    const host = await aHost("desk", admit("box", "laptop"));
    const hosts = host.open();
    const forged = sealer("another key").sign(Buffer.from(JSON.stringify({ host: "box" })));
    for (let times = 0; times < 3; times += 1) hosts.announced("box", forged);
    const ofLaptop = { host: "laptop", number: 1, version: "1", agents: [coder], patterns: ["**"] };
    hosts.announced("box", sealer("key of box").sign(Buffer.from(JSON.stringify(ofLaptop))));
    hosts.announced("box", sealer("key of box").sign(Buffer.from("not JSON")));
    expect(hosts.named("coder")).toEqual([]);
    expect(hosts.takersOf(parsePattern("a"))).toEqual([]);
    expect(host.warned).toEqual(["cluster.announcement_forged", "cluster.announcement_unreadable"]);
  });

  it("shows nothing that could be mistaken for something else", async () => {
    const hosts = (await aHost("desk", admit("box"))).open();
    const strange = { name: "\u001b[2J", state: "idle", sessions: [] };
    const odd = { name: "odd", program: "a\u001b[31mb", state: "id\nle", sessions: ["../etc", "beef0001"] };
    hosts.announced(
      "box",
      announcement("box", { version: "1\u0007", agents: [strange, odd], patterns: ["a//b", "ok"] }),
    );
    expect(JSON.stringify(hosts.list())).not.toMatch(/\\u001b|\\n|\\u0007/u);
    expect(hosts.list()[1]?.agents.map(({ name }) => name)).toEqual(["odd"]);
    expect(hosts.named("beef")).toEqual([{ address: "session/beef0001", host: "box" }]);
    expect(hosts.takersOf(parsePattern("ok"))).toEqual(["box"]);
  });

  it("is listed and not used while they are not admitted, and used from then on", async () => {
    const host = await aHost("desk");
    const hosts = host.open();
    hosts.announced("box", announcement("box", { agents: [coder], patterns: ["a"] }));
    hosts.announced("Bad Name", announcement("box"));
    expect(hosts.list().slice(1)).toEqual([{ host: "box", state: "not-admitted", agents: [] }]);
    expect([hosts.isAdmitted("box"), hosts.named("coder"), hosts.takersOf(parsePattern("a"))]).toEqual([
      false,
      [],
      [],
    ]);
    await host.clock.advance(0);
    expect(host.store.read.knownHosts().map((known) => known.host)).toEqual(["desk"]);
    host.admitted = admit("box");
    expect(hosts.named("coder")).toHaveLength(1);
    expect(hosts.list()[1]).toMatchObject({ host: "box", state: "up" });
    host.admitted = [];
    expect(hosts.named("coder")).toEqual([]);
    expect(hosts.takersOf(parsePattern("a"))).toEqual([]);
    expect(hosts.list().slice(1)).toEqual([{ host: "box", state: "not-admitted", agents: [] }]);
    hosts.announced("box", undefined);
    expect(hosts.list()).toHaveLength(1);
  });

  it("is kept of a hundred strangers, without what is large", async () => {
    const host = await aHost("desk");
    const hosts = host.open();
    for (let index = 0; index <= STRANGERS.most; index += 1)
      hosts.announced(`h${index}`, announcement(`h${index}`));
    expect(hosts.list()).toHaveLength(STRANGERS.most + 1);
    hosts.announced("large", announcement("large", { version: "v".repeat(STRANGERS.bytes) }));
    host.admitted = admit("large");
    expect(hosts.list()[1]).toMatchObject({ host: "large", state: "silent" });
  });

  it("begins anew with a new key, whatever its number", async () => {
    const host = await aHost("desk", admit("box"));
    const hosts = host.open();
    hosts.announced("box", announcement("box", { number: 9, agents: [coder] }));
    host.admitted = [{ host: "box", key: "new key", rights: [] }];
    const said = { host: "box", number: 1, version: "1", agents: [], patterns: [] };
    hosts.announced("box", sealer("new key").sign(Buffer.from(JSON.stringify(said))));
    expect(hosts.named("coder")).toEqual([]);
  });

  it("warns once if another machine has this host's name", async () => {
    const host = await aHost("desk", admit("desk"));
    const hosts = host.open();
    await host.clock.advance(0);
    expect(hosts.checkOwn(host.said[0] ?? Buffer.of())).toBe(true);
    expect(host.warned).toEqual([]);
    const other = sealer("another key").sign(Buffer.from("{}"));
    expect(hosts.checkOwn(other)).toBe(false);
    expect(hosts.checkOwn(other)).toBe(false);
    expect(host.warned).toEqual(["cluster.name_taken"]);
    expect(hosts.hosts()).toEqual([]);
  });
});
