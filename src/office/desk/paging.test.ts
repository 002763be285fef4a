/** The person is told on their phone what needs them. */
import { describe, expect, it } from "vitest";
import type { Desk } from "../../../tests/desk/desk.ts";
import { asksFor, leaves, withPhone } from "../../../tests/desk/paged.ts";
import { CHAT } from "../../../tests/desk/phone.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";
import { parseQuietHours } from "../../core/time/quiet-hours.ts";

describe("a permission", () => {
  it("is asked for on the phone at once if the person is away, and approved there", async () => {
    const { desk, coder, docs, phone } = await withPhone();
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    expect(phone.texts()).toEqual(["[coder] asks for a permission:\nAllow this?\ntouch a"]);
    expect(phone.heard[0]?.buttons?.map(({ label }) => label)).toEqual(["Approve", "Deny"]);
    expect(await phone.presses("Approve")).toBe("accepted");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect([coder, docs].flatMap(({ program }) => program.submitted)).toEqual([]);
    expect(phone.texts()[1]).toMatch(/^✓ Approved in \[.*\]$/u);
    expect(phone.texts()).toHaveLength(2);
  });

  it("is denied there", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    await phone.presses("Deny");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["3"]);
    expect(phone.texts()[1]).toMatch(/^✓ Denied in \[.*\]$/u);
  });

  it("is recorded with who answered it", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    await phone.presses("Approve");
    await desk.advance(10_000);
    const { read } = desk.store;
    const arrival = read.arrivedAs("telegram", "u1") ?? "";
    const relay = read.relayOf(arrival);
    expect(relay).toMatchObject({ outcome: "answered-dialog", path: CHAT, owesConfirmation: false });
    expect(read.message(relay?.relayed ?? "")).toMatchObject({
      from: "person/dev",
      source: "bridge",
      channel: "telegram",
      command: "dialog-answer",
      payload: { answer: "approve" },
      form: { kind: "raw", keys: ["1"] },
    });
    expect(phone.heard[0]?.buttons?.map(({ nonce }) => read.dialogKey(nonce)?.usedBy)).toEqual([CHAT, CHAT]);
  });

  it("is asked for after a while if the person is there, unless they answer it before", async () => {
    const { desk, coder, docs, phone } = await withPhone();
    coder.program.becomes({ dialog: asksFor("touch a") });
    docs.program.becomes({ dialog: asksFor("touch b") });
    await desk.advance(10_000);
    docs.program.answersDialog();
    expect(phone.texts()).toEqual([]);
    await desk.advance(30_000);
    expect(phone.texts()).toEqual(["[coder] asks for a permission:\nAllow this?\ntouch a"]);
  });

  it("is told once, also after a restart, and again if it is asked again", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    await desk.open();
    await phone.connect();
    await desk.advance(60_000);
    expect(phone.heard).toHaveLength(1);
    coder.program.answersDialog();
    await desk.advance(5_000);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    expect(phone.heard).toHaveLength(2);
  });

  it("is told when a bridge comes after the question", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    desk.crash();
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.open();
    await desk.advance(60_000);
    expect(phone.heard).toEqual([]);
    await phone.connect();
    await desk.advance(5_000);
    expect(phone.heard).toHaveLength(1);
  });

  it("is answered by a code where there are no buttons, and by no other words", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    phone.bridge = "imessage";
    desk.settings = { ...desk.settings, desk: { ...desk.settings.desk, channels: ["imessage/me"] } };
    await phone.connect();
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    const { text = "", buttons } = phone.heard[0] ?? {};
    expect(buttons).toBeUndefined();
    const code = /^Reply "yes (\w{6})" or "no \1"\.$/mu.exec(text)?.[1] ?? "";
    const says = (words: string) => phone.writes(words, { path: "imessage/me" });
    await says("yes x9x9x9");
    await desk.advance(5_000);
    expect(phone.texts().at(-1)).toBe("✗ This answers no dialog. Nothing was pressed.");
    expect(coder.program.answers).toEqual([]);
    await says(`Yes ${code.toUpperCase()}`);
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(phone.texts().at(-1)).toMatch(/^✓ Approved in/u);
  });

  it("is answered by a yes or no to the message that asked, and by none elsewhere", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    await phone.writes("yes");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    await phone.writes("No!", { answers: ["b1"] });
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["3"]);
    expect(phone.texts().some((text) => text.startsWith("✓ Denied in"))).toBe(true);
  });

  it("is not told any more if it was answered while the channel was down", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    phone.answer = "down";
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(10_000);
    coder.program.answersDialog();
    await desk.advance(5_000);
    phone.answer = { kind: "said" };
    await desk.advance(180_000);
    expect(phone.heard).toEqual([]);
    expect(desk.store.read.deliveries({ states: ["cancelled"] })).toHaveLength(1);
  });

  it.each([
    ["with buttons", asksFor("touch a")],
    ["without buttons", "Allow touch a?"],
  ])(
    "is not told any more if it was answered while its bridge was not configured: %s",
    async (_how, dialog) => {
      const { desk, coder, phone } = await withPhone();
      const { settings } = desk;
      leaves(desk);
      phone.answer = "down";
      coder.program.becomes({ dialog });
      await desk.advance(10_000);
      await desk.done(desk.office.closeBridge("telegram"));
      desk.settings = AS_SHIPPED;
      desk.office.reconsider();
      coder.program.answersDialog();
      await desk.advance(5_000);
      desk.settings = settings;
      phone.answer = { kind: "said" };
      await phone.connect();
      await desk.advance(180_000);
      expect(phone.heard).toEqual([]);
      coder.program.becomes({ dialog });
      await desk.advance(5_000);
      expect(phone.heard).toHaveLength(1);
    },
  );

  it.each([
    ["a question without choices", "Allow touch a?"],
    ["a yes for always", "Allow this?\ntouch a\n❯ 1. Yes, always\n2. No"],
  ])("has no buttons if its answers cannot be told: %s", async (_what, dialog) => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    coder.program.becomes({ dialog });
    await desk.advance(5_000);
    expect(phone.heard[0]?.text).toMatch(/\nAnswer it in its terminal\.$/u);
    expect(phone.heard[0]?.buttons).toBeUndefined();
  });

  it("is told nobody whose channel no bridge reaches", async () => {
    const { desk, coder, phone } = await withPhone();
    leaves(desk);
    desk.settings = { ...desk.settings, desk: { ...desk.settings.desk, channels: ["slack/team/@me"] } };
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(60_000);
    expect(phone.heard).toEqual([]);
    expect(desk.store.read.unmatched({ limit: 5 })).toEqual([]);
  });
});

