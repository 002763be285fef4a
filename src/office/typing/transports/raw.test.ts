import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../../tests/desk/desk.ts";

async function asks(desk: Desk, coder: DeskAgent, dialog: string): Promise<void> {
  coder.program.becomes({ dialog });
  await desk.advance(2_500);
}

describe("raw text", () => {
  it("goes in as it is, without a header and without an Enter of its own", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    const sent = await desk.send("coder", "/model", { raw: true });
    await desk.advance(3_000);
    expect(coder.program.draft).toBe("/model");
    expect(coder.program.submitted).toEqual([]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "paste", evidence: "screen" });
  });

  it("is followed by the keys it names", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.send("coder", "/compact", { raw: true, keys: ["Enter"] });
    await desk.advance(3_000);
    expect(coder.program.submitted).toEqual(["/compact"]);
  });

  it("goes into the dialog it was sent for", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await asks(desk, coder, "Allow reading?");
    const sent = await desk.send("coder", "1", { raw: true, keys: ["Enter"] });
    await desk.advance(1_000);
    expect(coder.program.answers).toEqual(["1", "Enter"]);
    // Nothing changed on the screen, which is no proof.
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("never goes into another dialog than that", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await asks(desk, coder, "Allow reading?");
    desk.onStep((step) => step === "deliver.chosen" && coder.program.becomes({ dialog: "Allow deleting?" }));
    const sent = await desk.send("coder", "1", { raw: true });
    await desk.advance(60_000);
    expect(coder.program.answers).toEqual([]);
    expect(desk.delivery(sent)).toMatchObject({ state: "failed", attempts: 0 });
  });

  it("never goes into a dialog that opened after it was sent for the composer", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    desk.onStep((step) => step === "deliver.chosen" && coder.program.becomes({ dialog: "Allow deleting?" }));
    const sent = await desk.send("coder", "y", { raw: true, keys: ["Enter"] });
    await desk.advance(20_000);
    desk.onStep(() => {});
    expect(coder.program.answers).toEqual([]);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
    coder.program.answersDialog();
    await desk.advance(20_000);
    expect(coder.program.submitted).toEqual(["y"]);
  });

  it("does not keep an answer from a dialog that opened before its own turn came", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ busy: true });
    const early = await desk.send("coder", "/model", { raw: true });
    await desk.advance(3_000);
    await asks(desk, coder, "Allow reading?");
    await desk.send("coder", "1", { raw: true });
    await desk.advance(3_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(desk.delivery(early)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
  });

  it("never goes into the composer once its dialog is closed", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await asks(desk, coder, "Allow reading?");
    desk.onStep((step) => step === "deliver.chosen" && coder.program.answersDialog());
    const sent = await desk.send("coder", "1", { raw: true, keys: ["Enter"] });
    await desk.advance(60_000);
    expect(desk.history(sent)).toEqual(["queued", "failed"]);
    expect(coder.program.submitted).toEqual([]);
    expect(coder.program.draft).toBe("");
  });

  it("does not touch a draft, however old", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "/model", { raw: true });
    await desk.advance(300_000);
    expect(coder.program.draft).toBe("half a thought");
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" } });
  });

  it("waits while the program works", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ busy: true });
    const sent = await desk.send("coder", "/model", { raw: true });
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    expect(coder.program.terminal.received).toHaveLength(0);
  });

  it("is not typed again when the gate did not answer", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.terminal.answerGate({ kind: "sent" }, { kind: "unknown", cause: "timeout" });
    const sent = await desk.send("coder", "/model", { raw: true });
    await desk.advance(60_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "unconfirmed"]);
  });

  it("waits when the gate is refused", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.terminal.answerGate({ kind: "refused", because: ["typing"] });
    const sent = await desk.send("coder", "/model", { raw: true });
    await desk.advance(300);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" }, attempts: 0 });
    await desk.advance(3_000);
    expect(desk.state(sent)).toBe("delivered");
  });
});
