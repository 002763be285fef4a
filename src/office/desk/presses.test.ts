/** A button under a permission on the phone: for that dialog, for that person, once. */
import { describe, expect, it } from "vitest";
import { subscribe } from "../../../tests/desk/broker-verbs.ts";
import type { Desk } from "../../../tests/desk/desk.ts";
import { asksFor, leaves, withPhone } from "../../../tests/desk/paged.ts";
import { CHAT } from "../../../tests/desk/phone.ts";
import { refuseKeysFromOutside } from "../accept/submission.ts";

describe("a button", () => {
  async function pressedLate(answer: (desk: Desk) => Promise<void>) {
    const all = await withPhone();
    const { desk, coder, phone } = all;
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    await answer(desk);
    return { ...all, press: (label: string) => phone.presses(label, 0) };
  }

  it("does nothing after the person has answered in the terminal", async () => {
    const { desk, coder, phone, press } = await pressedLate(async () => {});
    coder.program.answersDialog();
    await press("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    expect(phone.texts().at(-1)).toBe("⚠ That dialog is closed already. Nothing was pressed.");
    await press("Deny");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
  });

  it("does not answer another dialog, nor the same one that is asked again", async () => {
    const { desk, coder, phone, press } = await pressedLate(async () => {});
    coder.program.becomes({ dialog: asksFor("rm -rf /") });
    await press("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    coder.program.answersDialog();
    await desk.advance(5_000);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    await press("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
    expect(phone.texts().at(-1)).toBe("⚠ That dialog was answered already. Nothing was pressed.");
    await phone.presses("Approve", -2);
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
  });

  it("works once, and not after the other one", async () => {
    const { desk, coder, phone, press } = await pressedLate(async () => {});
    await press("Approve");
    await press("Deny");
    await press("Approve");
    await desk.advance(20_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(phone.texts().slice(1).toSorted()).toEqual([
      "⚠ That dialog was answered already. Nothing was pressed.",
      "⚠ That dialog was answered already. Nothing was pressed.",
      expect.stringMatching(/^✓ Approved in/u),
    ]);
  });

  it("is not undone, and no older text in its place", async () => {
    const { desk, coder, docs, phone, press } = await pressedLate(async () => {});
    await phone.writes("[docs] keep this");
    await desk.advance(10_000);
    await press("Approve");
    await desk.advance(10_000);
    await phone.writes("undo");
    await desk.advance(10_000);
    expect(phone.texts().at(-1)).toBe("✗ The answer to a permission cannot be undone. Nothing was changed.");
    expect(coder.program.answers).toEqual(["1"]);
    expect(docs.program.submitted).toEqual([expect.stringContaining("📱 keep this")]);
  });

  it("that was never made does nothing, and is relayed to nobody", async () => {
    const { desk, coder, docs, phone } = await pressedLate(async () => {});
    await phone.writes("Approve", { button: "approve-000000" });
    await desk.advance(10_000);
    expect([coder, docs].flatMap(({ program }) => [...program.answers, ...program.submitted])).toEqual([]);
    expect(phone.texts().at(-1)).toBe("✗ This answers no dialog. Nothing was pressed.");
  });

  it("of a stranger, or of somebody who may only write to subscribers, does nothing", async () => {
    const { desk, coder, phone } = await pressedLate(async () => {});
    const button = phone.heard[0]?.buttons?.[0]?.nonce ?? "";
    phone.allowed = ["7"];
    expect(await phone.writes("Approve", { button, from: "666" })).toBe("stranger");
    await phone.writes("Approve", { button, from: "7" });
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
  });

  it("goes to the desk, though an agent subscribes to the person's channel", async () => {
    const { desk, coder, docs, press } = await pressedLate(async (desk) => {
      await subscribe(desk, "docs", CHAT);
    });
    await press("Approve");
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(docs.program.submitted.filter((one) => !one.includes("✓ Approved in"))).toEqual([]);
  });

  it("is the only way: what comes from outside is never raw", async () => {
    const { desk, coder } = await pressedLate(async () => {});
    const raw = { raw: true, keys: ["1"], channel: "telegram", claims: { user: "dev" } };
    await expect(desk.done(desk.use.send({ to: "coder", body: "", ...raw }))).rejects.toMatchObject({
      code: "request.forbidden",
    });
    const submission = {
      sender: { address: "person/dev", source: "bridge" },
      form: { kind: "raw", keys: ["1"] },
    } as const;
    expect(() => refuseKeysFromOutside(submission)).toThrow("may not be raw");
    expect(coder.program.answers).toEqual([]);
  });
});
