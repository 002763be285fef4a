import { describe, expect, it } from "vitest";
import { readBoard } from "../../../tests/desk/board.ts";
import {
  deskWith,
  listen,
  OWNER,
  route,
  subscribe,
  tokenOf,
  unsubscribe,
} from "../../../tests/desk/broker-verbs.ts";
import type { Desk } from "../../../tests/desk/desk.ts";

const every = (desk: Desk, request = {}) => desk.use.sub_all(request);

describe("every subscription", () => {
  it("is listed with its owner, of agents and of sessions", async () => {
    const desk = await deskWith("api", "web");
    await subscribe(desk, "web", "slack/**");
    await subscribe(desk, "api:night", "mail/a b/*");
    const { subscriptions, next, listeners } = await every(desk);
    expect(subscriptions).toEqual(
      expect.arrayContaining([
        { agent: "web", pattern: "slack/**", addedAt: expect.any(Number), origin: "asked" },
        {
          agent: "api",
          session: "night",
          pattern: "mail/a b/*",
          addedAt: expect.any(Number),
          origin: "asked",
        },
      ]),
    );
    expect(subscriptions).toHaveLength(2);
    expect(next).toBeUndefined();
    expect(listeners).toEqual([]);
  });

  it("comes in pages that leave nothing out and repeat nothing", async () => {
    const desk = await deskWith("api", "web");
    const patterns = Array.from({ length: 7 }, (_, number) => `x y/${number}`);
    for (const pattern of patterns)
      for (const who of ["api", "web:night"]) await subscribe(desk, who, pattern);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await every(desk, { limit: 3, ...(after === undefined ? {} : { after }) });
      expect(page.subscriptions.length).toBeLessThanOrEqual(3);
      expect(page.listeners === undefined).toBe(after !== undefined);
      found.push(...page.subscriptions.map(({ agent, pattern }) => `${agent} ${pattern}`));
      after = page.next;
    } while (after !== undefined);
    expect(found.toSorted()).toEqual(
      ["api", "web"].flatMap((agent) => patterns.map((pattern) => `${agent} ${pattern}`)),
    );
  });

  it("comes with the mailboxes that somebody listens to, until they leave", async () => {
    const desk = await deskWith("api", "web");
    await subscribe(desk, "web:night", "x/*");
    const ears = [await listen(desk, "api"), await listen(desk, "web:night", { consume: true })];
    expect((await every(desk)).listeners).toEqual([
      { mailbox: "agent/api", owner: "agent/api", hearing: 1, consuming: 0 },
      { mailbox: expect.stringMatching(/^session\//u), owner: "agent/web", hearing: 0, consuming: 1 },
    ]);
    for (const ear of ears) ear.close();
    expect((await every(desk)).listeners).toEqual([]);
  });

  it("is not for an agent, nor who would get a message, nor who wrote to whom", async () => {
    const desk = await deskWith("api");
    const claims = tokenOf("api");
    const { useCases } = desk.office;
    for (const ask of [
      () => useCases.sub_all({}, claims),
      () => useCases.route_try({ path: "agent/api", claims }, claims),
      () => useCases.traffic({}, claims),
    ])
      await expect(ask()).rejects.toMatchObject({ code: "rights.missing" });
  });

  it("tells readers of the board when to ask again", async () => {
    const desk = await deskWith("api");
    const board = await readBoard(desk, ["broker"]);
    const changes = async () => {
      await desk.advance(100);
      return board.board().broker?.changes;
    };
    const seen = [await changes()];
    await subscribe(desk, "api", "x/*");
    seen.push(await changes());
    await unsubscribe(desk, "api", "x/*");
    seen.push(await changes());
    const ear = await listen(desk, "api");
    seen.push(await changes());
    ear.close();
    seen.push(await changes());
    await route(desk, "agent/api");
    expect(await changes()).toBe(seen.at(-1));
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).not.toContain(undefined);
  });
});

describe("who would get a message", () => {
  const attempt = (desk: Desk, path: string, from?: string) =>
    desk.use.route_try({ path, claims: OWNER, ...(from === undefined ? {} : { from }) });

  it("is exactly who gets it, with a reason for each", async () => {
    const desk = await deskWith("api", "web", "docs");
    await subscribe(desk, "web", "slack/**");
    await subscribe(desk, "docs:night", "slack/team/*");
    for (const path of ["slack/team/#general", "agent/api", "agent/**", "person/dev"]) {
      for (const from of [undefined, "api"]) {
        const tried = await attempt(desk, path, from);
        const sent = await route(desk, path, from === undefined ? {} : { from });
        const got = desk.store.read.deliveriesOf(sent.messageId).map(({ to }) => to);
        expect(tried.recipients.map(({ to }) => to)).toEqual(got);
        for (const { why } of tried.recipients) expect(why.join()).not.toMatch(/a moment ago/u);
      }
    }
  });

  it("is nobody for a reason, and nothing is kept", async () => {
    const desk = await deskWith("api");
    expect(await attempt(desk, "nobody/there")).toMatchObject({
      recipients: [],
      more: 0,
      reason: "nobody subscribes to this path",
    });
    expect((await desk.use.unmatched({})).messages).toEqual([]);
  });

  it("is not the sender of a broadcast, which is said", async () => {
    const desk = await deskWith("api", "web");
    expect(await attempt(desk, "agent/**", "api")).toMatchObject({
      from: "agent/api",
      recipients: [{ to: "agent/web", owner: "agent/web" }],
      notes: [expect.stringContaining("Its sender would not get it")],
    });
    expect((await attempt(desk, "agent/**")).notes).toEqual([]);
  });

  it("is told of two hundred, and how many more", async () => {
    const names = Array.from({ length: 203 }, (_, number) => `a${number}`);
    const desk = await deskWith(...names);
    const { recipients, more } = await attempt(desk, "agent/**");
    expect([recipients.length, more]).toEqual([200, 3]);
  });

  it("is refused for what is no path", async () => {
    const desk = await deskWith("api");
    await expect(attempt(desk, "a/**/b/**/**")).rejects.toMatchObject({ code: "pattern.invalid" });
  });
});
