import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SEND_SCRIPT } from "../../../src/bridges/imessage/osascript.ts";
import { until } from "../../rig/scripted-agent.ts";
import { FRIEND, IMessageStage, lateAtWill, MAIL, PATIENT_CLOCK, PHONE } from "./imessage-stage.ts";

const SAID = { kind: "said" };
let stage: IMessageStage;

beforeEach(async () => {
  stage = await IMessageStage.open();
});

afterEach(async () => {
  await stage.close();
});

describe("what iMessage says", () => {
  it("is never part of the script, whatever it says", async () => {
    const bridge = await stage.connected();
    const hostile = [
      '" & (do shell script "touch /tmp/owned") & "',
      "-e 'display dialog 1'",
      "--",
      '\\" \\n end tell\nend run\non run argv',
      "$(id) `id` 🙂 \u2028 «event»",
    ];
    for (const text of hostile) expect((await stage.say(bridge, { text })).outcome).toEqual(SAID);
    const scripts = await stage.messages.scripts();
    expect(scripts.map(({ args }) => args)).toEqual(hostile.map((text) => ["-", PHONE, text]));
    expect(new Set(scripts.map(({ script }) => script))).toEqual(new Set([SEND_SCRIPT]));
  });

  it("gives osascript nothing of the daemon's environment that it does not need", async () => {
    const bridge = await stage.connected();
    await stage.say(bridge);
    const [script] = await stage.messages.scripts();
    expect(script?.environment).toContain("PATH");
    expect(script?.environment).not.toContain("BELLHOP_SECRET");
  });

  it("goes only to people who are configured", async () => {
    const bridge = await stage.connected();
    for (const path of [`imessage/${FRIEND}`, "imessage/", "imessage/x", `imessage/${PHONE}/more`]) {
      expect(bridge.reaches(path)).toBe(false);
      expect((await stage.say(bridge, { path })).outcome).toMatchObject({ kind: "refused" });
    }
    expect(bridge.reaches(`imessage/${MAIL}`)).toBe(true);
    expect(await stage.messages.scripts()).toEqual([]);
  });

  it("does not come back, in a chat with oneself neither, also in parts and as a repeat", async () => {
    const { messages, inbox } = stage;
    const bridge = await stage.connected();
    await messages.behaves({ isSelf: true });
    await stage.say(bridge, { text: "long ".repeat(2_000), perhapsSaid: true });
    await messages.writes({ text: "mine", from: PHONE });
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["mine"]);
    expect(inbox.echoes).toHaveLength(4);
  });

  it("is found under the id that Messages gives it, though its row comes late", async () => {
    const bridge = await stage.connected({}, { clock: PATIENT_CLOCK });
    await stage.messages.behaves({ rowAfterMs: 600 });
    const { outcome, ids } = await stage.say(bridge);
    expect(outcome).toEqual(SAID);
    const rows = await stage.messages.query<{ readonly guid: string }>("SELECT guid FROM message");
    expect(ids).toEqual(rows.map(({ guid }) => guid));
  });

  it("has an id of ours if no row appears", async () => {
    const bridge = await stage.connected();
    await stage.messages.behaves({ writesNothing: true });
    expect(await stage.say(bridge)).toEqual({ outcome: SAID, ids: ["bellhop:m1:0"] });
  });

  it("has a row of its own each time, though the words are the same", async () => {
    const bridge = await stage.connected();
    const said = await Promise.all([1, 2, 3].map((number) => stage.say(bridge, { messageId: `m${number}` })));
    expect(new Set(said.flatMap(({ ids }) => ids)).size).toBe(3);
    for (const { ids } of said) for (const id of ids) expect(id).not.toMatch(/^bellhop:/u);
  });
});

describe("what iMessage cannot say", () => {
  it.each([
    ["Not authorized to send Apple events to Messages. (-1743)", "outage", /System Settings.*Automation/u],
    ["Messages got an error: Can’t get account 1. Invalid index. (-1719)", "outage", /sign in/u],
    ["Messages got an error: AppleEvent timed out. (-1712)", "outage", /does not answer/u],
    [
      'Messages got an error: Can’t get participant id "x". (-1728)',
      "refused",
      /^Messages refused: Messages got/u,
    ],
    ["something else", "refused", /something else/u],
  ])("is explained: %s", async (words, kind, why) => {
    const bridge = await stage.connected();
    await stage.messages.behaves({ fails: words });
    const { outcome, ids } = await stage.say(bridge);
    expect(outcome).toMatchObject({ kind, why: expect.stringMatching(why) });
    expect(ids).toEqual([]);
  });

  it("is refused if Messages notes an error", async () => {
    const bridge = await stage.connected();
    await stage.messages.behaves({ error: 22 });
    expect((await stage.say(bridge)).outcome).toMatchObject({
      kind: "refused",
      why: "Messages could not send it (its error 22).",
    });
  });

  it("is refused if there is no osascript", async () => {
    const bridge = await stage.connected({ osascript: "/nowhere/osascript" });
    expect((await stage.say(bridge)).outcome).toMatchObject({
      kind: "refused",
      why: expect.stringContaining("cannot be started (ENOENT)"),
    });
  });

  it("is ended at its deadline, and then marked as a possible repeat", async () => {
    const deadline = lateAtWill();
    const bridge = await stage.connected({}, deadline.surroundings);
    await stage.messages.behaves({ hangs: "before" });
    const saying = stage.say(bridge);
    await until(async () => (await stage.messages.scripts()).length === 1, "osascript to run");
    deadline.passes();
    expect((await saying).outcome).toMatchObject({
      kind: "outage",
      why: expect.stringContaining("did not answer within 12.345 s"),
    });
    await stage.messages.behaves({ hangs: undefined });
    await stage.say(bridge);
    const texts = (await stage.messages.scripts()).map(({ args }) => args[2]);
    expect(texts).toEqual(["The build is green.", "(perhaps a repeat) The build is green."]);
  });

  it("was said after all if Messages has it, though osascript never ended", async () => {
    const deadline = lateAtWill();
    const bridge = await stage.connected({}, deadline.surroundings);
    await stage.messages.behaves({ hangs: "after" });
    const saying = stage.say(bridge);
    await until(async () => (await stage.messages.query("SELECT 1 FROM message")).length === 1, "the row");
    deadline.passes();
    const { outcome, ids } = await saying;
    expect(outcome).toEqual(SAID);
    expect(ids[0]).not.toMatch(/^bellhop:/u);
  });

  it("is ended when the bridge is closed, and when whoever asked gives up", async () => {
    const bridge = await stage.connected();
    await stage.messages.behaves({ hangs: "before" });
    const asker = new AbortController();
    const first = stage.say(bridge, {}, asker.signal);
    await until(async () => (await stage.messages.scripts()).length === 1, "osascript to run");
    asker.abort();
    expect((await first).outcome).toMatchObject({ kind: "outage" });
    const second = stage.say(bridge);
    await until(async () => (await stage.messages.scripts()).length === 2, "osascript to run again");
    await bridge.close();
    expect((await second).outcome).toMatchObject({ kind: "outage" });
  });
});
