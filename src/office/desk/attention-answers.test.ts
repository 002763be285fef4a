/** A person answers a permission from the list of what wants them. */
import { describe, expect, it } from "vitest";
import { asksFor, leaves, withPhone } from "../../../tests/desk/paged.ts";

const claims = { user: "dev" };

async function asking() {
  const all = await withPhone();
  const { desk, coder } = all;
  leaves(desk);
  coder.program.becomes({ dialog: asksFor("touch a") });
  await desk.advance(5_000);
  const listed = async () => (await desk.done(desk.use.attention({}))).attention;
  const [one] = await listed();
  if (one === undefined) throw new Error("nothing wants the person");
  const answer = (word: string, id = one.id) =>
    desk.done(desk.use.attention_answer({ id, answer: word, claims }));
  return { ...all, one, listed, answer };
}

describe("what wants the person", () => {
  it("says with what it can be answered, and is answered once, as in its terminal", async () => {
    const { desk, coder, one, listed, answer } = await asking();
    expect(one).toMatchObject({ kind: "permission", agent: "coder", answers: ["approve", "deny"] });
    const sent = await answer("deny");
    await expect(answer("approve")).rejects.toMatchObject({ code: expect.stringMatching(/^attention\./u) });
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["3"]);
    expect(desk.state(sent)).toBe("delivered");
    expect(await listed()).toEqual([]);
    await expect(answer("approve")).rejects.toMatchObject({ code: "attention.unknown" });
    const { entries } = await desk.use.history({});
    expect(entries.find(({ message }) => message.id === sent.messageId)?.message).toMatchObject({
      from: "person/dev",
      command: "dialog-answer",
      payload: { answer: "deny" },
    });
  });

  it("is answered here before the phone, which then presses in vain", async () => {
    const { desk, coder, phone, answer } = await asking();
    await answer("approve");
    await phone.presses("Deny", 0);
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual(["1"]);
    expect(phone.texts().at(-1)).toMatch(/^⚠ That dialog (?:was answered|is closed) already/u);
  });

  it("is answered on the phone before here", async () => {
    const { desk, coder, phone, answer } = await asking();
    await phone.presses("Approve", 0);
    await expect(answer("deny")).rejects.toMatchObject({ code: expect.stringMatching(/^attention\./u) });
    await desk.advance(10_000);
    expect(coder.program.answers).not.toContain("3");
  });

  it("is not answered with another word, nor by somebody else, nor once the terminal has answered it", async () => {
    const { desk, coder, docs, answer, one } = await asking();
    await expect(answer("perhaps")).rejects.toMatchObject({ code: "usage.invalid" });
    const { server, pane } = docs.sighting.identity;
    const agent = { user: "dev", tmux: { socket: server, pane } };
    await expect(
      desk.office.useCases.attention_answer({ id: one.id, answer: "approve", claims: agent }, agent),
    ).rejects.toMatchObject({ code: "rights.missing" });
    coder.program.answersDialog();
    await expect(answer("approve")).rejects.toMatchObject({ code: expect.stringMatching(/^attention\./u) });
    await desk.advance(10_000);
    expect(coder.program.answers).toEqual([]);
  });
});
