import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import type { DeskProgram } from "../../../tests/desk/profiles.ts";

async function unhooked(
  program: DeskProgram = "plain",
): Promise<{ readonly desk: Desk; readonly coder: DeskAgent }> {
  const desk = await openDesk();
  const coder = desk.agent("coder", { program });
  await desk.ready();
  coder.program.onSubmit = () => coder.program.becomes({ busy: true });
  return { desk, coder };
}

describe("a message to a program without hooks", () => {
  it("is read when the program was seen at work after it, and then idle", async () => {
    const { desk, coder } = await unhooked();
    const sent = await desk.send("coder", "hello");
    await desk.advance(120_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", evidence: "screen" });
    coder.program.becomes({ busy: false });
    await desk.advance(1_000);
    expect(desk.state(sent)).toBe("delivered");
    await desk.advance(5_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "read", evidence: "screen" });
    expect(desk.lastNote(sent)).toBe("the agent has ended its turn, as its screen shows");
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered", "read"]);
  });

  it("stays delivered where nobody saw the program at work", async () => {
    const { desk, coder } = await unhooked();
    coder.program.onSubmit = () => {};
    const sent = await desk.send("coder", "hello");
    await desk.advance(200_000);
    expect(desk.state(sent)).toBe("delivered");
    // What it does later is another turn.
    coder.program.types("something of their own");
    coder.program.sends();
    coder.program.becomes({ busy: true });
    await desk.advance(10_000);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it.each([
    ["at once", 1_000],
    ["once it was seen idle", 10_000],
  ])("is not read by a person's own turn that begins %s", async (_, afterMs) => {
    const { desk, coder } = await unhooked();
    coder.program.onSubmit = () => {};
    const sent = await desk.send("coder", "fast one");
    await desk.advance(afterMs);
    expect(desk.state(sent)).toBe("delivered");
    coder.program.types("mine");
    await desk.advance(1_000);
    coder.program.onSubmit = () => coder.program.becomes({ busy: true });
    coder.program.sends();
    await desk.advance(4_000);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is not read by a turn that begins without a key, once it was seen idle", async () => {
    const { desk, coder } = await unhooked();
    coder.program.onSubmit = () => {};
    const sent = await desk.send("coder", "fast one");
    await desk.advance(10_000);
    coder.program.becomes({ busy: true });
    await desk.advance(4_000);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is read also where its turn begins a moment late", async () => {
    const { desk, coder } = await unhooked();
    coder.program.onSubmit = () => {};
    const sent = await desk.send("coder", "hello");
    await desk.advance(4_000);
    coder.program.becomes({ busy: true });
    await desk.advance(4_000);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("read");
  });

  it.each(["plain", "stashing", "recalling"] as const)(
    "is read also where %s put a draft back behind it before its turn showed",
    async (program) => {
      const { desk, coder } = await unhooked(program);
      coder.program.onSubmit = () => {};
      coder.program.types("half a thought");
      const sent = await desk.send("coder", "hello", { priority: "interrupt" });
      for (let look = 0; desk.state(sent) !== "delivered" && look < 300; look += 1) await desk.advance(100);
      await desk.advance(2_000);
      expect([desk.state(sent), coder.program.draft]).toEqual(["delivered", "half a thought"]);
      coder.program.becomes({ busy: true });
      await desk.advance(4_000);
      coder.program.becomes({ busy: false });
      await desk.advance(10_000);
      expect(desk.state(sent)).toBe("read");
    },
  );

  it("is not read by the turn of a later message", async () => {
    const { desk, coder } = await unhooked();
    coder.program.onSubmit = () => {};
    const first = await desk.send("coder", "first");
    await desk.advance(10_000);
    coder.program.onSubmit = () => coder.program.becomes({ busy: true });
    const second = await desk.send("coder", "second");
    await desk.advance(10_000);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect([desk.state(first), desk.state(second)]).toEqual(["delivered", "read"]);
  });

  it("is read before the next one goes in, and all of one batch together", async () => {
    const { desk, coder } = await unhooked();
    const first = await desk.send("coder", "first");
    await desk.advance(5_000);
    const waiting = [await desk.send("coder", "second"), await desk.send("coder", "third")];
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(first)).toBe("read");
    expect(waiting.map((one) => desk.state(one))).toEqual(["delivered", "delivered"]);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(waiting.map((one) => desk.state(one))).toEqual(["read", "read"]);
  });

  it("is read when its turn ends behind what a person began to write meanwhile", async () => {
    const { desk, coder } = await unhooked();
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    coder.program.types("my draft");
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.delivery(sent)).toMatchObject({ state: "read", evidence: "screen" });
    expect(coder.program.draft).toBe("my draft");
  });

  it("is not read while a dialog or an unreadable screen hides whether the turn has ended", async () => {
    const { desk, coder } = await unhooked();
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    coder.program.becomes({ busy: false, dialog: "Allow rm?" });
    await desk.advance(20_000);
    coder.program.becomes({ dialog: undefined, composer: "hidden" });
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    coder.program.becomes({ composer: "shown" });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("read");
  });

  it("stays delivered where Bellhop itself interrupted its turn; what it made way for is read", async () => {
    const { desk, coder } = await unhooked();
    const first = await desk.send("coder", "first");
    await desk.advance(5_000);
    const urgent = await desk.send("coder", "stop that", { priority: "interrupt" });
    await desk.advance(10_000);
    expect([coder.program.pressed.includes("Escape"), coder.program.submitted.length]).toEqual([true, 2]);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect([desk.state(first), desk.state(urgent)]).toEqual(["delivered", "read"]);
  });

  it("is read also where its turn was over before anything proved that it was taken", async () => {
    const { desk, coder } = await unhooked();
    coder.program.echoes = "no";
    desk.transcript = () => ({ kind: "absent" });
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    coder.program.becomes({ busy: false });
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("delivering");
    desk.transcript = () => ({ kind: "found", as: "turn" });
    await desk.advance(5_000);
    expect(desk.state(sent)).toBe("read");
  });

  it("is not read where it could not be confirmed", async () => {
    const { desk, coder } = await unhooked();
    coder.program.echoes = "no";
    const sent = await desk.send("coder", "hello");
    await desk.advance(30_000);
    expect(desk.state(sent)).toBe("unconfirmed");
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("unconfirmed");
  });

  it("is not read by what a successor does, nor by what happened while no daemon looked", async () => {
    const { desk, coder } = await unhooked();
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    desk.crash();
    coder.program.becomes({ busy: false });
    await desk.open();
    await desk.advance(10_000);
    coder.program.becomes({ busy: true });
    await desk.advance(10_000);
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("is recorded as read once the disk takes it", async () => {
    const { desk, coder } = await unhooked();
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    desk.disk.state = "full";
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.failures.splice(0)).toEqual(
      expect.arrayContaining([expect.stringContaining("turn.unrecorded")]),
    );
    desk.disk.state = "works";
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("read");
  });

  it("is recorded as read once the disk takes it, also where that was refused only after a while", async () => {
    const { desk, coder } = await unhooked();
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    desk.disk.refuses = "read";
    coder.program.becomes({ busy: false });
    await desk.advance(10_000);
    expect(desk.failures.splice(0)).toEqual(
      expect.arrayContaining([expect.stringContaining("turn.unrecorded")]),
    );
    desk.disk.refuses = undefined;
    await desk.advance(10_000);
    expect(desk.state(sent)).toBe("read");
  });
});

it("raw text is never read: no turn is known to contain it", async () => {
  const { desk, coder } = await unhooked();
  const sent = await desk.send("coder", "/compact", { raw: true, keys: ["Enter"] });
  await desk.advance(5_000);
  expect(coder.program.submitted).toEqual(["/compact"]);
  coder.program.becomes({ busy: false });
  await desk.advance(10_000);
  expect(desk.state(sent)).toBe("delivered");
});

it("a program with hooks is believed by its hooks alone", async () => {
  const { desk, coder } = await unhooked();
  await desk.hooked(coder);
  coder.program.onSubmit = (prompt) => {
    coder.program.becomes({ busy: true });
    void desk.hook(coder, { turn: "prompt-submitted", prompt });
  };
  const sent = await desk.send("coder", "hello");
  await desk.advance(5_000);
  coder.program.becomes({ busy: false });
  await desk.advance(20_000);
  expect(desk.state(sent)).toBe("delivered");
  await desk.turnEnds(coder);
  await desk.advance(1_000);
  expect(desk.state(sent)).toBe("read");
});
