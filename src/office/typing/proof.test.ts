import { describe, expect, it } from "vitest";
import type { DeskAgent, DeskAgentOptions } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";

/** It reports by hook, but reports no prompt until a test does. */
async function hookedAndSilent(options: DeskAgentOptions = {}): Promise<{ desk: Desk; coder: DeskAgent }> {
  const { desk, coder } = await oneAgent(options);
  await desk.hooked(coder);
  coder.program.onSubmit = () => {};
  return { desk, coder };
}

describe("what proves a delivery", () => {
  it("is the hook, also when it comes before the terminal has answered", async () => {
    const { desk, coder } = await hookedAndSilent();
    coder.beforeAnswer = async () => {
      await desk.hook(coder, { turn: "prompt-submitted", prompt: coder.program.submitted.at(-1) ?? "" });
    };
    const sent = await desk.send("coder", "hello");
    await desk.advance(500);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("is the hook by the exact text, where the program shows no header of ours", async () => {
    const { desk, coder } = await hookedAndSilent();
    const sent = await desk.send("coder", "/clear", { raw: true, keys: ["Enter"] });
    await desk.advance(5_000);
    // Raw text has no header: its effect on the screen is the only sign.
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
    expect(coder.program.submitted).toEqual(["/clear"]);
  });

  it("is not a hook that speaks of another prompt", async () => {
    const { desk, coder } = await hookedAndSilent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "[message from: dev #zzzzzz] hello" });
    await desk.hook(coder, { turn: "prompt-submitted", prompt: "something a person wrote" });
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("is not a hook of another session", async () => {
    const { desk, coder } = await hookedAndSilent();
    const tester = desk.agent("tester");
    await desk.office.scan();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    await desk.hook(tester, { turn: "prompt-submitted", prompt: `quoted: ${coder.program.submitted[0]}` });
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("is the transcript where the hook stays silent", async () => {
    const { desk, coder } = await hookedAndSilent();
    coder.program.echoes = "no";
    desk.transcript = () => ({ kind: "found", as: "turn" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "transcript" });
  });

  it("is the hook rather than the transcript when both speak", async () => {
    const { desk, coder } = await hookedAndSilent();
    desk.transcript = () => ({ kind: "found", as: "turn" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    await desk.hook(coder, { turn: "prompt-submitted", prompt: coder.program.submitted.at(-1) ?? "" });
    await desk.advance(1_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("is weaker when the transcript says that the program only queued it", async () => {
    const { desk, coder } = await hookedAndSilent();
    coder.program.echoes = "no";
    desk.transcript = () => ({ kind: "found", as: "queued" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "queued-in-agent" });
  });

  it("is the screen where nothing else can speak", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
  });

  it("is the screen, at the last moment, where hooks were expected and stayed silent", async () => {
    const { desk } = await hookedAndSilent();
    const sent = await desk.send("coder", "hello");
    await desk.advance(9_000);
    expect(desk.state(sent)).toBe("delivering");
    await desk.advance(2_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
  });
});

describe("what proves nothing", () => {
  it("is silence: after ten seconds the delivery is unconfirmed", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(9_900);
    expect(desk.state(sent)).toBe("delivering");
    await desk.advance(200);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "unconfirmed"]);
    await desk.advance(600_000);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it.each(["plain", "stashing"] as const)(
    "is our own text that still stands in the composer (%s)",
    async (program) => {
      const { desk, coder } = await oneAgent({ program });
      const tester = desk.agent("tester");
      await desk.office.scan();
      coder.program.enterKey = "is-swallowed";
      coder.program.eraseKey = "is-swallowed";
      const sent = await desk.sendAs(tester, "coder", "hello");
      await desk.advance(30_000);
      expect(desk.state(sent)).toBe("unconfirmed");
    },
  );
});

describe("late proof", () => {
  it("turns unconfirmed into delivered, and says that it was late", async () => {
    const { desk, coder } = await hookedAndSilent();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(60_000);
    await desk.hook(coder, { turn: "prompt-submitted", prompt: coder.program.submitted[0] ?? "" });
    expect(desk.history(sent)).toEqual(["queued", "delivering", "unconfirmed", "delivered"]);
    expect(desk.delivery(sent).evidence).toBe("submitted");
    expect(desk.lastNote(sent)).toBe("late evidence");
  });

  it("makes what the screen had shown stronger, once", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    const prompt = coder.program.submitted[0] ?? "";
    await desk.hook(coder, { turn: "prompt-submitted", prompt });
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
    const receipts = desk.history(sent).length;
    await desk.hook(coder, { turn: "prompt-submitted", prompt });
    expect(desk.history(sent)).toHaveLength(receipts);
  });

  it("changes nothing that was cancelled or never sent there", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "hello");
    await desk.use.queue_change({ id: sent.shortId, change: "cancel" });
    await desk.hook(coder, {
      turn: "prompt-submitted",
      prompt: `[message from: dev #${sent.shortId}] hello`,
    });
    expect(desk.state(sent)).toBe("cancelled");
  });
});

describe("a sender that requires proof", () => {
  it("is refused at once when the recipient can never give it", async () => {
    const { desk } = await oneAgent();
    const send = desk.send("coder", "hello", { require: "submitted" });
    await expect(send).rejects.toMatchObject({ code: "evidence.unavailable", exitCode: 6 });
    expect(desk.store.read.deliveries({})).toEqual([]);
  });

  it("is told to allow another way in, not to install hooks that are there", async () => {
    const { desk } = await hookedAndSilent();
    desk.settings = { ...desk.settings, transports: () => ["hook"] };
    const send = desk.send("coder", "hello", { require: "submitted" });
    await expect(send).rejects.toMatchObject({ next: expect.stringContaining("transports in config.yaml") });
  });

  it("gets unconfirmed for weaker proof, and delivered when the stronger comes", async () => {
    const { desk, coder } = await hookedAndSilent();
    const sent = await desk.send("coder", "hello", { require: "submitted" });
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "unconfirmed", evidence: "screen" });
    expect(desk.lastNote(sent)).toContain("submitted");
    await desk.hook(coder, { turn: "prompt-submitted", prompt: coder.program.submitted[0] ?? "" });
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "submitted" });
  });

  it("is believed for a recipient that is not there yet", async () => {
    const { desk } = await oneAgent();
    await desk.use.agent_add({ name: "later" });
    const sent = await desk.send("later", "hello", { require: "submitted" });
    expect(desk.state(sent)).toBe("queued");
  });

  it("is served by what is at least as strong", async () => {
    const { desk } = await oneAgent();
    const sent = await desk.send("coder", "hello", { require: "screen" });
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivered");
  });
});
