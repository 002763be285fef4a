/** Agents write only to people outside whom the owner knows, whatever way they take. */
import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { CHAT, connectedPhone } from "../../../tests/desk/phone.ts";
import type { Right } from "../../core/rights/rights.ts";

const OWNER = { user: "dev" };
const STRANGER = "telegram/77";
const REFUSED = { code: "rights.missing", message: expect.stringContaining('"admin"') };

function claimsOf({ sighting }: DeskAgent) {
  const { server, pane } = sighting.identity;
  return { user: "dev", tmux: { socket: server, pane } };
}

function know(
  desk: Desk,
  { allow = [], rights = [] }: { allow?: readonly string[]; rights?: readonly Right[] },
) {
  const { desk: usual } = desk.settings;
  desk.settings = {
    ...desk.settings,
    desk: { ...usual, channels: [CHAT], allow: () => allow },
    rights: { everyone: rights, byAgent: new Map() },
  };
}

async function stage() {
  const { desk, coder } = await oneAgent();
  know(desk, {});
  const phone = await connectedPhone(desk);
  const { useCases } = desk.office;
  const claims = claimsOf(coder);
  const send = (to: string, by: object = claims) =>
    desk.done(useCases.send({ to, body: "a secret", claims: by as typeof claims }, by as typeof claims));
  return { desk, coder, phone, useCases, claims, send };
}

describe("an agent that writes to a stranger outside", () => {
  it("is refused by send, and nothing is kept", async () => {
    const { desk, phone, send } = await stage();
    await expect(send(STRANGER)).rejects.toMatchObject(REFUSED);
    await desk.advance(20_000);
    expect(phone.heard).toEqual([]);
    expect(desk.store.read.unmatched({ limit: 5 })).toEqual([]);
  });

  it("is refused by a question, by route and by a reminder", async () => {
    const { desk, useCases, claims } = await stage();
    const ways: readonly (() => Promise<unknown>)[] = [
      () => useCases.send({ to: STRANGER, body: "x", asks: true, claims }, claims),
      () => useCases.route({ path: STRANGER, body: "x", claims }, claims),
      () => useCases.remind({ to: STRANGER, text: "x", afterMs: 60_000, claims }, claims),
    ];
    for (const way of ways) await expect(desk.done(way())).rejects.toMatchObject(REFUSED);
    expect(desk.store.read.timers({})).toEqual([]);
  });

  it("may with the right, or if the owner allows that person", async () => {
    const { desk, phone, send } = await stage();
    know(desk, { rights: ["admin"] });
    await send(STRANGER);
    know(desk, { allow: ["77"] });
    await send(STRANGER);
    await desk.advance(20_000);
    expect(phone.texts()).toEqual(["[coder] a secret", "[coder] a secret"]);
  });

  it("may answer where somebody wrote, and write to the person", async () => {
    const { phone, send } = await stage();
    phone.allowed = ["7"];
    await expect(send("telegram/-100")).rejects.toMatchObject(REFUSED);
    await phone.writes("hello", { path: "telegram/-100", from: "8" });
    await expect(send("telegram/-100")).rejects.toMatchObject(REFUSED);
    await phone.writes("hello", { path: "telegram/-100", from: "7" });
    await send("telegram/-100");
    await send(CHAT);
  });

  it("is not limited if it is the owner, also in an agent's name", async () => {
    const { desk, useCases, send } = await stage();
    await send(STRANGER, OWNER);
    const named = { to: STRANGER, body: "x", from: "coder", claims: OWNER };
    await desk.done(useCases.send(named, OWNER));
    await desk.done(useCases.remind({ to: STRANGER, text: "x", afterMs: 60_000, claims: OWNER }, OWNER));
  });
});

describe("what an agent wrote before there was a bridge", () => {
  it("stays a dead letter if it is for a stranger", async () => {
    const { desk, coder } = await oneAgent();
    know(desk, {});
    await desk.sendAs(coder, STRANGER, "a secret");
    await desk.sendAs(coder, CHAT, "hello");
    const phone = await connectedPhone(desk);
    expect(await desk.done(desk.use.unmatched_reroute({}))).toEqual({ rerouted: 1, left: 1 });
    await desk.advance(20_000);
    expect(phone.texts()).toEqual(["[coder] hello"]);
  });

  it("is not said to a stranger when a reminder is due", async () => {
    const { desk, coder } = await oneAgent();
    know(desk, {});
    const claims = claimsOf(coder);
    const { useCases } = desk.office;
    for (const to of [STRANGER, CHAT])
      await desk.done(useCases.remind({ to, text: "a secret", afterMs: 60_000, claims }, claims));
    const phone = await connectedPhone(desk);
    await desk.advance(90_000);
    expect(phone.heard).toHaveLength(1);
    expect(desk.store.read.timers({})).toEqual([]);
  });
});

describe("a reminder to a place that the agent may no longer write to", () => {
  const words =
    /^\[bellhop\] Reminder of coder \(\w+\) to telegram\/77 was not sent: Agent "coder" may not write to strangers outside \(telegram\/77\): .*\nOriginal: "Look at the build\."$/u;

  async function remindsStranger(more: object) {
    const all = await stage();
    const { desk, useCases, claims } = all;
    know(desk, { allow: ["77"] });
    const request = { to: STRANGER, text: "Look at the build.", ...more, claims };
    await desk.done(useCases.remind(request as Parameters<typeof useCases.remind>[0], claims));
    know(desk, {});
    const toOwner = () =>
      desk.store.read
        .deliveries({ mailboxes: ["person/dev"] })
        .map(({ message: { body, command } }) => ({ body, command }));
    return { ...all, toOwner };
  }

  it("is not sent; the agent and its owner are told why", async () => {
    const { desk, coder, phone, toOwner } = await remindsStranger({ afterMs: 60_000 });
    await desk.advance(120_000);
    expect(phone.heard).toEqual([]);
    expect(coder.program.submitted).toEqual([expect.stringMatching(/Reminder of coder .* was not sent: /u)]);
    expect(toOwner()).toEqual([{ command: "reminder-refused", body: expect.stringMatching(words) }]);
    expect(desk.store.read.timers({})).toEqual([]);
  });

  it("is told of once if it repeats, also after a restart, and anew once it was sent in between", async () => {
    const { desk, coder, phone, toOwner } = await remindsStranger({ everyMs: 60_000 });
    await desk.advance(200_000);
    desk.crash();
    await desk.open();
    await phone.connect();
    await desk.advance(200_000);
    expect([toOwner().length, coder.program.submitted.length, phone.heard.length]).toEqual([1, 1, 0]);
    know(desk, { allow: ["77"] });
    await desk.advance(70_000);
    expect(phone.texts()).toEqual([expect.stringContaining("Look at the build.")]);
    know(desk, {});
    await desk.advance(200_000);
    expect([toOwner().length, coder.program.submitted.length, phone.heard.length]).toEqual([2, 2, 1]);
  });

  it("is told to the owner alone if the agent has ended", async () => {
    const { desk, coder, toOwner } = await remindsStranger({ afterMs: 60_000 });
    desk.ends(coder);
    await desk.advance(120_000);
    expect(toOwner()).toHaveLength(1);
    expect(coder.program.submitted).toEqual([]);
  });
});
