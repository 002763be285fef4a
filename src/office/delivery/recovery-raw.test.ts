import { describe, expect, it } from "vitest";
import { restart } from "../../../tests/desk/crashes.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";
import { aliceAndBob } from "../../../tests/desk/host-desks.ts";
import { PERHAPS_DELIVERED, PERHAPS_PRESSED } from "../../core/evidence.ts";
import type { SendRequest } from "../../wire/verbs/messages.ts";
import type { Step } from "../base/steps.ts";

const ASKS = "Allow this?\nrm -r build\n❯ 1. Yes\n2. No";

/** Killed while it answered a dialog. */
async function killedInAnswer(step: Step, more: Partial<SendRequest> = {}) {
  const { desk, coder } = await oneAgent({ program: "plain" });
  await desk.hooked(coder);
  coder.program.becomes({ dialog: ASKS });
  await desk.advance(5_000);
  desk.crashAt(step);
  const sent = await desk.send("coder", "", { raw: true, keys: ["1"], ...more });
  await desk.advance(15_000);
  expect(desk.crashed).toBe(true);
  return { desk, coder, sent };
}

describe("keys that were pressed when the daemon was killed", () => {
  it("are not pressed into the next dialog, though it reads the same, and count as unconfirmed", async () => {
    const { desk, coder, sent } = await killedInAnswer("paste.after-keys");
    coder.program.prints("it has built");
    coder.program.becomes({ dialog: ASKS });
    await restart(desk);
    expect(coder.program.answers).toEqual(["1"]);
    expect(desk.delivery(sent)).toMatchObject({ state: "unconfirmed", attempts: 1 });
    expect(desk.lastNote(sent)).toBe(PERHAPS_PRESSED);
  });

  it("are given up if they were to go at most once", async () => {
    const { desk, coder, sent } = await killedInAnswer("paste.after-keys", { atMostOnce: true });
    await restart(desk);
    expect(coder.program.answers).toEqual(["1"]);
    expect(desk.state(sent)).toBe("failed");
    expect(desk.lastNote(sent)).toBe(PERHAPS_DELIVERED);
  });

  it("are unconfirmed too if their program has ended", async () => {
    const { desk, coder, sent } = await killedInAnswer("paste.after-keys");
    desk.ends(coder);
    await restart(desk);
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("are pressed if nothing on the screen has changed, long enough after", async () => {
    const { desk, coder, sent } = await killedInAnswer("paste.before-keys");
    await restart(desk);
    expect(coder.program.answers).toEqual(["1"]);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("run no command twice", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    await desk.hooked(coder);
    desk.crashAt("paste.after-keys");
    const sent = await desk.send("coder", "/compact", { raw: true, keys: ["Enter"] });
    await desk.advance(15_000);
    expect(desk.crashed).toBe(true);
    await restart(desk);
    expect(coder.program.submitted).toEqual(["/compact"]);
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("were perhaps pressed, for both hosts, if they named their dialog by its code", async () => {
    const { cluster, a, b, bob } = await aliceAndBob(["send", "raw"]);
    await b.hooked(bob);
    bob.program.prints("a line of its conversation");
    bob.program.becomes({ dialog: ASKS });
    await cluster.advance(5_000);
    const early = await a.send("b:bob", "/model", { raw: true, keys: ["Enter"] });
    await cluster.advance(5_000);
    const dialog = /--dialog ([a-z0-9]{6})/u.exec(b.delivery(early).hold?.release ?? "")?.[1] ?? "";
    await a.done(a.use.queue_change({ id: early.messageId, change: "cancel" }));
    b.crashAt("paste.after-keys");
    const sent = await a.send("b:bob", "", { raw: true, keys: ["1"], dialog });
    await cluster.advance(5_000);
    expect(b.crashed).toBe(true);
    await b.open();
    await cluster.advance(30_000);
    expect(bob.program.answers).toEqual(["1"]);
    for (const desk of [a, b]) {
      expect(desk.state(sent)).toBe("unconfirmed");
      expect(desk.lastNote(sent)).toContain(PERHAPS_PRESSED);
    }
  });
});
