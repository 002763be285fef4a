/** Files that the owner sends along with a message. */
import { existsSync, readFileSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { oneAgent, openDesk } from "../../../tests/desk/desk.ts";

const CLAIMS = { user: "dev" };
const attachments = [{ name: "a b.txt", content: Buffer.from("hello").toString("base64") }];
const pathIn = (text: string) => /\[attached: (\S+)\]/.exec(text)?.[1] ?? "";

describe("an attached file", () => {
  it("is on disk before its message is accepted, and its path is at the end of the text", async () => {
    const { desk, coder } = await oneAgent();
    const sent = await desk.done(
      desk.office.useCases.send({ to: "coder", body: "look", attachments, claims: CLAIMS }, CLAIMS),
    );
    const { message } = await desk.use.show({ id: sent.messageId });
    const path = pathIn(message.body);
    expect(readFileSync(path, "utf8")).toBe("hello");
    await desk.advance(20_000);
    expect(coder.program.submitted.join()).toContain(path);
  });

  it("is the same message if it is sent again with its key", async () => {
    const { desk } = await oneAgent();
    const send = (content: string) =>
      desk.done(
        desk.office.useCases.send(
          {
            to: "coder",
            body: "look",
            attachments: [{ name: "a.txt", content }],
            idempotencyKey: "k",
            claims: CLAIMS,
          },
          CLAIMS,
        ),
      );
    const first = await send("AAAA");
    expect((await send("AAAA")).messageId).toBe(first.messageId);
    await expect(send("BBBB")).rejects.toMatchObject({ code: "message.conflict" });
  });

  it("is not for agents to send", async () => {
    const { desk, coder } = await oneAgent();
    const { server, pane } = coder.sighting.identity;
    const claims = { user: "dev", tmux: { socket: server, pane } };
    const sent = desk.office.useCases.send({ to: "coder", body: "look", attachments, claims }, claims);
    await expect(sent).rejects.toMatchObject({ code: "rights.missing" });
  });

  it("is forgotten with its age, but not while its own message or an older one waits", async () => {
    const desk = await openDesk();
    await desk.ready();
    await desk.done(desk.use.agent_add({ name: "post" }));
    const sent = await desk.done(
      desk.office.useCases.send({ to: "post", body: "look", attachments, claims: CLAIMS }, CLAIMS),
    );
    const path = pathIn((await desk.use.show({ id: sent.messageId })).message.body);
    // It was written before its message was accepted.
    const sentAt = (desk.clock.now() - 2_000) / 1_000;
    utimesSync(dirname(path), sentAt, sentAt);
    await desk.advance(40 * 86_400_000);
    await desk.done(desk.office.forget());
    expect(existsSync(path)).toBe(true);
    await desk.use.queue_change({ id: sent.shortId, change: "cancel" });
    await desk.advance(40 * 86_400_000);
    await desk.done(desk.office.forget());
    expect(existsSync(path)).toBe(false);
  });
});
