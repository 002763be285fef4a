import { describe, expect, it } from "vitest";
import type { Saying } from "../../ports/bridge.ts";
import { correspondentsOf } from "./addresses.ts";
import { Correspondence, REMEMBERED, type RememberedLetter } from "./correspondence.ts";
import { isOwnMessageId, ownMessageId } from "./message-ids.ts";
import { compose } from "./outgoing.ts";
import { outcomeOf } from "./sending.ts";

const BOT = "bot@rig.test";
const DANA = "dana@example.org";
const PATH = `email/${BOT}/${DANA}`;
const LETTER: RememberedLetter = {
  id: "<2@x>",
  thread: "<1@x>",
  subject: "AW: Build",
  references: ["<1@x>"],
};

function mail(saying: Partial<Saying> = {}, answered?: RememberedLetter) {
  const whole: Saying = {
    messageId: "m1",
    path: PATH,
    text: "The build is green.",
    partsSaid: 0,
    perhapsSaid: false,
    ...saying,
  };
  const correspondents = correspondentsOf(whole.path, BOT);
  if (correspondents === undefined) throw new Error("no path");
  return compose(whole, {
    messageId: "<own@rig.test>",
    address: BOT,
    correspondents,
    ...(answered === undefined ? {} : { answered }),
  });
}

describe("a mail goes out", () => {
  it("in the agent's name, with the first words as its subject", () => {
    expect(mail({ agent: "coder" })).toEqual({
      messageId: "<own@rig.test>",
      from: { name: "coder", address: BOT },
      to: DANA,
      subject: "The build is green.",
      text: "The build is green.",
    });
    expect(mail().from.name).toBe("Bellhop");
  });

  it("in the thread of what it answers, under its subject", () => {
    expect(mail({ answers: "<2@x>", thread: "<1@x>" }, LETTER)).toMatchObject({
      subject: "Re: Build",
      inReplyTo: "<2@x>",
      references: ["<1@x>", "<2@x>"],
    });
  });

  it("in the thread also if the letter is forgotten", () => {
    expect(mail({ answers: "<2@x>", thread: "<1@x>" })).toMatchObject({
      inReplyTo: "<2@x>",
      references: ["<1@x>", "<2@x>"],
      subject: "Re: The build is green.",
    });
  });

  it("without the ids that are none", () => {
    const odd = mail({ answers: "sha256:00", thread: "<a\r\nBcc: x@y.z>" });
    expect(odd).not.toHaveProperty("inReplyTo");
    expect(odd).not.toHaveProperty("references");
  });

  it.each([
    ["\n\n  Second line first\nmore", "Second line first"],
    ["word ".repeat(30), `${"word ".repeat(14).trim()}…`],
    ["\u001b[31mred\u202E", "red"],
    ["  ", "Bellhop"],
  ])("with a subject of one short line: %#", (text, subject) => {
    expect(mail({ text }).subject).toBe(subject);
  });

  it("marked if it may be a repeat", () => {
    expect(mail({ perhapsSaid: true }).text).toBe("(perhaps a repeat) The build is green.");
  });

  it("so that the answer goes to the address with the tag", () => {
    expect(mail({}, { ...LETTER, tag: "coder" }).replyTo).toBe("bot+coder@rig.test");
    expect(mail({ path: `email/bot+coder@rig.test/${DANA}` })).toMatchObject({
      from: { address: BOT },
      replyTo: "bot+coder@rig.test",
      to: DANA,
    });
  });
});

it.each([
  ["email/other@rig.test/dana@example.org"],
  ["email/bot@rig.test"],
  ["email/bot@rig.test/(not verified)"],
  ["email/bot@rig.test/Dana@example.org"],
  ["email/bot@rig.test/dana"],
  ["email/bot@rig.test/dana@example.org/more"],
  ["email/bot+@rig.test/dana@example.org"],
  ["email/bot@rig.test/<dana@example.org>"],
  ["email/bot@rig.test/dana@example.org,eve@example.org"],
  ["slack/bot@rig.test/dana@example.org"],
])("nobody is at %s", (path) => {
  expect(correspondentsOf(path, BOT)).toBeUndefined();
});

