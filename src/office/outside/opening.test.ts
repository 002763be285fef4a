/** Bridges that cannot be opened, and those that the configuration no longer names. */
import { describe, expect, it } from "vitest";
import { oneAgent } from "../../../tests/desk/desk.ts";
import { CHAT, connectedPhone } from "../../../tests/desk/phone.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";
import { BRIDGE_NAMES } from "../../core/outside/places.ts";
import type { Bridge } from "../../ports/bridge.ts";

const CONFIGURED = {
  ...AS_SHIPPED,
  desk: { ...AS_SHIPPED.desk, bridges: ["telegram"], channels: [CHAT] },
} as const;

describe("a bridge that fails while it is opened", () => {
  async function failed() {
    const { desk, coder } = await oneAgent();
    desk.settings = CONFIGURED;
    let closed = 0;
    const bridge: Bridge = {
      name: "telegram",
      reaches: () => true,
      open: () => Promise.reject(new Error("no room")),
      say: async () => ({ kind: "said" }),
      health: () => ({ state: "connecting", since: 0 }),
      close: async () => {
        closed += 1;
        throw new Error("it was not open");
      },
    };
    const opening = desk.office.openBridge(bridge, { isOwner: () => true, isAllowed: () => true });
    await expect(desk.done(opening)).rejects.toThrow("no room");
    desk.office.awaitBridge("telegram");
    return { desk, coder, closed: () => closed };
  }

  it("is closed, and is not shown as one that starts", async () => {
    const { desk, closed } = await failed();
    expect((await desk.use.bridges({})).bridges).toEqual([]);
    expect(closed()).toBe(1);
  });

  it("is waited for by what is said there, which says so, and goes out once it is open", async () => {
    const { desk, coder } = await failed();
    const sent = await desk.sendAs(coder, CHAT, "first");
    await desk.advance(1_000);
    expect(desk.delivery(sent).hold).toMatchObject({ release: "when telegram is open" });
    const phone = await connectedPhone(desk);
    await desk.advance(5_000);
    expect([phone.texts(), desk.state(sent)]).toEqual([["[coder] first"], "delivered"]);
  });
});

describe("a bridge that left the configuration while no daemon ran", () => {
  it("is named by what still waits for it", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = CONFIGURED;
    const sent = await desk.sendAs(coder, CHAT, "first");
    await desk.advance(1_000);
    desk.crash();
    desk.settings = AS_SHIPPED;
    await desk.open();
    for (const name of BRIDGE_NAMES) desk.office.awaitBridge(name);
    await desk.advance(1_000);
    expect(desk.delivery(sent).hold).toMatchObject({
      release: "when telegram is configured again (bellhop bridge add telegram)",
    });
  });
});
