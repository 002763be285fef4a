/** An agent answers what came from outside. */
import { describe, expect, it } from "vitest";
import type { DeskAgent } from "../../../tests/desk/agent.ts";
import { type Desk, oneAgent } from "../../../tests/desk/desk.ts";
import { connectedPhone, type Phone } from "../../../tests/desk/phone.ts";

const passed = (desk: Desk) => desk.advance(20_000);

function claimsOf({ sighting }: DeskAgent) {
  const { server, pane } = sighting.identity;
  return { user: "dev", tmux: { socket: server, pane } };
}

/** The command that the newest prompt names, if it names one. */
function hintIn({ program }: DeskAgent): string | undefined {
  return /To reply: bellhop (.+) "<your reply>"/u.exec(program.submitted.at(-1) ?? "")?.[1];
}

function idIn({ program }: DeskAgent): string {
  return /#([a-z0-9]{6})\]/u.exec(program.submitted.at(-1) ?? "")?.[1] ?? "";
}

async function asked(text = "How is the build?") {
  const { desk, coder } = await oneAgent();
  const phone = await connectedPhone(desk);
  await phone.writes(text);
  await passed(desk);
  return { desk, coder, phone };
}

/** Somebody whom the owner allowed writes in a place that an agent subscribes to. */
async function guestAsked() {
  const { desk, coder } = await oneAgent();
  const phone = await connectedPhone(desk);
  phone.allowed = ["7"];
  await desk.use.sub_add({ agent: "coder", pattern: "telegram/-100", claims: { user: "dev" } });
  await phone.writes("Is it done?", { path: "telegram/-100", from: "7", answerable: "-100/5" });
  await passed(desk);
  return { desk, coder, phone };
}

const answersOf = (phone: Phone) => phone.heard.filter(({ text }) => text.startsWith("[coder]"));

describe("reply to what came from outside", () => {
  it("goes back to the phone, as an answer to what was said there, and that counts as answered", async () => {
    const { desk, coder, phone } = await asked();
    const id = idIn(coder);
    const sent = await desk.done(
      desk.office.useCases.reply({ id, body: "It is green.", claims: claimsOf(coder) }, claimsOf(coder)),
    );
    await passed(desk);
    expect(answersOf(phone)).toMatchObject([{ text: "[coder] It is green.", answers: "u1" }]);
    expect(sent).toMatchObject({ bound: "explicit", deliveries: [{ to: "bridge/telegram" }] });
    const shown = await desk.use.show({ id });
    expect(shown.deliveries).toMatchObject([{ state: "replied" }]);
  });

  it("goes there too if it is sent to its sender with the id that it answers", async () => {
    const { desk, coder, phone } = await asked();
    await desk.sendAs(coder, "person/dev", "It is green.", { re: idIn(coder) });
    await passed(desk);
    expect(answersOf(phone)).toMatchObject([{ text: "[coder] It is green.", answers: "u1" }]);
  });

  it("is in the person's inbox if that bridge is no longer there", async () => {
    const { desk, coder, phone } = await asked();
    await desk.done(desk.office.closeBridge("telegram"));
    const claims = claimsOf(coder);
    await desk.done(desk.office.useCases.reply({ id: idIn(coder), body: "It is green.", claims }, claims));
    expect(answersOf(phone)).toEqual([]);
    const { entries } = await desk.use.inbox({ who: "person/dev", claims: { user: "dev" } });
    expect(entries.map(({ message }) => message.body)).toEqual(["It is green."]);
  });

  it("to somebody in a shared place goes to that place, by the command that the prompt names", async () => {
    const { desk, coder, phone } = await guestAsked();
    expect(coder.program.submitted[0]).toContain(`[message from: telegram/7 #${idIn(coder)}] 📱 Is it done?`);
    expect(hintIn(coder)).toBe(`reply ${idIn(coder)}`);
    const claims = claimsOf(coder);
    await desk.done(desk.office.useCases.reply({ id: idIn(coder), body: "Yes.", claims }, claims));
    await passed(desk);
    expect(answersOf(phone)).toMatchObject([{ text: "[coder] Yes.", answers: "-100/5" }]);
  });

  it("names no command under what the person says themselves: they are told what it answers", async () => {
    const { coder } = await asked();
    expect(coder.program.submitted[0]).toContain("[message from: dev #");
    expect(hintIn(coder)).toBeUndefined();
  });
});
