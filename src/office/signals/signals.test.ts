import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import type { SendResponse } from "../../wire/shapes/messages.ts";

async function hookedAgent(): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent();
  await desk.hooked(coder);
  return { desk, coder };
}

async function delivered(desk: Desk): Promise<SendResponse> {
  const sent = await desk.send("coder", "hello");
  await desk.advance(1_000);
  expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  return sent;
}

describe("a turn's end", () => {
  it("makes what was delivered in it read", async () => {
    const { desk, coder } = await hookedAgent();
    const sent = await delivered(desk);
    await desk.turnEnds(coder);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered", "read"]);
  });

  it("reads nothing that came in after it", async () => {
    const { desk, coder } = await hookedAgent();
    const before = desk.clock.now();
    await desk.advance(1_000);
    const sent = await delivered(desk);
    await desk.done(desk.hook(coder, { turn: "turn-ended", emittedAt: before }));
    expect(desk.state(sent)).toBe("delivered");
  });

  it("reads nothing that only the screen has proven", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    await desk.turnEnds(coder);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
  });

  it("is not a turn's failure: nobody knows what was read then", async () => {
    const { desk, coder } = await hookedAgent();
    const sent = await delivered(desk);
    await desk.done(desk.hook(coder, { turn: "turn-failed" }));
    expect(desk.state(sent)).toBe("delivered");
  });

  it("of the last prompt alone leaves out what was stopped before", async () => {
    const { desk, coder } = await hookedAgent();
    const stopped = await delivered(desk);
    await desk.done(desk.hook(coder, { turn: "turn-failed" }));
    await desk.advance(2_000);
    const next = await delivered(desk);
    await desk.done(desk.hook(coder, { turn: "turn-ended", turnOf: "last-prompt" }));
    expect(desk.state(next)).toBe("read");
    expect(desk.state(stopped)).toBe("delivered");
  });

  it("lets the next message in after it has settled, not before", async () => {
    const { desk, coder } = await hookedAgent();
    await delivered(desk);
    const next = await desk.send("coder", "next");
    await desk.advance(5_000);
    expect(desk.delivery(next)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    await desk.done(desk.hook(coder, { turn: "turn-ended" }));
    await desk.advance(500);
    expect(desk.state(next)).toBe("queued");
    await desk.advance(500);
    expect(desk.state(next)).toBe("delivered");
  });

  it("tells those who wait for it", async () => {
    const { desk, coder } = await hookedAgent();
    const sent = await delivered(desk);
    const waiting = desk.use.wait({ id: sent.messageId, state: "read" });
    await desk.turnEnds(coder);
    await expect(desk.done(waiting, 100)).resolves.toEqual({ state: "read", reached: true });
  });
});

describe("a sub-agent's hook", () => {
  it("moves nothing of its parent", async () => {
    const { desk, coder } = await hookedAgent();
    const sent = await delivered(desk);
    const subAgent = { id: "sub-1" };
    await desk.done(desk.hook(coder, { turn: "turn-ended", subAgent }));
    expect(desk.state(sent)).toBe("delivered");
    const next = await desk.send("coder", "next");
    await desk.advance(10_000);
    expect(desk.delivery(next)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
  });

  it("proves nothing", async () => {
    const { desk, coder } = await hookedAgent();
    coder.program.onSubmit = () => {};
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    const prompt = `[message from: dev #${sent.shortId}] hello`;
    await desk.advance(500);
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt, subAgent: { id: "sub-1" } }));
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("keeps back what waits for idle, not what goes when the response has ended, until it stops", async () => {
    const { desk, coder } = await hookedAgent();
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "work" }));
    await desk.done(desk.hook(coder, { subAgent: { id: "sub-1", change: "started" } }));
    const normal = await desk.send("coder", "hello");
    const idle = await desk.send("coder", "when all is quiet", { priority: "idle" });
    await desk.advance(5_000);
    expect(desk.delivery(normal)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    await desk.turnEnds(coder);
    await desk.advance(2_000);
    expect(desk.delivery(normal)).toMatchObject({ state: "delivered", evidence: "submitted" });
    await desk.turnEnds(coder);
    await desk.advance(2_000);
    expect(desk.state(normal)).toBe("read");
    expect(desk.delivery(idle)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    await desk.done(desk.hook(coder, { subAgent: { id: "sub-1", change: "stopped" } }));
    await desk.advance(5_000);
    expect(desk.state(idle)).toBe("delivered");
  });

  it("has nothing pressed for an urgent message once the response has ended", async () => {
    const { desk, coder } = await hookedAgent();
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "work" }));
    await desk.done(desk.hook(coder, { subAgent: { id: "sub-1", change: "started" } }));
    await desk.turnEnds(coder);
    const sent = await desk.send("coder", "now", { priority: "interrupt" });
    await desk.advance(2_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.pressed).not.toContain("Escape");
  });

  it("does not name the session's conversation", async () => {
    const { desk, coder } = await hookedAgent();
    await desk.done(desk.hook(coder, { programSessionId: "parent" }));
    await desk.done(desk.hook(coder, { programSessionId: "child", subAgent: { id: "sub-1" } }));
    expect(desk.store.read.session(desk.sessionOf(coder))?.programSessionId).toBe("parent");
  });
});

