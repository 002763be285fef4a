/** What holds at every door: the same request has the same effect, the same answer and the same refusal. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { DOORS, DoorStage, type Told } from "./door.ts";

const stage = new DoorStage();
beforeAll(() => stage.open());
afterAll(() => stage.close());

function must<T>({ ok, error }: Told<T>): T {
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return ok as T;
}

describe.each(DOORS)("the %s door", (name) => {
  const door = () => stage.door(name);

  it("takes a message and stores it once", async () => {
    const text = `once, by ${name}`;
    must(await door().send({ to: "reviewer", text }));
    expect(await stage.stored(text)).toBe(1);
  });

  it("gives an id that every door understands, and all show the same", async () => {
    const id = must(await door().send({ to: "reviewer", text: `shown, by ${name}` }));
    const shown = DOORS.flatMap((other) => stage.door(other).show ?? []);
    const facts = await Promise.all(shown.map(async (show) => must(await show(id))));
    expect(facts).toHaveLength(3);
    for (const one of facts)
      expect(one).toEqual({
        from: expect.stringMatching(/^person\//),
        to: "agent/reviewer",
        deliveries: [{ to: "agent/reviewer", state: "queued" }],
      });
    expect(new Set(facts.map(({ from }) => from)).size).toBe(1);
  });

  it("takes an idempotency key: the same again is the same message, and by no other door a second one", async () => {
    if (!door().takesKeys) return expect(name).toBe("MCP");
    const message = { to: "reviewer", text: `with a key, by ${name}`, key: `key-${name}` };
    const id = must(await door().send(message));
    expect(must(await door().send(message))).toBe(id);
    for (const other of DOORS.filter((one) => stage.door(one).takesKeys)) {
      const { ok, error } = await stage.door(other).send(message);
      // Each door may add to what it stores (the path it went by): then it is another message, and refused.
      expect(ok ?? error?.code).toBe(ok === undefined ? "message.conflict" : id);
    }
    expect(await stage.stored(message.text)).toBe(1);
  });

  it("refuses a recipient that nobody knows, with a next step", async () => {
    const { error } = await door().send({ to: "nobody-here", text: "hello" });
    expect(error).toMatchObject({
      code: "recipient.unknown",
      message: expect.stringContaining('"nobody-here"'),
      next: expect.stringMatching(/\S/),
    });
  });

  it("refuses what it does not understand, names the field, and changes nothing", async () => {
    const { error } = await door().sendAmiss();
    expect(error).toMatchObject({
      code: "request.malformed",
      message: expect.stringContaining("boddy"),
      next: expect.stringMatching(/\S/),
    });
    expect(await stage.stored("amiss")).toBe(0);
  });

  it("refuses an agent the mail of another, and names the right", async () => {
    const id = must(await door().send({ to: "reviewer", text: `not for coder, by ${name}` }));
    expect((await door().readOthersMail(id)).error).toMatchObject({
      code: "rights.missing",
      message: expect.stringContaining('"mail-of-others"'),
      next: expect.stringContaining("rights: {"),
    });
  });

  it("takes a text of the greatest length, and none that is longer", async () => {
    const text = `${name} `.padEnd(LIMITS.bodyBytes, "x");
    must(await door().send({ to: "reviewer", text }));
    expect(await stage.stored(text)).toBe(1);
    expect((await door().send({ to: "reviewer", text: `${text}x` })).error).toMatchObject({
      code: "message.too_large",
      next: expect.stringContaining("file"),
    });
    expect(await stage.stored(`${text}x`)).toBe(0);
  });

  it("says that the daemon is there", async () => {
    expect(must((await door().status?.()) ?? { ok: undefined })).toBeDefined();
  });
});

describe("a refusal", () => {
  it("of an unknown recipient has the same words by Unix and HTTP; MCP names who is there as the next step", async () => {
    const refusals = await Promise.all(
      (["Unix", "HTTP", "MCP"] as const).map(
        async (name) => (await stage.door(name).send({ to: "nobody-here", text: "hello" })).error,
      ),
    );
    const [unix, http, mcp] = refusals;
    expect(http).toEqual(unix);
    expect({ code: mcp?.code, message: mcp?.message }).toEqual({ code: unix?.code, message: unix?.message });
    expect(mcp?.next).toContain("reviewer");
  });
});
