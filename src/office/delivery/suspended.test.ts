/** A program that a person suspended: another program is in front of it and gets nothing. */
import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";

const FG = "when the person at its terminal brings it back with fg";

function suspend(agent: DeskAgent, standing: "stopped" | "behind" = "stopped"): void {
  agent.standing = standing;
  agent.program.terminal.change();
}

function bringBack(agent: DeskAgent): void {
  agent.standing = "in-front";
  agent.program.terminal.change();
}

function expectSuspended(desk: Desk, sent: Parameters<Desk["delivery"]>[0]): void {
  expect(desk.delivery(sent)).toMatchObject({ state: "queued", hold: { reason: "suspended", release: FG } });
}

describe("a suspended program", () => {
  it.each(["stopped", "behind"] as const)("is typed to once it is back (%s)", async (standing) => {
    const { desk, coder } = await oneAgent();
    suspend(coder, standing);
    const sent = await desk.send("coder", "hello");
    await desk.advance(60_000);
    expectSuspended(desk, sent);
    expect(coder.program.terminal.received.toString()).toBe("");
    bringBack(coder);
    await desk.advance(20_000);
    expect(desk.state(sent)).toBe("delivered");
    expect(coder.program.submitted).toHaveLength(1);
  });

  it("is not typed to if it is suspended after the choice, and no terminal tells of it", async () => {
    const { desk, coder } = await oneAgent();
    desk.onStep((step) => {
      if (step === "deliver.marked") coder.standing = "stopped";
    });
    const sent = await desk.send("coder", "hello");
    await desk.advance(5_000);
    expectSuspended(desk, sent);
    expect(coder.program.terminal.received.toString()).toBe("");
  });

  it.each([
    ["urgent", { priority: "interrupt" as const }],
    ["raw", { raw: true, keys: ["Enter"] }],
  ])("is not reached by what is %s either", async (_, more) => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    coder.program.becomes({ busy: true });
    suspend(coder);
    const sent = await desk.send("coder", "now", more);
    await desk.advance(60_000);
    expectSuspended(desk, sent);
    expect(coder.program.terminal.gateCalls.filter(({ outcome }) => outcome.kind === "sent")).toEqual([]);
  });

  it("is not reached by what a person lets go", async () => {
    const { desk, coder } = await oneAgent();
    suspend(coder);
    const sent = await desk.send("coder", "now");
    await desk.advance(1_000);
    await desk.done(desk.use.queue_change({ id: sent.messageId, change: "now" }));
    await desk.advance(60_000);
    expectSuspended(desk, sent);
    expect(coder.program.submitted).toEqual([]);
  });

  it("is not handed anything by its own inbox, which it does not read", async () => {
    const { desk, coder } = await oneAgent({ program: "stashing" });
    await desk.hooked(coder);
    desk.inbox.offer = { kind: "offered" };
    suspend(coder);
    const sent = await desk.send("coder", "hello");
    await desk.advance(60_000);
    expectSuspended(desk, sent);
    expect(desk.inbox.received).toEqual([]);
  });

  it("shows neither work nor a dialog nor a draft of its own", async () => {
    const { desk, coder } = await oneAgent();
    suspend(coder);
    coder.program.becomes({ dialog: "Allow rm?" });
    await desk.advance(5_000);
    const [listed] = (await desk.done(desk.use.ls({}))).sessions;
    expect(listed).toMatchObject({ readiness: "unknown", hold: { reason: "suspended", release: FG } });
    bringBack(coder);
    await desk.advance(5_000);
    const [back] = (await desk.done(desk.use.ls({}))).sessions;
    expect(back?.readiness).toBe("blocked");
    expect(back?.hold).toBeUndefined();
  });

  it("keeps its session while a second one is in front, which gets its own mail and no other", async () => {
    const { desk, coder } = await oneAgent();
    suspend(coder);
    const second = desk.agent("coder", { inPlaceOf: coder });
    await desk.done(desk.use.ls({}));
    const names = (await desk.done(desk.use.ls({}))).sessions.map(({ agent }) => agent);
    expect(names).toEqual(["coder", "coder-2"]);
    const first = await desk.send("coder", "for the first");
    const other = await desk.send("coder-2", "for the second");
    await desk.advance(20_000);
    expectSuspended(desk, first);
    expect(desk.state(other)).toBe("delivered");
    expect(second.program.submitted).toHaveLength(1);
    expect(coder.program.submitted).toEqual([]);
    second.standing = "stopped";
    bringBack(coder);
    await desk.advance(20_000);
    expect(desk.state(first)).toBe("delivered");
    expect(second.program.submitted).toHaveLength(1);
  });

  it("does not have its draft typed back into what is in front of it", async () => {
    const { desk, coder } = await oneAgent();
    coder.program.types("half a thought");
    const sent = await desk.send("coder", "hello", { priority: "interrupt" });
    coder.program.onSubmit = () => suspend(coder);
    await desk.advance(60_000);
    const typed = coder.program.terminal.received.length;
    expect(desk.drafts()).toMatchObject([{ state: "kept" }]);
    await expect(desk.done(desk.use.draft_restore({ who: "coder" }))).resolves.toBeDefined();
    expect(coder.program.terminal.received.length).toBe(typed);
    bringBack(coder);
    await desk.advance(60_000);
    expect(desk.drafts()).toMatchObject([{ state: "restored" }]);
    expect(coder.program.draft).toBe("half a thought");
    expect(desk.state(sent)).not.toBe("queued");
  });
});
