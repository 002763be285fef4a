import { describe, expect, it } from "vitest";
import { FORGED_ID, letter, refusal } from "../../../../tests/desk/forged-letters.ts";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";
import { letterOf } from "../sending/letters.ts";

const ASKS = "Allow this?\nrm -r build\n❯ 1. Yes\n2. No";
const ENTER = { raw: true, keys: ["Enter"] };
const CODE = /send keys with --dialog ([a-z0-9]{6})\. It shows: /u;

/** Hosts that may press keys on each other, and Bob's program has said something. */
async function withRaw() {
  const hosts = await aliceAndBob(["send", "raw"]);
  hosts.bob.program.prints("a line of its conversation");
  return hosts;
}
type Hosts = Awaited<ReturnType<typeof withRaw>>;

/** Bob asks; keys that are sent now wait for that to end, and their sender is told how to answer. */
async function asks({ cluster, a, bob }: Hosts, dialog = ASKS) {
  bob.program.becomes({ dialog });
  await cluster.advance(5_000);
  const early = await a.send("b:bob", "/model", ENTER);
  await cluster.advance(5_000);
  const release = a.delivery(early).hold?.release ?? "";
  return { early, release, code: CODE.exec(release)?.[1] };
}

describe("keys from another host", () => {
  it("are pressed once, if that host has the right", async () => {
    const { cluster, a, b, bob } = await withRaw();
    const sent = await a.send("b:bob", "/compact", ENTER);
    await cluster.advance();
    await cluster.advance(300_000);
    expect(bob.program.submitted).toEqual(["/compact"]);
    for (const desk of [a, b]) expect(desk.state(sent)).toBe("delivered");
    expect(a.delivery(sent)).toMatchObject({ transport: "host", evidence: "screen" });
  });

  it("are refused without it, and the sender hears why", async () => {
    const { cluster, a, bob } = await aliceAndBob(["send", "urgent"]);
    const sent = await a.send("b:bob", "/compact", ENTER);
    const urgent = await a.send("b:bob", "/compact", { ...ENTER, priority: "interrupt" });
    await cluster.advance();
    for (const one of [sent, urgent]) {
      expect(a.state(one)).toBe("failed");
      expect(a.lastNote(one)).toMatch(/^on b: "a may not press keys here, on b: bellhop cluster admit a /u);
    }
    expect(bob.program.terminal.received).toHaveLength(0);
  });

  it("wait while the program works, also if they are urgent, and interrupt nothing: as at home", async () => {
    const { cluster, a, b, bob } = await aliceAndBob(["send", "urgent", "raw"]);
    bob.program.becomes({ busy: true });
    const far = await a.send("b:bob", "/model", { ...ENTER, priority: "interrupt" });
    await cluster.advance(20_000);
    expect(bob.program.pressed).toEqual([]);
    const at = b.delivery(far);
    expect(at).toMatchObject({ state: "queued", hold: { reason: "busy" } });
    expect(a.delivery(far).hold).toMatchObject({ reason: "busy" });
    const near = await b.send("bob", "/clear", { ...ENTER, priority: "interrupt" });
    await cluster.advance(20_000);
    expect(b.delivery(near).hold?.reason).toBe("busy");
    bob.program.becomes({ busy: false });
    await cluster.advance(20_000);
    expect(bob.program.submitted).toEqual(["/model", "/clear"]);
    expect(a.state(far)).toBe("delivered");
  });

  it("need the right to interrupt too, if they are urgent", async () => {
    const { cluster, a, bob } = await withRaw();
    const sent = await a.send("b:bob", "/model", { ...ENTER, priority: "interrupt" });
    await cluster.advance();
    expect(a.lastNote(sent)).toMatch(/a may not interrupt agents here/u);
    expect(bob.program.terminal.received).toHaveLength(0);
  });

  it("wait while a dialog is open for which they were not sent, and say which", async () => {
    const hosts = await withRaw();
    const { cluster, a, bob } = hosts;
    const { early, release, code } = await asks(hosts);
    expect(release).toBe(
      'b has it: blocked, "when this dialog is answered: the raw text was not sent for it; ' +
        `to answer it, send keys with --dialog ${code}. It shows: Allow this? ⏎ rm -r build ⏎ ❯ 1. Yes ⏎ 2. No"`,
    );
    await cluster.advance(300_000);
    expect(a.delivery(early).hold?.release).toBe(release);
    expect(bob.program.answers).toEqual([]);
    bob.program.answersDialog();
    await cluster.advance(20_000);
    expect(bob.program.submitted).toEqual(["/model"]);
    expect(a.state(early)).toBe("delivered");
  });

  it("answer the dialog that they name", async () => {
    const hosts = await withRaw();
    const { cluster, a, bob } = hosts;
    const { code = "" } = await asks(hosts);
    const answer = await a.send("b:bob", "", { raw: true, keys: ["1"], dialog: code });
    await cluster.advance();
    expect(bob.program.answers).toEqual(["1"]);
    expect(a.state(answer)).toBe("delivered");
  });

  it("press nothing once it is closed, even if the next one reads the same, and the sender hears why", async () => {
    const hosts = await withRaw();
    const { cluster, a, b, bob } = hosts;
    const { early, code = "" } = await asks(hosts);
    await a.done(a.use.queue_change({ id: early.messageId, change: "cancel" }));
    bob.program.answersDialog();
    await cluster.advance(20_000);
    const late = await a.send("b:bob", "", { raw: true, keys: ["1"], dialog: code });
    await cluster.advance(20_000);
    const next = await asks(hosts);
    expect(next.code).not.toBe(code);
    const later = await a.send("b:bob", "", { raw: true, keys: ["1"], dialog: code });
    await cluster.advance(20_000);
    for (const one of [late, later]) {
      expect(a.state(one)).toBe("failed");
      expect(a.lastNote(one)).toMatch(/^on b: "no open dialog has this code: .*; nothing was typed"$/u);
      expect(b.delivery(one).attempts).toBe(0);
    }
    expect(bob.program.answers).toEqual([]);
    expect(bob.program.submitted).toEqual([]);
  });

  it("are told of no dialog that cannot be shown whole, or whose text keeps changing", async () => {
    const hosts = await withRaw();
    const { cluster, a, bob } = hosts;
    const long = await asks(hosts, ASKS.replace("rm -r build", "x".repeat(400)));
    expect(long.release).toContain("when this dialog is answered");
    expect(long.code).toBeUndefined();
    for (let second = 60; second > 50; second -= 1) {
      bob.program.becomes({ dialog: `${ASKS}\n${second} s left` });
      await cluster.advance(1_000);
      expect(a.delivery(long.early).hold?.release).toBe(long.release);
    }
  });

  it("are told of no dialog that may have begun above the screen", async () => {
    const hosts = await aliceAndBob(["send", "raw"]);
    const { release, code } = await asks(hosts);
    expect(release).toContain("when this dialog is answered");
    expect(code).toBeUndefined();
  });

  it("name no dialog by what it reads, and a program that was not asked from afar offers none", async () => {
    const { cluster, b, bob } = await withRaw();
    bob.program.becomes({ dialog: ASKS });
    await cluster.advance(5_000);
    const form = { kind: "raw", keys: ["1"], dialog: ASKS };
    expect(await refusal(cluster, b, letter({ message: { form } }))).toMatch(/cannot be read here/u);
    b.warnings.length = 0;
    const own = await b.send("bob", "", { raw: true, keys: ["Down"] });
    await cluster.advance();
    expect(b.delivery(own).hold?.release ?? "").not.toMatch(CODE);
    expect(bob.program.answers).toEqual(["Down"]);
  });

  it("for a dialog at home go into nothing elsewhere, if their agent has moved meanwhile", async () => {
    const { cluster, a, b, bob } = await withRaw();
    const sent = await a.send("b:bob", "1", ENTER);
    const item = { delivery: a.delivery(sent), message: a.store.read.message(sent.messageId) };
    if (item.message === undefined) throw new Error("it was not stored");
    const message = { ...item.message, form: { kind: "raw", keys: ["Enter"], dialog: ASKS } as const };
    const way = { from: "a", to: "b" } as const;
    const { form } = letterOf(a.store.read, { ...item, message }, way, cluster.clock.now()).message;
    expect(form).toEqual({ kind: "raw", keys: ["Enter"], dialog: "none" });
    await cluster.advance();
    bob.program.submitted.length = 0;
    expect(await refusal(cluster, b, letter({ message: { body: "1", form } }))).toBeUndefined();
    await cluster.advance(60_000);
    expect(bob.program.submitted).toEqual([]);
    expect(b.store.read.deliveriesOf(FORGED_ID)).toMatchObject([{ state: "failed", attempts: 0 }]);
  });
});
