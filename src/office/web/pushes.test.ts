/** The person is told in their browsers what needs them. */
import { describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../../tests/desk/desk.ts";
import { asksFor, leaves } from "../../../tests/desk/paged.ts";
import type { AttentionKind } from "../../core/attention.ts";
import { RIGHTS } from "../../core/rights/rights.ts";
import { parseQuietHours } from "../../core/time/quiet-hours.ts";
import type { Push, PushOutcome } from "../../ports/push-sender.ts";

const ENDPOINT = "https://fcm.googleapis.com/fcm/send/";
const KEYS = { publicKey: "B".repeat(87), secret: "s".repeat(22) };
const HOUR_MS = 3_600_000;

interface Sent extends Pick<Push, "urgency" | "topic" | "contact"> {
  readonly endpoint: string;
  readonly told: { readonly id: string; readonly agent: string | null; readonly kind: string };
}

async function logIn(desk: Desk): Promise<string> {
  const { url } = await desk.done(desk.use.web_link({}));
  const outcome = await desk.done(
    desk.office.webLogins.logIn(url.split("#")[1] ?? "", { browser: "A browser", host: "h" }),
  );
  if (outcome.kind !== "in") throw new Error(outcome.code);
  return outcome.id;
}

async function withBrowser(agents = ["coder"]) {
  const desk = await openDesk();
  const seated = agents.map((name) => desk.agent(`/projects/${name}`));
  for (const { program } of seated) program.prints("a line of its conversation");
  await desk.ready();
  const sent: Sent[] = [];
  const answers: PushOutcome[] = [];
  desk.pushSender = {
    publicKey: async () => "key",
    send: async ({ endpoint }, { payload, urgency, topic, contact }) => {
      sent.push({ endpoint, told: JSON.parse(payload), urgency, topic, contact });
      return answers.shift() ?? { kind: "accepted" };
    },
  };
  await desk.open();
  await desk.ready();
  const browser = await logIn(desk);
  await desk.done(desk.use.push_subscribe({ browser, endpoint: `${ENDPOINT}one`, ...KEYS }));
  const [coder] = seated;
  if (coder === undefined) throw new Error("nobody is there");
  const show = () => desk.done(desk.use.push_show({ browser }));
  return { desk, coder, seated, sent, answers, browser, show };
}

describe("a notification", () => {
  it("tells who asks what kind of thing, once, and nothing of what is asked", async () => {
    const { desk, coder, sent } = await withBrowser();
    leaves(desk);
    coder.program.becomes({ dialog: asksFor("rm -rf secret-folder") });
    await desk.advance(5_000);
    const [asked] = (await desk.use.attention({})).attention;
    expect(sent).toEqual([
      {
        endpoint: `${ENDPOINT}one`,
        told: { id: asked?.id, agent: "coder", kind: "permission" },
        urgency: "high",
        topic: expect.stringMatching(/^[0-9a-f]{32}$/),
        contact: "mailto:nobody@example.org",
      },
    ]);
    expect(asked?.toldOn).toEqual(["push"]);
    await desk.advance(60_000);
    await desk.open();
    await desk.ready();
    await desk.advance(60_000);
    expect(sent).toHaveLength(1);
  });

  it("waits for who is there, and does not come if they answer in time", async () => {
    const { desk, coder, sent } = await withBrowser();
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(15_000);
    coder.program.becomes({ dialog: undefined });
    await desk.advance(60_000);
    expect(sent).toEqual([]);
    coder.program.becomes({ dialog: asksFor("touch b") });
    await desk.advance(30_000);
    expect(sent).toHaveLength(1);
  });

  it("comes again if the same is asked again", async () => {
    const { desk, coder, sent } = await withBrowser();
    leaves(desk);
    for (const command of ["touch a", "touch a"]) {
      coder.program.becomes({ dialog: asksFor(command) });
      await desk.advance(30_000);
      coder.program.becomes({ dialog: undefined });
      await desk.advance(30_000);
    }
    expect(sent.map(({ told }) => told.kind)).toEqual(["permission", "permission"]);
  });

  it("is one for many that come together", async () => {
    const { desk, seated, sent } = await withBrowser(["a", "b", "c", "d", "e"]);
    leaves(desk);
    for (const { program } of seated) program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    expect(sent.map(({ told }) => told)).toEqual([{ id: "", agent: null, kind: "many", count: 5 }]);
  });

  it("is tried again when a service fails, but not once it was answered", async () => {
    const { desk, coder, sent, answers } = await withBrowser();
    leaves(desk);
    answers.push({ kind: "later", why: "it answered 503" }, { kind: "later", why: "x", afterMs: 60_000 });
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(10_000);
    expect(sent).toHaveLength(2);
    await desk.advance(50_000);
    expect(sent).toHaveLength(2);
    await desk.advance(20_000);
    expect(sent).toHaveLength(3);
    coder.program.becomes({ dialog: undefined });
    await desk.advance(10_000);
    answers.push({ kind: "later", why: "it answered 503" });
    coder.program.becomes({ dialog: asksFor("touch b") });
    await desk.advance(2_000);
    const before = sent.length;
    coder.program.becomes({ dialog: undefined });
    await desk.advance(HOUR_MS);
    expect(sent).toHaveLength(before);
  });

  it("is given up after a while", async () => {
    const { desk, coder, sent, answers, show } = await withBrowser();
    leaves(desk);
    answers.push(...Array.from({ length: 50 }, () => ({ kind: "later", why: "it answered 500" }) as const));
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(2 * HOUR_MS);
    expect(sent).toHaveLength(7);
    expect((await show()).device?.last).toMatchObject({ outcome: "later", why: "it answered 500" });
  });

  it("tells of a message that nothing proves, if it came after somebody wanted to know", async () => {
    const { desk, coder, sent, browser } = await withBrowser();
    const lost = async () => {
      const message = await desk.send("coder", "seen?");
      await desk.advance(60_000);
      return message;
    };
    leaves(desk);
    coder.program.echoes = "no";
    expect(desk.state(await lost())).toBe("unconfirmed");
    expect(sent.map(({ told }) => told.kind)).toEqual(["unconfirmed"]);
    await desk.done(desk.use.push_remove({ browser }));
    expect(desk.state(await lost())).toBe("unconfirmed");
    await desk.done(desk.use.push_subscribe({ browser, endpoint: `${ENDPOINT}two`, ...KEYS }));
    await desk.advance(60_000);
    expect(sent).toHaveLength(1);
  });

  // After four seconds, the terminals are just being asked whether the person is there.
  it.each([2_000, 4_000, 6_000])("tells also of what is lost %d ms after another", async (laterMs) => {
    const { desk, seated, sent } = await withBrowser(["coder", "docs"]);
    for (const { program } of seated) program.echoes = "no";
    desk.attended = new Promise(() => {});
    const first = await desk.send("coder", "seen?");
    await desk.advance(laterMs);
    const second = await desk.send("docs", "seen?");
    while (desk.state(second) !== "unconfirmed") await desk.advance(100);
    expect([desk.state(first), sent]).toEqual(["unconfirmed", []]);
    leaves(desk);
    await desk.advance(60_000);
    expect(sent.map(({ told }) => [told.agent, told.kind])).toContainEqual(["docs", "unconfirmed"]);
  });
});

it("a daemon that stops does not wait for a service that does not answer", async () => {
  const { desk, browser } = await withBrowser();
  let asked = 0;
  desk.pushSender = {
    publicKey: async () => "key",
    send: () => {
      asked += 1;
      return new Promise(() => {});
    },
  };
  await desk.open();
  await desk.ready();
  leaves(desk);
  desk.agents[0]?.program.becomes({ dialog: asksFor("touch a") });
  await desk.advance(5_000);
  expect([asked, desk.store.read.pushSubscriptions()[0]?.webSession]).toEqual([1, browser]);
  let isClosed = false;
  const closing = desk.office.close().then(() => {
    isClosed = true;
  });
  await desk.advance(1_000);
  await closing;
  expect(isClosed).toBe(true);
});

describe("quiet hours", () => {
  const quietAt = (desk: Desk, text: string, except: readonly AttentionKind[] = []) => {
    const quiet = { hours: parseQuietHours(text), except };
    desk.settings = { ...desk.settings, desk: { ...desk.settings.desk, quiet } };
  };

  it("hold everything back; what still stands afterwards is told then, and only that", async () => {
    const { desk, seated, sent } = await withBrowser(["coder", "docs"]);
    leaves(desk);
    // The clock of the desk begins at nine.
    quietAt(desk, "08:00-11:00");
    for (const { program } of seated) program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(HOUR_MS);
    expect(sent).toEqual([]);
    seated[1]?.program.becomes({ dialog: undefined });
    await desk.advance(HOUR_MS);
    expect(sent.map(({ told }) => told.agent)).toEqual(["coder"]);
  });

  it("leave out what the person wants to hear of anyway", async () => {
    const { desk, coder, sent } = await withBrowser();
    leaves(desk);
    quietAt(desk, "08:00-11:00", ["permission"]);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    expect(sent).toHaveLength(1);
  });

  it("do not delay it because something else is held back", async () => {
    const { desk, coder, sent } = await withBrowser();
    leaves(desk);
    quietAt(desk, "08:00-11:00");
    coder.program.echoes = "no";
    const lost = async () => {
      const message = await desk.send("coder", "seen?");
      while (desk.state(message) !== "unconfirmed") await desk.advance(100);
    };
    await lost();
    await desk.advance(30_000);
    expect(sent).toEqual([]);
    quietAt(desk, "08:00-11:00", ["unconfirmed"]);
    await lost();
    await desk.advance(30_000);
    expect(sent.map(({ told }) => told.kind)).toEqual(["unconfirmed", "unconfirmed"]);
  });
});

describe("a browser", () => {
  it("that no longer wants them is forgotten", async () => {
    const { desk, coder, sent, answers, show } = await withBrowser();
    leaves(desk);
    answers.push({ kind: "gone" });
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(5_000);
    expect((await show()).device).toBeNull();
    coder.program.becomes({ dialog: asksFor("touch b") });
    await desk.advance(60_000);
    expect(sent).toHaveLength(1);
  });

  it("that is logged out gets no more", async () => {
    const { desk, coder, sent, browser } = await withBrowser();
    leaves(desk);
    expect((await desk.use.web_sessions({})).sessions).toMatchObject([{ id: browser, notified: true }]);
    await desk.done(desk.use.web_revoke({ id: browser }));
    expect(desk.store.read.pushSubscriptions()).toEqual([]);
    coder.program.becomes({ dialog: asksFor("touch a") });
    await desk.advance(60_000);
    expect(sent).toEqual([]);
    const again = desk.use.push_subscribe({ browser, endpoint: `${ENDPOINT}two`, ...KEYS });
    await expect(desk.done(again)).rejects.toMatchObject({ code: "web.unknown" });
  });

  it("cannot name a host that Bellhop does not know", async () => {
    const { desk, browser, show } = await withBrowser();
    const other = (endpoint: string) => desk.done(desk.use.push_subscribe({ browser, endpoint, ...KEYS }));
    await expect(other("https://127.0.0.1:2355/x")).rejects.toMatchObject({ code: "push.unknown_service" });
    expect((await show()).device?.service).toBe("fcm.googleapis.com");
    desk.settings = { ...desk.settings, pushServices: ["push.example.org"] };
    await other("https://push.example.org/up");
    expect((await show()).device?.service).toBe("push.example.org");
    desk.settings = { ...desk.settings, pushServices: [] };
    expect(await desk.done(desk.use.push_test({ browser }))).toEqual({
      service: "push.example.org",
      outcome: "refused",
      why: "it is no longer among web.push_services",
    });
  });

  it("can be tested at any hour, and says what came of it", async () => {
    const { desk, sent, answers, browser } = await withBrowser();
    expect(await desk.done(desk.use.push_test({ browser }))).toEqual({
      service: "fcm.googleapis.com",
      outcome: "accepted",
    });
    expect(sent[0]?.told).toEqual({ id: "", agent: null, kind: "test" });
    answers.push({ kind: "gone" });
    expect(await desk.done(desk.use.push_test({ browser }))).toMatchObject({ outcome: "gone" });
    await expect(desk.done(desk.use.push_test({ browser }))).rejects.toMatchObject({ code: "push.off" });
  });

  it("is the owner's alone: no right lets an agent have any of it", async () => {
    const { desk, browser } = await withBrowser();
    desk.settings = { ...desk.settings, rights: { everyone: RIGHTS, byAgent: new Map() } };
    const { useCases } = desk.office;
    const agent = { user: "dev", agent: "coder" };
    for (const asked of [
      () => useCases.push_show({ browser }, agent),
      () => useCases.push_subscribe({ browser, endpoint: `${ENDPOINT}x`, ...KEYS }, agent),
      () => useCases.push_remove({ browser }, agent),
      () => useCases.push_test({ browser }, agent),
    ])
      await expect(desk.done<unknown>(asked())).rejects.toMatchObject({ code: "rights.missing" });
    expect(desk.store.read.pushSubscriptions()).toHaveLength(1);
  });
});
