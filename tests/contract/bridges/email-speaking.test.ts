/** What only mail has when Bellhop speaks: threads, addresses with tags. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { UNVOUCHED } from "../../../src/bridges/email/addresses.ts";
import { closeSharedServer, EmailStage } from "./email-stage.ts";

afterAll(closeSharedServer);

describe("email speaks", () => {
  let stage: EmailStage;

  beforeEach(async () => {
    stage = await EmailStage.open();
  });

  afterEach(async () => {
    await stage.close();
  });

  it("answers in the thread, under its subject, also after a restart", async () => {
    const first = await stage.connected();
    const id = await stage.says("How is the build?", { subject: "AW: Nightly build" });
    const [asked] = await stage.inbox.has(1);
    await first.close();
    const bridge = await stage.connected();
    await stage.say(bridge, { answers: id, thread: asked?.thread ?? "", agent: "coder" });
    const [mail] = await stage.mails();
    expect(mail).toMatchObject({ subject: "Re: Nightly build", inReplyTo: id, references: id });
    expect(mail?.from?.value).toEqual([{ name: "coder", address: stage.bot }]);
    expect(mail?.headers.get("auto-submitted")).toBe("auto-generated");
  });

  it("gives a message the same id again after a crash, so that an answer to either copy is known", async () => {
    const one = await stage.say(await stage.connected());
    const two = await stage.say(await stage.connected(), { perhapsSaid: true });
    const other = await stage.say(await stage.connected(), { messageId: "m2" });
    expect(two.ids).toEqual(one.ids);
    expect(other.ids).not.toEqual(one.ids);
    expect(one.ids[0]).toMatch(/^<bellhop\.[\w-]{32}@rig\.test>$/u);
  });

  it("hears for which agent it is by the tag of the address, and keeps the tag in its answer", async () => {
    const bridge = await stage.connected();
    const tagged = stage.bot.replace("@", "+coder@");
    const id = await stage.says("hello", { to: tagged });
    const [arrival] = await stage.inbox.has(1);
    expect(arrival).toMatchObject({ path: stage.path, topic: "coder" });
    await stage.say(bridge, { answers: id });
    expect((await stage.mails())[0]?.replyTo?.value[0]?.address).toBe(tagged);
  });

  it("takes 4xx, and a password that is not accepted, for outages", async () => {
    const bridge = await stage.connected();
    stage.server.refuse("451 try again later");
    expect((await stage.say(bridge)).outcome).toMatchObject({
      kind: "outage",
      why: expect.stringContaining("try again later"),
    });
    const wrong = await stage.say(stage.bridge({ smtp: { password: "hunter2" } }));
    expect(wrong.outcome).toMatchObject({
      kind: "outage",
      why: expect.stringContaining("does not accept the user or the password"),
    });
    expect(JSON.stringify(wrong)).not.toContain("hunter2");
    expect((await stage.say(bridge, {}, AbortSignal.abort())).outcome).toMatchObject({ kind: "outage" });
    expect(await stage.mails()).toEqual([]);
  });

  it("does not speak where nobody is", async () => {
    const bridge = stage.bridge();
    for (const path of [`email/${stage.bot}/${UNVOUCHED}`, `email/other@rig.test/${stage.person}`]) {
      expect((await stage.say(bridge, { path })).outcome).toMatchObject({ kind: "refused" });
    }
  });

  it("leaves a doubt where the answer to a whole mail is lost, and none before", async () => {
    const bridge = await stage.connected();
    stage.server.loseNextAnswer("data");
    expect((await stage.say(bridge)).outcome).toMatchObject({ kind: "outage", perhapsSaid: true });
    stage.server.loseNextAnswer("recipient");
    expect((await stage.say(bridge)).outcome).toEqual({ kind: "outage", why: expect.any(String) });
  });
});
