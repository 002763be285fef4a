/** A question whose sender waits: they are shown the answer, once, and nobody waits for themselves. */
import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent, openDesk } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";

const MINUTES = 60_000;
const DEV = { user: "dev" };

function claimsOf(agent: DeskAgent) {
  const { server, pane } = agent.sighting.identity;
  return { user: "dev", tmux: { socket: server, pane } };
}

function answerTo(desk: Desk, { messageId }: SendResponse, timeoutMs = 10 * MINUTES) {
  return desk.use.answer({ id: messageId, timeoutMs, take: true });
}

async function twoAgents() {
  const desk = await openDesk();
  const [coder, reviewer] = [desk.agent("coder"), desk.agent("reviewer")];
  await desk.ready();
  return { desk, coder, reviewer };
}

describe("a question", () => {
  const HINT = "who waits for your answer. To reply: bellhop reply";

  it("says in its prompt that somebody waits, from the moment on at which it is sent", async () => {
    const { desk, coder } = await oneAgent();
    const asked = await desk.send("coder", "green?", { asks: true });
    await desk.advance(4_000);
    expect(coder.program.submitted).toEqual([
      `[message from: dev #${asked.shortId}] green? — from person "dev", ${HINT} ${asked.shortId} "<your reply>"`,
    ]);
  });

  it("says so as long as somebody waits, and not when nobody does any more", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const first = await desk.send("coder", "green?", { asks: true });
    const gaveUp = answerTo(desk, first, MINUTES);
    const second = await desk.send("coder", "red?", { asks: true });
    const waiting = answerTo(desk, second);
    const gone = await desk.send("coder", "blue?", { asks: true });
    await desk.advance(2 * MINUTES);
    expect((await desk.done(gaveUp)).answer).toBeUndefined();
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(coder.program.submitted.join("\n")).toContain(`${HINT} ${second.shortId} "<your reply>"`);
    expect(coder.program.submitted.join("\n")).not.toContain(`reply ${first.shortId}`);
    expect(coder.program.submitted.join("\n")).not.toContain(`reply ${gone.shortId}`);
    await desk.sendAs(coder, "person/dev", "all green", { re: second.shortId });
    expect((await desk.done(waiting, 1_000)).answer).toMatchObject({ body: "all green" });
  });

  it("is nobody's any more as soon as whoever asked has given up, however early that is", async () => {
    const { desk, coder, reviewer } = await twoAgents();
    const asked = await desk.sendAs(coder, "reviewer", "which port?", { asks: true });
    const gaveUp = answerTo(desk, asked, 1_000);
    await desk.advance(1_500);
    expect((await desk.done(gaveUp)).answer).toBeUndefined();
    const back = await desk.sendAs(reviewer, "coder", "which one do you mean?", { asks: true });
    expect(back.deliveries).toMatchObject([{ to: "agent/coder" }]);
  });

  it("is answered by mail when whoever asked does not come for the answer", async () => {
    const { desk, coder, reviewer } = await twoAgents();
    const asked = await desk.sendAs(coder, "reviewer", "which port?", { asks: true });
    const reply = await desk.sendAs(reviewer, "coder", "2355", { re: asked.shortId });
    await desk.advance(2_000);
    expect(desk.state(reply)).toBe("queued");
    await desk.advance(20_000);
    expect(desk.state(reply)).toBe("delivered");
  });
});

