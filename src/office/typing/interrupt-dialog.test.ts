import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";

const URGENT = { priority: "interrupt" } as const;

function escapes({ program }: DeskAgent): number {
  return program.pressed.filter((key) => key === "Escape").length;
}

describe("an interrupt while a dialog is open", () => {
  it("closes the dialog, sees that it is gone, and delivers", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ dialog: "Allow reading?" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(20_000);
    expect(escapes(coder)).toBe(1);
    expect(coder.program.answers).toEqual([]);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("presses once for the same dialog, and holds while it stays open", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.dismissKey = "does-nothing";
    coder.program.becomes({ dialog: "Allow reading?" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(120_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
    expect(coder.program.answers).toEqual([]);
  });

  it("types nothing when another dialog shows instead", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ dialog: "Allow reading?" });
    coder.program.dismissKey = "does-nothing";
    coder.beforeAnswer = async () => coder.program.becomes({ dialog: "Allow deleting?" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(4_000);
    expect(desk.delivery(sent).hold?.reason ?? "blocked").toBe("blocked");
    expect(coder.program.answers).toEqual([]);
    expect(coder.program.submitted).toEqual([]);
  });

  it("holds blocked where no key is proven to close it", async () => {
    const { desk, coder } = await oneAgent({ program: "plain" });
    coder.program.becomes({ dialog: "Allow reading?" });
    const sent = await desk.send("coder", "stop", URGENT);
    await desk.advance(20_000);
    expect(coder.program.terminal.gateCalls).toEqual([]);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
  });

  it("closes none for an agent, until it is given the right", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.use.agent_add({ name: "tester" });
    const claims = { user: "dev", agent: "tester" };
    coder.program.becomes({ dialog: "Allow reading?" });
    const sent = await desk.send("coder", "stop", { ...URGENT, claims });
    await desk.advance(20_000);
    expect(escapes(coder)).toBe(0);
    expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "blocked" } });
    expect(desk.delivery(sent).hold?.release).toContain('"dismiss"');
    desk.settings = {
      ...desk.settings,
      rights: { everyone: [], byAgent: new Map([["tester", ["dismiss"]]]) },
    };
    await desk.advance(20_000);
    expect(escapes(coder)).toBe(1);
    expect(desk.state(sent)).toBe("delivered");
  });

  it("closes it for a person, whose message does not wait behind an agent's", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.use.agent_add({ name: "tester" });
    coder.program.becomes({ dialog: "Allow reading?" });
    const agents = await desk.send("coder", "no", { ...URGENT, claims: { user: "dev", agent: "tester" } });
    await desk.advance(20_000);
    const persons = await desk.send("coder", "yes", URGENT);
    await desk.advance(60_000);
    expect(coder.program.answers).toEqual([]);
    expect([desk.state(persons), desk.state(agents)]).toEqual(["delivered", "delivered"]);
  });
});