describe("our Message-IDs", () => {
  const parts = { messageId: "m1", path: PATH, address: BOT };

  it("are the same for the same message, and cannot be guessed", () => {
    const id = ownMessageId("key", parts);
    expect(isOwnMessageId(id)).toBe(true);
    expect(ownMessageId("key", parts)).toBe(id);
    for (const other of [
      ownMessageId("other", parts),
      ownMessageId("key", { ...parts, messageId: "m2" }),
      ownMessageId("key", { ...parts, path: "email/a@b.c/d@e.f" }),
    ])
      expect(other).not.toBe(id);
    expect(isOwnMessageId("<bellhop.short@rig.test>")).toBe(false);
  });
});

describe("the correspondence", () => {
  const store = new Map<string, string>();
  const write = (kept: Readonly<Record<string, string | null>>) => {
    for (const [key, value] of Object.entries(kept)) if (value !== null) store.set(key, value);
  };
  const open = () => new Correspondence((key) => store.get(key));

  it("is known after a restart, up to its limits, the newest longest", () => {
    let one = open();
    for (let number = 0; number < REMEMBERED.letters + 30; number += 1) {
      write(
        one.remember({
          id: `<${number}@x>`,
          thread: "<t@x>",
          subject: `s${number}`,
          references: Array.from({ length: 30 }, (_, at) => `<${at}@r>`),
        }),
      );
      if (number % 40 === 0) one = open();
    }
    const again = open();
    expect(again.find("<29@x>", undefined)).toBeUndefined();
    expect(again.find("<30@x>", undefined)?.subject).toBe("s30");
    expect(again.find("<gone@x>", "<t@x>")?.subject).toBe(`s${REMEMBERED.letters + 29}`);
    expect(again.find(undefined, undefined)).toBeUndefined();
    expect(again.find("<30@x>", undefined)?.references).toHaveLength(REMEMBERED.references);
    expect([...store.keys()].length).toBeLessThanOrEqual(REMEMBERED.letters + 2);
  });

  it("is empty where what was kept cannot be read", () => {
    const broken = new Correspondence(() => "{");
    expect(broken.find("<1@x>", "<1@x>")).toBeUndefined();
  });
});

describe("what the server answers", () => {
  const smtp = {
    host: "smtp.rig.test",
    port: 587,
    security: "starttls",
    user: "bot",
    password: "hunter2",
  } as const;
  it.each([
    [
      { responseCode: 550, command: "RCPT TO", response: "550 no such user" },
      "refused",
      "smtp.rig.test: 550 no such user",
    ],
    [
      { responseCode: 552, command: "DATA", response: "552 too big" },
      "refused",
      "smtp.rig.test: 552 too big",
    ],
    [
      { responseCode: 450, command: "RCPT TO", response: "450 greylisted" },
      "outage",
      "smtp.rig.test:587: 450 greylisted",
    ],
    [
      { responseCode: 535, command: "AUTH PLAIN", response: "535 bad hunter2" },
      "outage",
      "smtp.rig.test does not accept the user or the password in bridges.email.smtp: 535 bad …",
    ],
    [
      { responseCode: 554, command: "CONN", response: "554 go away" },
      "outage",
      "smtp.rig.test:587: 554 go away",
    ],
    [
      { code: "ECONNREFUSED", message: "connect ECONNREFUSED" },
      "outage",
      "smtp.rig.test:587: connect ECONNREFUSED",
    ],
    [undefined, "outage", "smtp.rig.test:587: undefined"],
  ])("is a refusal or an outage: %o", (cause, kind, why) => {
    expect(outcomeOf(cause, smtp, false)).toEqual({ kind, why });
  });

  it("leaves a doubt if it is lost after the whole mail was sent", () => {
    const lost = outcomeOf({ message: "closed" }, smtp, true);
    expect(lost).toEqual({ kind: "outage", why: "smtp.rig.test:587: closed", perhapsSaid: true });
    expect(
      outcomeOf({ responseCode: 451, command: "DATA", response: "451 later" }, smtp, true),
    ).not.toHaveProperty("perhapsSaid");
  });
});
