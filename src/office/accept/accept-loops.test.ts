import { describe, expect, it } from "vitest";
import { deskWith, OWNER, receive, route, taken, tokenOf } from "../../../tests/desk/broker-verbs.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { loopReason, STANDARD_LOOP_LIMITS } from "../../core/routing/loop-breaker.ts";
import type { RouteResponse } from "../../wire/shapes/broker.ts";

/** Few enough to be reached before the limit per minute. */
const FEW = { ...STANDARD_LOOP_LIMITS, hops: 8 };

function withFew(desk: Desk): Desk {
  desk.settings = { ...desk.settings, loops: FEW };
  return desk;
}

/** Two agents that answer everything in turn, until one is stopped or `most` is reached. */
async function pingPong(
  desk: Desk,
  most: number,
  say: (turn: number) => string = (turn) => `turn ${turn}`,
): Promise<readonly RouteResponse[]> {
  const sent: RouteResponse[] = [];
  for (let turn = 0; turn < most; turn += 1) {
    const [from, to] = turn % 2 === 0 ? (["ping", "pong"] as const) : (["pong", "ping"] as const);
    const one = await route(desk, `agent/${to}`, { claims: tokenOf(from), body: say(turn) });
    sent.push(one);
    if (one.unmatched) return sent;
    await receive(desk, to);
    await desk.advance(1_000);
  }
  return sent;
}

function reports(desk: Desk): readonly string[] {
  return desk.store.read
    .deliveries({ mailboxes: ["person/dev"] })
    .filter(({ message }) => message.command === "loop-notice")
    .map(({ message }) => message.body);
}

describe("agents that answer one another", () => {
  it("are stopped at the limit of hops, by answers that nobody marked as such", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    const sent = await pingPong(desk, 100);
    // The first message has no hops; `FEW.hops` answers may follow it.
    expect(sent).toHaveLength(FEW.hops + 2);
    expect(sent.at(-1)).toMatchObject({ delivered: false, unmatched: true, reason: loopReason("hops", FEW) });
    const hops = sent.map(({ messageId }) => desk.store.read.message(messageId)?.hops);
    expect(hops).toEqual(sent.map((_, turn) => turn));
  });

  it("leave the one that was stopped as a dead letter, and the owner is told once", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    const stopped = (await pingPong(desk, 100)).at(-1);
    expect((await desk.use.unmatched({})).messages).toMatchObject([
      { id: stopped?.messageId, reason: loopReason("hops", FEW) },
    ]);
    expect(reports(desk)).toEqual([expect.stringContaining(`bellhop unmatched reroute ${stopped?.shortId}`)]);
    expect(desk.warnings).toEqual(["loop.stopped"]);
  });

  it("are reported once a minute, however often they are stopped", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    for (let round = 0; round < 3; round += 1) await pingPong(desk, 100);
    expect(reports(desk).length).toBeLessThanOrEqual(2);
  });

  it("are stopped sooner when they say the same", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    const sent = await pingPong(desk, 100, () => "thank you");
    expect(sent.at(-1)?.reason).toBe(loopReason("body", FEW));
    expect(sent.length).toBeLessThan(STANDARD_LOOP_LIMITS.hops);
  });

  it("are not stopped in an exchange of twenty turns", async () => {
    const desk = await deskWith("ping", "pong");
    const sent = await pingPong(desk, 20);
    expect(sent).toHaveLength(20);
    expect(sent.every(({ delivered }) => delivered)).toBe(true);
    expect(reports(desk)).toEqual([]);
  });

  it("are not stopped by twenty questions that have twenty answers", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    for (let question = 0; question < 20; question += 1) {
      const asked = await route(desk, "agent/pong", { from: "person/dev", body: `question ${question}` });
      await receive(desk, "pong");
      const answered = await desk.done(
        desk.use.reply({ id: asked.messageId, body: `answer ${question}`, claims: tokenOf("pong") }),
      );
      expect(answered.unmatched).toBe(false);
    }
    expect(reports(desk)).toEqual([]);
  });

  it("may go on when the owner lets the message through", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    const stopped = (await pingPong(desk, 100)).at(-1);
    expect(await desk.use.unmatched_reroute({})).toEqual({ rerouted: 0, left: 1 });
    expect(await desk.use.unmatched_reroute({ id: stopped?.shortId ?? "" })).toEqual({
      rerouted: 1,
      left: 0,
    });
    expect(await taken(desk, "ping")).toEqual([`turn ${FEW.hops + 1}`]);
  });

  it("are stopped at their terminals as well", async () => {
    const desk = withFew(await openDesk());
    const [ping, pong] = [desk.agent("ping"), desk.agent("pong")];
    await desk.ready();
    let stopped: string | undefined;
    for (let turn = 0; turn < 40 && stopped === undefined; turn += 1) {
      const [from, to] = turn % 2 === 0 ? ([ping, "pong"] as const) : ([pong, "ping"] as const);
      const sent = await desk.sendAs(from, to, `turn ${turn}`);
      stopped = sent.reason;
      await desk.advance(10_000);
    }
    expect(stopped).toBe(loopReason("hops", FEW));
    expect(ping.program.submitted.length + pong.program.submitted.length).toBe(FEW.hops + 1);
  });

  it("that a full disk stopped are not reported", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    await pingPong(desk, FEW.hops + 1);
    desk.disk.state = "full";
    const next = route(desk, "agent/ping", { claims: tokenOf("pong"), body: "one more" });
    await expect(next).rejects.toMatchObject({ code: "store.disk_full" });
    desk.disk.state = "works";
    await desk.advance(1_000);
    expect(reports(desk)).toEqual([]);
  });
});