describe("an answer", () => {
  it("comes to the person who asked when it is written, and is then no mail any more", async () => {
    const { desk, coder } = await oneAgent();
    const asked = await desk.send("coder", "green?", { asks: true });
    const waiting = answerTo(desk, asked);
    await desk.advance(5_000);
    expect(desk.state(asked)).toBe("delivered");
    const reply = await desk.sendAs(coder, "person/dev", "all green");
    const { answer, state } = await desk.done(waiting, 1_000);
    expect(state).toBe("replied");
    expect(answer).toMatchObject({ body: "all green", from: "agent/coder", bound: "implicit" });
    await desk.use.ack({ id: answer?.id ?? "", claims: DEV });
    expect(desk.state(reply)).toBe("read");
    expect((await desk.use.inbox({ claims: DEV })).entries).toEqual([]);
  });

  it("is not typed to the agent that is shown it", async () => {
    const { desk, coder, reviewer } = await twoAgents();
    const asked = await desk.sendAs(coder, "reviewer", "which port?", { asks: true });
    const waiting = answerTo(desk, asked);
    await desk.advance(5_000);
    const reply = await desk.sendAs(reviewer, desk.sessionOf(coder), "2355");
    const { answer } = await desk.done(waiting, 1_000);
    await desk.advance(2_000);
    expect(desk.state(reply)).toBe("queued");
    await desk.use.ack({ id: answer?.id ?? "", claims: claimsOf(coder) });
    await desk.advance(MINUTES);
    expect(desk.state(reply)).toBe("read");
    expect(coder.program.submitted).toEqual([]);
  });

  it("is typed after all when whoever waited has gone", async () => {
    const { desk, coder, reviewer } = await twoAgents();
    const asked = await desk.sendAs(coder, "reviewer", "which port?", { asks: true });
    const waiting = answerTo(desk, asked);
    await desk.advance(5_000);
    const reply = await desk.sendAs(reviewer, "coder", "2355");
    await desk.done(waiting, 1_000);
    await desk.advance(20_000);
    expect(desk.state(reply)).toBe("delivered");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("that was there before is given at once, and looking takes nothing", async () => {
    const { desk, coder, reviewer } = await twoAgents();
    const asked = await desk.sendAs(coder, "reviewer", "which port?");
    await desk.advance(5_000);
    const reply = await desk.sendAs(reviewer, "coder", "2355", { re: asked.shortId });
    const looked = desk.use.answer({ id: asked.shortId, timeoutMs: 0 });
    expect((await desk.done(looked)).answer).toMatchObject({ body: "2355", bound: "explicit" });
    await desk.advance(20_000);
    expect(desk.state(reply)).toBe("delivered");
  });

  it("that does not come in time leaves the question where it is", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const asked = await desk.send("coder", "green?", { asks: true });
    const found = await desk.done(answerTo(desk, asked, 5_000));
    expect(found).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    expect(found).not.toHaveProperty("answer");
    expect(desk.state(asked)).toBe("queued");
  });

  it("is waited for past unconfirmed, and no longer once nobody can give it", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const asked = await desk.send("coder", "green?", { asks: true });
    const waiting = answerTo(desk, asked);
    await desk.advance(30_000);
    expect(desk.state(asked)).toBe("unconfirmed");
    await desk.sendAs(coder, "person/dev", "yes", { re: asked.shortId });
    expect((await desk.done(waiting, 1_000)).answer).toMatchObject({ body: "yes" });
    coder.program.becomes({ busy: true });
    const second = await desk.send("coder", "and now?", { asks: true });
    const inVain = answerTo(desk, second);
    await desk.advance(1_000);
    await desk.use.queue_change({ id: second.shortId, change: "cancel" });
    expect(await desk.done(inVain, 1_000)).toEqual({ state: "cancelled" });
  });
});

describe("a question in vain is refused before anything is stored", () => {
  const REFUSED = { code: "request.forbidden" };

  it.each(["coder", "agent/coder"])("to oneself, as %s", async (who) => {
    const { desk, coder } = await oneAgent();
    await expect(desk.sendAs(coder, who, "me?", { asks: true })).rejects.toMatchObject(REFUSED);
    await expect(desk.sendAs(coder, desk.sessionOf(coder), "me?", { asks: true })).rejects.toMatchObject(
      REFUSED,
    );
    await expect(desk.send("person/dev", "me?", { asks: true })).rejects.toMatchObject(REFUSED);
    expect(desk.store.read.countQueued()).toBe(0);
  });

  it("to one that waits for the asker's own answer, also through others", async () => {
    const { desk, coder, reviewer } = await twoAgents();
    const tester = desk.agent("tester");
    await desk.done(desk.use.ls({}));
    const first = await desk.sendAs(coder, "reviewer", "done?", { asks: true });
    const second = await desk.sendAs(reviewer, "tester", "is it?", { asks: true });
    const waiting = [answerTo(desk, first), answerTo(desk, second)];
    await expect(desk.sendAs(reviewer, "coder", "what?", { asks: true })).rejects.toMatchObject({
      ...REFUSED,
      next: expect.stringContaining(`bellhop reply ${first.shortId}`),
    });
    await expect(desk.sendAs(tester, "coder", "what?", { asks: true })).rejects.toMatchObject({
      ...REFUSED,
      next: expect.stringContaining(`bellhop reply ${second.shortId}`),
    });
    await desk.advance(5_000);
    await desk.sendAs(tester, "reviewer", "it is");
    await desk.sendAs(reviewer, "coder", "it is");
    await desk.done(Promise.all(waiting), 1_000);
    const again = await desk.sendAs(reviewer, "coder", "and yours?", { asks: true });
    expect(again.unmatched).toBe(false);
  });
});

it("only who asked, or was asked, may wait for the answer", async () => {
  const { desk, coder, reviewer } = await twoAgents();
  const asked = await desk.sendAs(coder, "person/dev", "may I?", { asks: true });
  const curious = desk.office.useCases.answer({ id: asked.messageId, timeoutMs: 0 }, claimsOf(reviewer));
  await expect(curious).rejects.toMatchObject({ code: "rights.missing" });
});
