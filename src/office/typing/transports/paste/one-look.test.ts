import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { oneAgent } from "../../../../../tests/desk/desk.ts";

/** An idle agent whose looks and gates are counted from now on. */
async function watched() {
  const { desk, coder } = await oneAgent();
  await desk.advance(5_000);
  const { terminal } = coder.program;
  const happened: ("look" | "dry run" | "keys")[] = [];
  const read = terminal.read.bind(terminal);
  terminal.read = async () => {
    happened.push("look");
    return read();
  };
  const untilKeys = () => happened.slice(0, happened.indexOf("keys") + 1);
  terminal.beforeGate = () => happened.push("keys");
  return { desk, coder, terminal, happened, untilKeys };
}

describe("a delivery to an idle agent", () => {
  it("looks once and goes through one gate", async () => {
    const { desk, coder, terminal, untilKeys } = await watched();
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(untilKeys()).toEqual(["look", "keys"]);
    expect(terminal.gateCalls.map(({ strokes }) => strokes.length > 0)).toEqual([true]);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered"]);
    expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
  });

  it("looks while the message is written to disk", async () => {
    const { desk, happened, untilKeys } = await watched();
    const looksBefore: number[] = [];
    desk.onStep((step) => step === "accept.committed" && looksBefore.push(happened.length));
    await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(looksBefore).toEqual([1]);
    expect(untilKeys()).toEqual(["look", "keys"]);
  });

  it("looks again when its terminal tells of a change while the message is written", async () => {
    const { desk, terminal, untilKeys } = await watched();
    desk.onStep((step) => step === "accept.in-transaction" && terminal.change());
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    // The first was under way when it changed.
    expect(untilKeys().slice(0, 2)).toEqual(["look", "look"]);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("looks again when its terminal tells of a change after the choice", async () => {
    const { desk, terminal, untilKeys } = await watched();
    desk.onStep((step) => step === "deliver.chosen" && terminal.change());
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expect(untilKeys()).toEqual(["look", "look", "keys"]);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("types nothing when a key comes between the look and the keys, and writes no receipts while they go on", async () => {
    const { desk, coder, terminal } = await watched();
    terminal.beforeGate = () => {
      terminal.beforeGate = () => {};
      terminal.personTyped("x");
    };
    const sent = await desk.send("coder", "hello");
    await desk.advance(500);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "typing" } });
    for (let key = 0; key < 5; key += 1) {
      terminal.personTyped();
      await desk.advance(1_500);
    }
    expect(desk.history(sent)).toEqual(["queued", "delivering", "queued"]);
    expect(terminal.received.toString()).toBe("x");
    await desk.advance(5_000);
    expect(desk.history(sent)).toEqual(["queued", "delivering", "queued", "delivering", "delivered"]);
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("types nothing when the screen changes between the look and the keys, told or not", async () => {
    const { desk, coder, terminal } = await watched();
    terminal.beforeGate = () => {
      terminal.beforeGate = () => {};
      coder.program.becomes({ dialog: "Allow rm?" });
    };
    const sent = await desk.send("coder", "hello");
    await desk.advance(20_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
    expect(coder.program.answers).toEqual([]);
    expect(terminal.received).toHaveLength(0);
  });

  it("needs no file for a text that is typed whole: that is written afterwards", async () => {
    const { desk } = await watched();
    const sent = await desk.send("coder", "hello");
    await desk.advance(50);
    expect(desk.state(sent)).toBe("delivered");
    expect(existsSync(join(desk.folder, "coder"))).toBe(false);
    await desk.advance(200);
    expect(readdirSync(join(desk.folder, "coder"))).toHaveLength(1);
  });
});
