import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { aliceAndBob, type HostDesk } from "../../../../tests/desk/host-desks.ts";

const claims = { user: "dev" } as const;
const attachments = [{ name: "a.txt", content: Buffer.from("hello").toString("base64") }];

const sends = (desk: HostDesk, to: string) =>
  desk.done(desk.use.send({ to, body: "look", attachments, claims }));
const filesOf = ({ folder }: HostDesk) => {
  const kept = join(folder, "_attached");
  return existsSync(kept) ? readdirSync(kept) : [];
};

describe("a file that is attached", () => {
  it.each(["b:bob", "agent/bob@b", "bob", "agent/bob", "team/news"])(
    "is refused if only another host would get it: %s",
    async (to) => {
      const { cluster, a, b } = await aliceAndBob();
      await b.done(b.use.sub_add({ agent: "bob", pattern: "team/*", claims }));
      await cluster.advance();
      await expect(sends(a, to)).rejects.toMatchObject({
        code: "recipient.elsewhere",
        message: "Whoever gets this message is on b, and attached files stay on this host.",
        next: "Put what is in them into the message, or copy them to b and name their paths there.",
      });
      expect(a.byBody("look")).toEqual([]);
      expect(filesOf(a)).toEqual([]);
    },
  );

  it("goes to whoever hears its path here, although another host hears it too", async () => {
    const { cluster, a, b, alice } = await aliceAndBob();
    await a.done(a.use.sub_add({ agent: "alice", pattern: "team/*", claims }));
    await b.done(b.use.sub_add({ agent: "bob", pattern: "team/*", claims }));
    await cluster.advance();
    await sends(a, "team/news");
    await cluster.advance(10_000);
    expect(alice.program.submitted.join("\n")).toContain("[attached: ");
    expect(filesOf(a)).toHaveLength(1);
  });
});
