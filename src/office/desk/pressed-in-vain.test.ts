/** A press that presses nothing while the dialog stays open: the person is told why, and gets new buttons, once. */
import { describe, expect, it } from "vitest";
import { asksFor, leaves, withPhone } from "../../../tests/desk/paged.ts";
import { CHAT } from "../../../tests/desk/phone.ts";

const PAGE = "[coder] asks for a permission:\nAllow this?\ntouch a";
const ANSWERED = "⚠ That dialog was answered already. Nothing was pressed.";
const IN_VAIN = expect.stringMatching(/^✗ Nothing was pressed in \[.*\]: /u);
const CLAIMS = { user: "dev" };

async function asked() {
  const all = await withPhone();
  const { desk, coder } = all;
  leaves(desk);
  coder.program.becomes({ dialog: asksFor("touch a") });
  await desk.advance(5_000);
  /** Until a press has expired. */
  const somebodyTypes = async (seconds = 75) => {
    for (let second = 0; second < seconds; second += 1) {
      coder.program.terminal.personTyped();
      await desk.advance(1_000);
    }
  };
  return { ...all, somebodyTypes };
}

async function notPressedInTime() {
  const all = await asked();
  all.coder.program.terminal.personTyped();
  await all.phone.presses("Approve");
  await all.somebodyTypes();
  return all;
}

describe("a press that waits too long, because somebody types there", () => {
  it("is given up, and new buttons take the place of those that are gone", async () => {
    const { desk, coder, phone } = await notPressedInTime();
    expect(coder.program.answers).toEqual([]);
    expect(phone.texts()).toEqual([PAGE, IN_VAIN, PAGE]);
    await desk.advance(3_600_000);
    expect(phone.texts()).toHaveLength(3);
    await phone.presses("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(phone.texts().at(-1)).toMatch(/^✓ Approved in/u);
  });

  it("leaves the old buttons without effect, also after the new ones", async () => {
    const { desk, coder, phone } = await notPressedInTime();
    await phone.presses("Deny", 0);
    await desk.advance(10_000);
    expect(phone.texts().at(-1)).toBe(ANSWERED);
    await phone.presses("Approve", 2);
    await phone.presses("Deny", 0);
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(phone.heard.filter(({ buttons }) => buttons !== undefined)).toHaveLength(2);
    const { read } = desk.store;
    const users = phone.heard
      .flatMap(({ buttons = [] }) => buttons)
      .map(({ nonce }) => read.dialogKey(nonce)?.usedBy);
    expect(users).toEqual([CHAT, CHAT, CHAT, CHAT]);
  });

  it("is asked anew once, though it was pressed several times", async () => {
    const { desk, coder, phone, somebodyTypes } = await asked();
    coder.program.terminal.personTyped();
    await phone.presses("Approve", 0);
    await phone.presses("Approve", 0);
    await phone.presses("Deny", 0);
    await somebodyTypes();
    await desk.advance(60_000);
    expect(phone.texts()).toEqual([PAGE, ANSWERED, ANSWERED, IN_VAIN, PAGE]);
  });

  it("is not asked anew if the person at the terminal has answered", async () => {
    const { desk, coder, phone, somebodyTypes } = await asked();
    coder.program.terminal.personTyped();
    await phone.presses("Approve");
    await somebodyTypes(30);
    coder.program.answersDialog();
    await desk.advance(90_000);
    expect(phone.texts()).toEqual([PAGE, "⚠ That dialog is closed already. Nothing was pressed."]);
  });

  it("is asked anew on every channel of the person", async () => {
    const { desk, coder, phone, somebodyTypes } = await asked();
    const { settings } = desk;
    desk.settings = { ...settings, desk: { ...settings.desk, channels: [CHAT, "telegram/7"] } };
    await phone.connect();
    await desk.advance(5_000);
    expect(phone.texts()).toEqual([PAGE, PAGE]);
    coder.program.terminal.personTyped();
    await phone.presses("Approve", 0);
    await somebodyTypes();
    expect(phone.texts()).toHaveLength(5);
    expect(phone.texts()).toContainEqual(IN_VAIN);
    expect(phone.texts().filter((text) => text === PAGE)).toHaveLength(4);
    await phone.presses("Deny", 1);
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
  });

  it("is asked anew after a restart, while it waits or once it was given up, and only once", async () => {
    const { desk, coder, phone, somebodyTypes } = await asked();
    coder.program.terminal.personTyped();
    await phone.presses("Approve");
    await somebodyTypes(20);
    desk.crash();
    await desk.open();
    await phone.connect();
    await somebodyTypes();
    expect(phone.texts()).toEqual([PAGE, IN_VAIN, PAGE]);
    desk.crash();
    await desk.open();
    await phone.connect();
    await desk.advance(60_000);
    expect(phone.texts()).toHaveLength(3);
  });

  it("is asked anew if the daemon was down when its time was over", async () => {
    const { desk, coder, phone } = await asked();
    coder.program.terminal.personTyped();
    await phone.presses("Approve");
    desk.crash();
    desk.clock.sleeps(120_000);
    await desk.open();
    await phone.connect();
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    expect(phone.texts().filter((text) => text === PAGE)).toHaveLength(2);
  });

  it("gives the phone new buttons too if it was given at a terminal", async () => {
    const { desk, coder, phone, somebodyTypes } = await asked();
    const [one] = (await desk.done(desk.use.attention({}))).attention;
    coder.program.terminal.personTyped();
    await desk.done(desk.use.attention_answer({ id: one?.id ?? "", answer: "approve", claims: CLAIMS }));
    await somebodyTypes();
    expect(phone.texts()).toEqual([PAGE, PAGE]);
    await phone.presses("Deny");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["3"]);
  });
});

describe("a button that is refused", () => {
  it("because the pointer has moved, is followed by those for what is shown now", async () => {
    const { desk, coder, phone } = await asked();
    const moved = asksFor("touch a").replace("❯ 1.", "1.").replace("\n2.", "\n❯ 2.");
    coder.program.becomes({ dialog: moved });
    await desk.advance(5_000);
    expect(phone.texts()).toEqual([PAGE]);
    await phone.presses("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    const changed = "⚠ The terminal shows something else by now. Nothing was pressed.";
    expect(phone.texts()).toEqual([PAGE, changed, PAGE]);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await phone.presses("Approve", 0);
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    expect(phone.texts().at(-1)).toBe(ANSWERED);
    coder.program.becomes({ dialog: moved });
    await phone.presses("Approve", 2);
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
  });

  it("because it is of yesterday, is followed by new ones", async () => {
    const { desk, coder, phone } = await asked();
    await desk.advance(13 * 3_600_000);
    await phone.presses("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    const tooOld = "⚠ That message is too old to be answered. Nothing was pressed.";
    expect(phone.texts()).toEqual([PAGE, tooOld, PAGE]);
    await phone.presses("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
  });

  it("because the terminal cannot be read, is answered with the code, which works later", async () => {
    const { desk, coder, phone } = await asked();
    coder.program.becomes({ dialog: undefined, composer: "hidden" });
    await phone.presses("Approve");
    await desk.advance(10_000);
    const refusal = phone.texts().at(-1) ?? "";
    expect(refusal).toMatch(
      /^⚠ The terminal cannot be read now\. Nothing was pressed\.\nTo try again, reply "yes \w{6}" or "no \w{6}"\.$/u,
    );
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    await phone.writes(/yes \w{6}/u.exec(refusal)?.[0] ?? "");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(phone.texts()).toEqual([PAGE, refusal, expect.stringMatching(/^✓ Approved in/u)]);
  });
});
