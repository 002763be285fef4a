import { describe, expect, it } from "vitest";
import type { Attention } from "../attention.ts";
import type { Message } from "../message.ts";
import { notificationOf, thingOf, thingOfMail } from "./telling.ts";

const attention = (change: Partial<Attention>): Attention => ({
  id: "a1",
  kind: "permission",
  agent: "coder",
  session: "08bc57cf",
  since: 1,
  text: "Bash command · rm -rf build",
  ...change,
});

const mail = (change: Partial<Message>): Message => ({
  id: "m1",
  shortId: "abc123",
  from: "agent/coder",
  to: "person/dev",
  body: "done,\nlook",
  form: { kind: "text" },
  priority: "normal",
  source: "agent",
  hops: 0,
  createdAt: 1,
  file: "",
  ...change,
});

describe("what a person is told in passing", () => {
  it("says who asks, and for what", () => {
    expect(thingOf(attention({}))).toEqual({
      id: "a1",
      text: "coder asks for a permission: Bash command · rm -rf build",
      session: "08bc57cf",
    });
    expect(thingOf(attention({ kind: "question", text: "Which colour?" }))?.text).toBe(
      "coder asks: Which colour?",
    );
    expect(thingOf(attention({ kind: "loop", text: "#abc123 …" }))?.text).toBe("Stopped a loop: #abc123 …");
  });

  it("leaves out dead letters: whoever wrote one was answered so", () => {
    expect(thingOf(attention({ kind: "dead-letter" }))).toBeUndefined();
  });

  it("says whether mail is an answer, and what Bellhop says as it says it", () => {
    expect(thingOfMail(mail({}))?.text).toBe("coder writes: done, look");
    expect(thingOfMail(mail({ replyTo: "m0" }))?.text).toBe("coder answers: done, look");
    const reminder = mail({
      source: "bellhop",
      from: "bellhop/notices",
      body: "[bellhop] Scheduled reminder:\nlunch",
    });
    expect(thingOfMail(reminder)?.text).toBe("Scheduled reminder: lunch");
    const elsewhere = { source: "bellhop", from: "bellhop/notices@laptop", body: "[bellhop] Look!" } as const;
    expect(thingOfMail(mail(elsewhere))?.text).toBe("bellhop/notices@laptop writes: Look!");
    expect(thingOfMail(mail({ source: "bellhop", command: "loop-notice" }))).toBeUndefined();
    expect(thingOfMail(mail({ command: "loop-notice" }))?.text).toBe("coder writes: done, look");
  });

  it("cuts long words and takes out what a terminal would obey", () => {
    const { text } = thingOfMail(mail({ body: `\x1b]2;x\x07${"y".repeat(500)}` })) ?? { text: "" };
    expect(text).toMatch(/^coder writes: y+…$/);
    expect([...text]).toHaveLength(161);
  });

  it("makes one line of many", () => {
    const things = ["one", "two", "three", "four", "five"].map((text) => ({ id: text, text }));
    expect(notificationOf(things.slice(0, 1))).toBe("[bellhop] one");
    expect(notificationOf(things.slice(0, 2))).toBe("[bellhop] 2 things want you: one · two");
    expect(notificationOf(things)).toBe("[bellhop] 5 things want you: one · two · three · and 2 more");
  });
});
