import { describe, expect, it } from "vitest";
import { tokenOf } from "../../../tests/desk/broker-verbs.ts";
import { oneAgent } from "../../../tests/desk/desk.ts";
import { CHAT, connectedPhone } from "../../../tests/desk/phone.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";

describe("away", () => {
  it("is what the person said, also after a restart, until they leave it to Bellhop again", async () => {
    const { desk } = await oneAgent();
    const now = (mode?: "on" | "off" | "auto") =>
      desk.done(desk.use.away(mode === undefined ? {} : { mode }));
    expect(await now()).toMatchObject({ mode: "auto", is: "present", channels: [] });
    expect(await now("on")).toMatchObject({ mode: "on", is: "away" });
    await desk.open();
    expect(await now()).toMatchObject({ mode: "on", is: "away", why: "you said so" });
    expect(await now("off")).toMatchObject({ mode: "off", is: "present" });
    desk.attended = { people: 0 };
    expect(await now()).toMatchObject({ is: "present" });
    expect(await now("auto")).toMatchObject({ is: "away", why: "nobody looks at a terminal" });
    desk.attended = undefined;
    expect(await now()).toMatchObject({ is: "unknown" });
    desk.attended = { people: 1, idleMs: 180_000 };
    expect(await now()).toMatchObject({ is: "away", why: "no key was pressed for 180 s" });
  });

  it("is the owner's to say", async () => {
    const { desk } = await oneAgent();
    const asked = desk.office.useCases.away({ mode: "on" }, tokenOf("coder"));
    await expect(desk.done(Promise.resolve(asked))).rejects.toMatchObject({ code: "rights.missing" });
    expect(await desk.done(desk.use.away({}))).toMatchObject({ mode: "auto" });
  });

  it("shows where the person is told, and what they were told of", async () => {
    const { desk, coder } = await oneAgent();
    desk.settings = { ...AS_SHIPPED, desk: { ...AS_SHIPPED.desk, channels: [CHAT, "slack/team/@me"] } };
    await connectedPhone(desk);
    expect(await desk.done(desk.use.away({ mode: "on" }))).toMatchObject({ channels: [CHAT] });
    coder.program.becomes({ dialog: "Allow touch a?" });
    await desk.advance(5_000);
    expect(await desk.done(desk.use.attention({}))).toMatchObject({ attention: [{ toldOn: [CHAT] }] });
  });
});