describe("the end of a turn", () => {
  const says = (desk: Desk, text: string) => {
    desk.conversation = () => ({
      kind: "read",
      file: "/x",
      utterances: [
        { by: "prompt", text: "do it" },
        { by: "agent", text },
      ],
      more: false,
    });
  };

  it("is told with what the agent said last, if it was long and the person is away", async () => {
    const { desk, coder, phone } = await withPhone();
    says(desk, "All \u001b[31mtests\u001b[0m pass.");
    leaves(desk);
    coder.program.becomes({ busy: true });
    await desk.advance(40_000);
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(phone.texts()).toEqual(["[coder] has finished:\nAll tests pass."]);
    const listed = async () => (await desk.use.attention({})).attention;
    expect(await listed()).toMatchObject([
      { kind: "turn-end", agent: "coder", text: "has finished: All tests pass.", toldOn: ["telegram/42"] },
    ]);
    await phone.writes("go on", { answers: ["b1"] });
    await desk.advance(20_000);
    expect(coder.program.submitted[0]).toContain("📱 go on");
    coder.program.becomes({ busy: true });
    await desk.advance(1_000);
    expect(await listed()).toEqual([]);
    coder.program.becomes({ busy: false });
    await desk.advance(1_000);
    expect(await listed()).toEqual([]);
  });

  it("is told by its hooks too, once, and not if the turn was short", async () => {
    const { desk, coder, phone } = await withPhone();
    await desk.hooked(coder);
    leaves(desk);
    coder.program.types("hello");
    coder.program.sends();
    coder.program.becomes({ busy: true });
    await desk.advance(5_000);
    await desk.turnEnds(coder);
    await desk.advance(20_000);
    expect(phone.texts()).toEqual([]);
    coder.program.types("more");
    coder.program.sends();
    coder.program.becomes({ busy: true });
    await desk.advance(31_000);
    await desk.turnEnds(coder);
    await desk.advance(20_000);
    expect(phone.texts()).toEqual(["[coder] has finished."]);
  });

  it("is told however short it was, if it answered somebody outside", async () => {
    const { desk, coder, phone } = await withPhone();
    await desk.hooked(coder);
    leaves(desk);
    await phone.writes("[coder] how far?");
    await desk.advance(5_000);
    coder.program.becomes({ busy: true });
    await desk.advance(2_000);
    says(desk, "Halfway.");
    await desk.turnEnds(coder);
    await desk.advance(20_000);
    expect(phone.texts().at(-1)).toBe("[coder] has finished:\nHalfway.");
  });

  async function longTurn() {
    const all = await withPhone();
    const { desk, coder } = all;
    desk.settings = { ...desk.settings, desk: { ...desk.settings.desk, bridges: ["telegram"] } };
    await desk.hooked(coder);
    leaves(desk);
    says(desk, "All done.");
    coder.program.types("do it");
    coder.program.sends();
    coder.program.becomes({ busy: true });
    await desk.advance(40_000);
    const restarts = async () => {
      desk.crash();
      await desk.open();
      await all.phone.connect();
      await desk.advance(20_000);
    };
    const listed = async () => (await desk.use.attention({})).attention.map(({ kind, text }) => [kind, text]);
    return { ...all, restarts, listed };
  }

  it("still wants the person after a restart, and is not told again", async () => {
    const { desk, coder, phone, restarts, listed } = await longTurn();
    await desk.turnEnds(coder);
    await desk.advance(20_000);
    await restarts();
    expect(phone.texts()).toEqual(["[coder] has finished:\nAll done."]);
    expect(await listed()).toEqual([["turn-end", "has finished: All done."]]);
    coder.program.types("go on");
    coder.program.sends();
    coder.program.becomes({ busy: true });
    await desk.advance(5_000);
    await restarts();
    expect(await listed()).toEqual([]);
  });

  it("wants the person for a day, also without a restart", async () => {
    const { desk, coder, listed } = await longTurn();
    await desk.turnEnds(coder);
    await desk.advance(23 * 3_600_000);
    expect(await listed()).toEqual([["turn-end", "has finished: All done."]]);
    await desk.advance(3_601_000);
    expect(await listed()).toEqual([]);
  });

  it("is told after a restart if the daemon died before it could tell it", async () => {
    const { desk, coder, phone, restarts, listed } = await longTurn();
    await desk.turnEnds(coder);
    expect(phone.texts()).toEqual([]);
    await restarts();
    expect(phone.texts()).toEqual(["[coder] has finished:\nAll done."]);
    expect(await listed()).toEqual([["turn-end", "has finished: All done."]]);
    await restarts();
    expect(phone.texts()).toHaveLength(1);
  });

  it("is told nobody who is there", async () => {
    const { desk, coder, phone } = await withPhone();
    coder.program.becomes({ busy: true });
    await desk.advance(40_000);
    coder.program.becomes({ busy: false });
    await desk.advance(20_000);
    expect(phone.texts()).toEqual([]);
  });
});

describe("in quiet hours", () => {
  it("the person is told nothing, and afterwards what still stands, the last turn of each agent only", async () => {
    const { desk, coder, docs, phone } = await withPhone();
    leaves(desk);
    // The clock of the desk begins at nine.
    const quiet = { hours: parseQuietHours("08:00-10:00"), except: ["question"] as const };
    desk.settings = { ...desk.settings, desk: { ...desk.settings.desk, quiet } };
    coder.program.becomes({ dialog: asksFor("touch a") });
    for (const begun of ["one", "two"]) {
      docs.program.becomes({ busy: true });
      docs.program.prints(begun);
      await desk.advance(40_000);
      docs.program.becomes({ busy: false });
      await desk.advance(40_000);
    }
    expect(phone.texts()).toEqual([]);
    await desk.advance(2 * 3_600_000);
    expect(phone.texts().filter((text) => text.startsWith("[coder]"))).toHaveLength(1);
    expect(phone.texts().filter((text) => text.startsWith("[docs]"))).toHaveLength(1);
  });
});
