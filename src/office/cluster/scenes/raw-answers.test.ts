import { describe, expect, it } from "vitest";
import { letter, refusal } from "../../../../tests/desk/forged-letters.ts";
import { aliceAndBob } from "../../../../tests/desk/host-desks.ts";
import { letterSchema } from "../../../wire/cluster/parcels.ts";

const ASKS = "Allow this?\nrm -r build\n❯ 1. Yes\n2. No";
const CODE = /--dialog ([a-z0-9]{6})/u;

/** Bob has asked, and keys from another host wait: their sender was told the code. */
async function asked(dialog = ASKS) {
  const hosts = await aliceAndBob(["send", "raw"]);
  const { cluster, a, bob } = hosts;
  bob.program.prints("a line of its conversation");
  bob.program.becomes({ dialog });
  await cluster.advance(5_000);
  const early = await a.send("b:bob", "/model", { raw: true, keys: ["Enter"] });
  await cluster.advance(5_000);
  const told = () => a.delivery(early).hold?.release ?? "";
  const code = CODE.exec(told())?.[1] ?? "";
  const answer = (...keys: string[]) => a.send("b:bob", "", { raw: true, keys, dialog: code });
  return { ...hosts, early, told, code, answer };
}

describe("an answer to a dialog on another host", () => {
  it("uses its code up: a second one presses nothing, however slow the program is", async () => {
    const { cluster, a, b, bob, answer, told, code } = await asked();
    // A key that this program takes without a change.
    const [first, second] = [await answer("y"), await answer("y")];
    await cluster.advance(20_000);
    expect(bob.program.answers).toEqual(["y"]);
    expect(a.state(first)).toBe("unconfirmed");
    expect(a.state(second)).toBe("failed");
    expect(a.lastNote(second)).toContain("that dialog was answered already");
    expect(b.delivery(second).attempts).toBe(0);
    expect(told()).not.toMatch(CODE);
    bob.program.answersDialog();
    bob.program.becomes({ busy: true });
    await cluster.advance(5_000);
    bob.program.becomes({ busy: false, dialog: ASKS });
    await cluster.advance(10_000);
    expect(told()).toMatch(CODE);
    expect(told()).not.toContain(code);
  });

  it("keeps its code if the terminal has certainly not taken the keys", async () => {
    const { cluster, a, bob, answer } = await asked();
    bob.program.terminal.answerGate({ kind: "sent" }, { kind: "refused", because: ["unavailable"] });
    const sent = await answer("1");
    await cluster.advance(20_000);
    expect(bob.program.answers).toEqual(["1"]);
    expect(a.state(sent)).toBe("delivered");
  });

  it("is not pressed, and no dialog is told, once that host may not press keys any more", async () => {
    const { cluster, a, b, bob, early, told } = await asked();
    expect(told()).toMatch(CODE);
    b.admits("a", ["send"]);
    await cluster.advance(20_000);
    expect(told()).toContain("when this dialog is answered");
    expect(told()).not.toMatch(CODE);
    bob.program.answersDialog();
    await cluster.advance(20_000);
    expect(a.state(early)).toBe("failed");
    expect(a.lastNote(early)).toContain("a may not press keys here any more: nothing was typed");
    expect(bob.program.answers).toEqual([]);
    expect(bob.program.submitted).toEqual([]);
  });

  it("is keys only, as many as at home", async () => {
    const { cluster, a, b, bob, code } = await asked();
    const typed = a.send("b:bob", "yes", { raw: true, keys: ["Enter"], dialog: code });
    await expect(typed).rejects.toMatchObject({ message: "An answer to a dialog is keys only." });
    const form = { kind: "raw", keys: ["1"], dialog: code };
    expect(await refusal(cluster, b, letter({ message: { body: "yes", form } }))).toMatch(/keys only/u);
    const isRead = (more: object) =>
      letterSchema.safeParse(letter({ message: { body: "", form: { ...form, ...more } } })).success;
    const keys = (length: number) => ({ keys: Array.from({ length }, () => "1") });
    expect([keys(32), keys(33)].map(isRead)).toEqual([true, false]);
    // A code has a digit.
    expect([{ dialog: "abcde1" }, { dialog: "none" }, { dialog: "abcdef" }].map(isRead)).toEqual([
      true,
      true,
      false,
    ]);
    b.warnings.length = 0;
    expect(bob.program.answers).toEqual([]);
  });

  it("needs no code at home", async () => {
    const { b, bob, code } = await asked();
    const sent = b.send("bob", "", { raw: true, keys: ["1"], dialog: code });
    await expect(sent).rejects.toMatchObject({
      message: "The code of a dialog is for an agent on another host.",
    });
    expect(bob.program.answers).toEqual([]);
  });

  it("is another one with another code, whatever its idempotency key", async () => {
    const { a } = await asked();
    const answer = (dialog: string) =>
      a.send("b:bob", "", { raw: true, keys: ["1"], dialog, idempotencyKey: "once" });
    await answer("aaaaa1");
    await answer("aaaaa1");
    await expect(answer("aaaaa2")).rejects.toMatchObject({ code: "message.conflict" });
  });

  it("stands in no list", async () => {
    const { a, b } = await asked();
    for (const desk of [a, b]) {
      expect(JSON.stringify(await desk.use.ls({}))).not.toMatch(CODE);
    }
    const shown = await b.use.session({ who: "bob" });
    expect(shown.hold?.release).toBe("when this dialog is answered: the raw text was not sent for it");
    expect(JSON.stringify(shown)).not.toMatch(CODE);
  });

  it("shows the commands of the dialog as they stand", async () => {
    const { told } = await asked(ASKS.replace("rm -r build", "run: bellhop away (bellhop ls)"));
    expect(told()).toContain("⏎ run: bellhop away (bellhop ls) ⏎");
  });
});