describe("the fence", () => {
  it("stops a second copy of a message while the program is idle", async () => {
    const { desk, coder } = await hookedAgent();
    const sent = await delivered(desk);
    await desk.turnEnds(coder);
    const copy = coder.program.submitted[0] ?? "";
    const answer = await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: copy }));
    expect(answer.output).toMatchObject({ decision: "block", reason: expect.stringContaining(sent.shortId) });
    expect(desk.state(sent)).toBe("read");
    // A prompt that was stopped did not begin a turn.
    const next = await desk.send("coder", "next");
    await desk.advance(3_000);
    expect(desk.state(next)).toBe("delivered");
  });

  it("lets the first copy pass", async () => {
    const { desk, coder } = await hookedAgent();
    coder.program.onSubmit = () => {};
    coder.program.echoes = "no";
    await desk.send("coder", "hello");
    await desk.advance(200);
    const prompt = coder.program.submitted[0] ?? "";
    const answer = await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt }));
    expect(answer).toEqual({});
  });

  it("stops nothing while the program works", async () => {
    const { desk, coder } = await hookedAgent();
    await delivered(desk);
    const copy = coder.program.submitted[0] ?? "";
    const answer = await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: copy }));
    expect(answer).toEqual({});
  });

  it("stops nothing that a person wrote, also when it quotes a message", async () => {
    const { desk, coder } = await hookedAgent();
    await delivered(desk);
    await desk.turnEnds(coder);
    const quote = `what did you mean by ${coder.program.submitted[0]}?`;
    expect(await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: quote }))).toEqual({});
  });
});

describe("a hook", () => {
  it("tells a session that starts its name and its peers", async () => {
    const { desk, coder } = await hookedAgent();
    const tester = desk.agent("tester");
    await desk.office.scan();
    const answer = await desk.done(desk.hook(coder, { turn: "session-start", name: "SessionStart" }));
    const text = JSON.stringify(answer.output);
    expect(text).toContain("coder");
    expect(text).toContain(desk.sessionOf(tester));
  });

  it("of a program nobody knows is answered, and changes nothing", async () => {
    const { desk, coder } = await hookedAgent();
    const answer = await desk.done(desk.hook(coder, { turn: "turn-ended", agentPid: 9_999 }));
    expect(answer).toEqual({});
  });

  it("finds a program that no scan has seen yet", async () => {
    const { desk } = await hookedAgent();
    const late = desk.agent("late");
    await desk.done(desk.hook(late, { turn: "session-start" }));
    expect(desk.store.read.session(desk.sessionOf(late))?.hooked).toBe(true);
  });

  it("that comes late does not undo what is newer", async () => {
    const { desk, coder } = await hookedAgent();
    const before = desk.clock.now();
    await desk.advance(5_000);
    await desk.done(desk.hook(coder, { turn: "prompt-submitted", prompt: "work" }));
    await desk.done(desk.hook(coder, { turn: "turn-ended", emittedAt: before }));
    await desk.advance(1_000);
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
  });

  it("asking for permission holds messages as blocked", async () => {
    const { desk, coder } = await hookedAgent();
    await desk.done(desk.hook(coder, { turn: "permission-asked" }));
    coder.program.becomes({ dialog: "Allow reading?" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(30_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
    expect(coder.program.terminal.received).toHaveLength(0);
  });
});

describe("an event that is reported by name", () => {
  const report = (desk: Desk, more: object) =>
    desk.done(
      desk.use.hook_event({
        eventName: "PermissionRequest",
        emittedAt: desk.clock.now(),
        environment: {},
        payload: { name: "PermissionRequest", emittedAt: desk.clock.now(), turn: "permission-asked" },
        ...more,
      }),
    );
  const readiness = async (desk: Desk, who: string) => (await desk.use.session({ who })).readiness;

  it("is that session's, whatever else could tell whose it is, and needs no program", async () => {
    const { desk } = await oneAgent();
    desk.agent("tester");
    await desk.office.scan();
    await report(desk, { to: "tester" });
    expect(await readiness(desk, "tester")).toBe("blocked");
    expect(await readiness(desk, "coder")).not.toBe("blocked");
  });

  it("is refused where nobody can tell whose it is, or nobody is there", async () => {
    const { desk } = await oneAgent();
    await expect(report(desk, {})).rejects.toMatchObject({ code: "hooks.unknown_program" });
    await expect(report(desk, { to: "nobody" })).rejects.toMatchObject({ code: "recipient.unknown" });
  });

  it("is no agent's to report of another", async () => {
    const { desk, coder } = await oneAgent();
    desk.agent("tester");
    await desk.office.scan();
    const claims = { user: "dev", session: desk.sessionOf(coder) };
    const asked = (to: string) =>
      desk.done(
        desk.office.useCases.hook_event(
          { eventName: "Stop", emittedAt: 0, environment: {}, payload: { name: "Stop", emittedAt: 0 }, to },
          claims,
        ),
      );
    await expect(asked("tester")).rejects.toMatchObject({ code: "rights.missing" });
    await asked("coder");
  });
});
