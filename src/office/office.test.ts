import { describe, expect, it } from "vitest";
import { openDesk } from "../../tests/office-desk.ts";

describe("the office", () => {
  it("types a message into an idle program and proves it by its screen", async () => {
    const desk = await openDesk();
    const coder = desk.agent("coder");
    await desk.ready();
    const sent = await desk.send("coder", "hello");
    await desk.advance(1_000);
    expect(coder.program.submitted).toEqual([`[message from: dev #${sent.shortId}] hello`]);
    expect(desk.delivery(sent)).toMatchObject({ state: "delivered", transport: "paste", evidence: "screen" });
    expect(desk.history(sent)).toEqual(["queued", "delivering", "delivered"]);
  });
});