describe("what is never stopped", () => {
  it.each([
    ["a person", {}],
    ["a script", { from: "nightly" }],
    ["a bridge", { from: "slack-bridge", channel: "slack" }],
  ])("%s that says the same a hundred times", async (_, who) => {
    const desk = await deskWith("coder");
    const sending = Array.from({ length: 100 }, () =>
      desk.use.route({ path: "agent/coder", body: "again", claims: OWNER, ...who }),
    );
    const sent = await desk.done(Promise.all(sending));
    expect(sent.every(({ delivered }) => delivered)).toBe(true);
  });

  it("a person in a long talk with an agent", async () => {
    const desk = await deskWith("coder");
    for (let turn = 0; turn < 30; turn += 1) {
      const said = await route(desk, "agent/coder", { body: "go on" });
      await receive(desk, "coder");
      const answer = await route(desk, "person/dev", { claims: tokenOf("coder"), body: `done ${turn}` });
      expect([said.delivered, answer.delivered]).toEqual([true, true]);
      await desk.use.read({ id: answer.messageId, claims: { user: "dev" } });
    }
    expect(reports(desk)).toEqual([]);
  });

  it("an agent that sends without being asked", async () => {
    const desk = withFew(await deskWith("ping", "pong"));
    for (let turn = 0; turn < 40; turn += 1) {
      const sent = await route(desk, "agent/pong", { claims: tokenOf("ping"), body: "news" });
      expect(sent.delivered).toBe(true);
    }
  });
});

describe("agents that answer one another over a path", () => {
  it.each(["by a path that each subscribes to", "by broadcasts"])("are stopped as well, %s", async (way) => {
    const desk = withFew(await deskWith("ping", "pong", "bystander"));
    for (const name of ["ping", "pong"])
      await desk.done(desk.use.sub_add({ agent: name, pattern: `news/${name}`, claims: OWNER }));
    let turns = 0;
    for (; turns < 40; turns += 1) {
      const [from, to] = turns % 2 === 0 ? (["ping", "pong"] as const) : (["pong", "ping"] as const);
      const path = way === "by broadcasts" ? "agent/**" : `news/${to}`;
      const sent = await route(desk, path, { claims: tokenOf(from), body: `turn ${turns}` });
      if (sent.unmatched) break;
      await receive(desk, to);
      await desk.advance(1_000);
    }
    expect(turns).toBeLessThan(FEW.hops + 3);
  });
});
