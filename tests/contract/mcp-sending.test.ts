/** Sending over MCP, on every transport: what is sent and answered, and the errors when that is impossible. */
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/core/message.ts";
import { type Inbox, McpVisit, type Sent, WAYS } from "./mcp-ways.ts";

describe.each(WAYS)("MCP over %s, revision %s", (way, revision) => {
  const visit = new McpVisit(way, revision);
  const { desk } = visit;

  describe("send_message", () => {
    it("writes to an agent by its name, as who calls, and says why it waits", async () => {
      const sent = await visit.coder.ask<Sent>("send_message", { to: "reviewer", text: "please look" });
      expect(sent).toEqual({
        id: expect.stringMatching(/^[a-z0-9]{6}$/),
        deliveries: [
          { to: "agent/reviewer", state: "queued", held: { reason: "offline", release: expect.any(String) } },
        ],
      });
      expect((await desk.show(sent.id)).message).toMatchObject({
        from: "agent/coder",
        to: "agent/reviewer",
        body: "please look",
        source: "agent",
        priority: "normal",
      });
    });

    it.each([
      ["a path", "agent/reviewer", "agent/reviewer"],
      ["a path with slashes around it", "/agent/reviewer/", "agent/reviewer"],
      ["a name that differs in case", "Reviewer", "agent/reviewer"],
      ["a person", "person/dev", "person/dev"],
    ])("takes %s", async (_, to, address) => {
      const sent = await visit.coder.ask<Sent>("send_message", { to, text: "x" });
      expect(sent.deliveries.map((one) => one.to)).toEqual([address]);
    });

    it("takes a session's id", async () => {
      const sent = await visit.coder.ask<Sent>("send_message", { to: visit.sessions.reviewer, text: "x" });
      expect(sent.deliveries.map((one) => one.to)).toContain(`session/${visit.sessions.reviewer}`);
    });

    it("reaches everybody else by a pattern, and not itself", async () => {
      const sent = await visit.coder.ask<Sent>("send_message", { to: "agent/**", text: "to all" });
      expect(sent.deliveries.map((one) => one.to)).toEqual(["agent/reviewer"]);
    });

    it("hands over every field", async () => {
      const question = await visit.send("coder", "what?", { from: "reviewer" });
      const sent = await visit.coder.ask<Sent>("send_message", {
        to: "reviewer",
        text: "this",
        priority: "idle",
        reply_to: `#${question.shortId}`,
        command: "analyze",
        payload: { topic: "safety", nested: [{ snake_case: 1, camelCase: null }] },
        timeout: "5m",
      });
      const { message, deliveries } = await desk.show(sent.id);
      expect(message).toMatchObject({
        priority: "idle",
        replyTo: question.messageId,
        bound: "explicit",
        command: "analyze",
        payload: { topic: "safety", nested: [{ snake_case: 1, camelCase: null }] },
      });
      const [{ queuedAt = 0, timeoutAt = 0 } = {}] = deliveries;
      expect(Math.round((timeoutAt - queuedAt) / 1_000)).toBe(300);
    });

    it("sends a command without a word", async () => {
      const sent = await visit.coder.ask<Sent>("send_message", { to: "reviewer", command: "wake" });
      expect((await desk.show(sent.id)).message).toMatchObject({ command: "wake", body: "wake" });
    });

    it("says who is there when nobody has that name", async () => {
      const error = await visit.coder.refused("send_message", { to: "reviewr", text: "x" });
      expect(error).toMatchObject({ code: "recipient.unknown", candidates: ["coder", "reviewer"] });
      expect(error.next).toBe('Did you mean "reviewer"? These are here: coder, reviewer.');
    });

    it("says that a path nobody has made it a dead letter", async () => {
      const error = await visit.coder.refused("send_message", { to: "slack/team/#nowhere", text: "x" });
      expect(error).toMatchObject({ code: "recipient.unknown" });
      expect(error.message).toMatch(/#\w{6} is kept as a dead letter/);
      expect(error.next).toMatch(
        /^Do not send the same again to this path\. These are here: coder, reviewer\.$/,
      );
    });

    it.each([
      [{ text: "x" }, "request.malformed", '"to"'],
      [{ to: "", text: "x" }, "request.malformed", '"to"'],
      [{ to: "/", text: "x" }, "request.malformed", '"to"'],
      [{ to: "reviewer" }, "message.empty", "no text"],
      [{ to: "reviewer", text: " \n" }, "message.empty", "no text"],
      [{ to: "reviewer", text: 7 }, "request.malformed", '"text"'],
      [{ to: ["reviewer"], text: "x" }, "request.malformed", '"to"'],
      [{ to: "reviewer", text: "x", priority: "asap" }, "request.malformed", '"priority"'],
      [{ to: "reviewer", text: "x", timeout: "soon" }, "request.malformed", '"soon"'],
      [{ to: "reviewer", text: "x", payload: "y" }, "request.malformed", '"payload"'],
      [{ to: "reviewer", text: "x", reply_to: "zzzzzz" }, "message.unknown", "zzzzzz"],
      [{ to: "reviewer", text: "x", from: "person/boss" }, "request.malformed", '"from"'],
      [{ to: "reviewer", text: "x", claims: { agent: "reviewer" } }, "request.malformed", '"claims"'],
      [{ to: "reviewer", txt: "x" }, "request.malformed", 'did you mean "text"?'],
      [{ to: "reviewer", text: "\ud800" }, "message.invalid_utf8", '"text"'],
      [{ to: "../../etc/passwd", text: "x" }, "name.invalid", "not an address"],
      [{ to: `agent/${"x/".repeat(600)}y`, text: "x" }, "request.malformed", '"to"'],
      [{ to: "a\u001b[31m/b", text: "x" }, "name.invalid", "control"],
    ])("refuses %j", async (given, code, words) => {
      const error = await visit.coder.refused("send_message", given);
      expect(error.code).toBe(code);
      expect(error.message).toContain(words);
      expect(error.next).not.toBe("");
    });

    it("tells everything that is wrong at once", async () => {
      const { message, next } = await visit.coder.refused("send_message", {
        text: 7,
        priorty: 1,
        timeout: 5,
      });
      for (const field of ['"to"', '"text"', '"timeout"', '"priorty" (did you mean "priority"?)'])
        expect(message).toContain(field);
      expect(next).toBe("It takes: to, text, priority, reply_to, command, payload, timeout.");
    });

    it("takes the longest text, and refuses one byte more", async () => {
      const longest = `${"€".repeat(Math.floor(LIMITS.bodyBytes / 3))}x`;
      expect(Buffer.byteLength(longest)).toBe(LIMITS.bodyBytes);
      const sent = await visit.coder.ask<Sent>("send_message", { to: "reviewer", text: longest });
      expect((await desk.show(sent.id)).message.body).toBe(longest);
      const error = await visit.coder.refused("send_message", { to: "reviewer", text: `${longest}x` });
      expect(error).toMatchObject({ code: "message.too_large" });
      expect(error.next).toContain("file");
    });

    it("takes the largest payload, and refuses one byte more", async () => {
      const payload = { data: "x".repeat(LIMITS.bodyBytes - '{"data":""}'.length) };
      const sent = await visit.coder.ask<Sent>("send_message", { to: "reviewer", text: "see", payload });
      expect((await desk.show(sent.id)).message.payload).toEqual(payload);
      const larger = { data: `${payload.data}x` };
      expect(
        await visit.coder.refused("send_message", { to: "reviewer", text: "see", payload: larger }),
      ).toMatchObject({
        code: "message.too_large",
      });
    });

    it("is not changed by what looks like a prototype", async () => {
      const payload = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
      const { error } = await visit.coder.call("send_message", { to: "reviewer", text: "x", payload });
      expect(error).toBeUndefined();
      expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
      await visit.coder.ask("list_agents");
    });
  });

  describe("reply", () => {
    it("answers to where the message came from, and the question counts as answered", async () => {
      const question = await visit.reviewer.ask<Sent>("send_message", { to: "coder", text: "how many?" });
      const { messages } = await visit.coder.ask<Inbox>("inbox", { take: true, limit: 20 });
      expect(messages.map(({ id }) => id)).toContain(question.id);
      const sent = await visit.coder.ask<Sent>("reply", { message_id: `#${question.id}`, text: "four" });
      expect((await desk.show(sent.id)).message).toMatchObject({ from: "agent/coder", body: "four" });
      expect((await desk.show(question.id)).deliveries[0]?.state).toBe("replied");
      const answers = (await visit.reviewer.ask<Inbox>("inbox", { take: true, limit: 20 })).messages;
      expect(answers.find(({ id }) => id === sent.id)).toMatchObject({ from: "agent/coder", text: "four" });
    });

    it.each([
      [{ message_id: "zzzzzz", text: "x" }, "message.unknown"],
      [{ message_id: "zzzzzz" }, "request.malformed"],
      [{ text: "x" }, "request.malformed"],
      [{ message_id: "x".repeat(200), text: "x" }, "request.malformed"],
      [{ message_id: "zzzzzz", text: "" }, "message.empty"],
      [{ message_id: {}, text: "x" }, "request.malformed"],
    ])("refuses %j", async (given, code) => {
      expect(await visit.coder.refused("reply", given)).toMatchObject({
        code,
        next: expect.stringMatching(/./),
      });
    });
  });
});
