import { describe, expect, it } from "vitest";
import { parseAddress } from "../../core/address.ts";
import { LIMITS } from "../../core/message.ts";
import { type Read, type Reading, readArrival } from "./arrival.ts";
import { LETTER_LIMITS, readLetter } from "./letter.ts";
import { ownMessageId } from "./message-ids.ts";

const READING: Reading = { address: "bot@rig.test", authservId: "mx.rig.test" };
const VOUCHED = [
  "Authentication-Results: mx.rig.test; dmarc=pass header.from=example.org",
  "From: =?utf-8?q?D=C3=A4na?= <dana@example.org>",
];
const ID = "Message-ID: <1@example.org>";

async function read(lines: readonly string[], body = "Yes", reading = READING): Promise<Read> {
  return readArrival(await readLetter(Buffer.from([...lines, "", body].join("\r\n"))), reading);
}

async function arrival(lines: readonly string[], body?: string, reading?: Reading) {
  const found = await read([...VOUCHED, ...lines], body, reading);
  if (found.kind === "dropped") throw new Error(found.why);
  return found.arrival;
}

describe("a letter arrives", () => {
  it("with who wrote where", async () => {
    expect(await arrival([ID, "To: bot@rig.test", "Subject: Build"])).toEqual({
      externalId: "<1@example.org>",
      path: "email/bot@rig.test/dana@example.org",
      from: "dana@example.org",
      fromName: "Däna",
      text: "Yes",
      thread: "<1@example.org>",
      payload: { subject: "Build", attachments: [] },
    });
  });

  it("with what it answers, the nearest first, and the thread it belongs to", async () => {
    const found = await arrival([ID, "In-Reply-To: <c@x>", "References: <a@x> <b@x>", "\t<c@x>"]);
    expect(found).toMatchObject({ answers: ["<c@x>", "<b@x>", "<a@x>"], thread: "<a@x>" });
  });

  it("with a digest where it has no id, the same each time", async () => {
    const [one, other] = [await arrival([]), await arrival([])];
    expect(one.externalId).toMatch(/^sha256:[0-9a-f]{64}$/u);
    expect(other.externalId).toBe(one.externalId);
    expect((await arrival([], "No")).externalId).not.toBe(one.externalId);
    expect((await arrival([`Message-ID: <${"x".repeat(600)}@y>`])).externalId).toMatch(/^sha256:/u);
  });

  it("for the agent whose name is the tag of our address", async () => {
    const lines = [ID, 'To: "Bot" <Bot+Coder@rig.test>, other@example.org'];
    const found = await read([...VOUCHED, ...lines]);
    expect(found).toMatchObject({
      arrival: { path: "email/bot@rig.test/dana@example.org", topic: "coder" },
      remember: { tag: "coder" },
    });
    for (const to of ["bot+x/y@rig.test", "bot+a@elsewhere.test", "bot@rig.test", "bot+~@rig.test"])
      expect(await arrival([ID, `To: ${to}`])).not.toHaveProperty("topic");
  });

  it("with the subject where it has no text, and with words where it has nothing", async () => {
    expect((await arrival([ID, "Subject: Roll back"], "")).text).toBe("Roll back");
    expect((await arrival([ID], "")).text).toBe("(an empty mail)");
  });

  it("with the names of what is attached, which is not kept", async () => {
    const mixed = ["Content-Type: multipart/mixed; boundary=b", ID];
    const body = [
      "--b",
      "Content-Type: text/plain",
      "",
      "See",
      "--b",
      'Content-Type: application/pdf; name="../a\u202Eb.pdf"',
      "Content-Disposition: attachment",
      "Content-Transfer-Encoding: base64",
      "",
      Buffer.alloc(3_000).toString("base64"),
      "--b--",
    ].join("\r\n");
    const found = await arrival(mixed, body);
    expect(found.text).toMatch(/^See\n\n\[attached, not kept: .*b\.pdf, application\/pdf, 3 KiB\]$/u);
    expect(found.payload).toMatchObject({ attachments: [{ type: "application/pdf", bytes: 3_000 }] });
  });

  it("as text if it is HTML only, or has an empty text beside it", async () => {
    const html =
      '<p>Yes, <b>do</b> it</p><div class="gmail_quote"><div>On Mon, Nov 16, 2026 at 10:00 AM bot &lt;bot@rig.test&gt; wrote:<br></div><blockquote>The build</blockquote></div>';
    expect((await arrival([ID, "Content-Type: text/html"], html)).text).toBe("Yes, do it");
    const both = [
      "--b",
      "Content-Type: text/plain",
      "",
      " ",
      "--b",
      "Content-Type: text/html",
      "",
      html,
      "--b--",
    ].join("\r\n");
    expect((await arrival([ID, "Content-Type: multipart/alternative; boundary=b"], both)).text).toBe(
      "Yes, do it",
    );
  });

  it("cut where it is longer than a message may be", async () => {
    const { text } = await arrival([ID], "é".repeat(LIMITS.bodyBytes));
    expect(Buffer.byteLength(text)).toBeLessThan(LIMITS.bodyBytes);
    expect(text).toMatch(/^é+\n\[the mail goes on\]$/u);
  });
});

describe("whom nobody vouches for", () => {
  const forged = ["From: dana@example.org", ID, "In-Reply-To: <c@x>"];

  it("is no address, at a path on which nobody can speak, under an id that no real letter has", async () => {
    const found = await read(forged, "cd34");
    expect(found).toMatchObject({
      kind: "arrival",
      arrival: { from: "", path: "email/bot@rig.test/(not verified)", text: "cd34" },
    });
    if (found.kind !== "arrival") return;
    expect(found.arrival.externalId).toMatch(/^unverified:/u);
    expect(found.arrival.fromName).toContain("dana@example.org, not verified");
    expect(found.arrival).not.toHaveProperty("answers");
    expect(found.remember).toBeUndefined();
    expect(parseAddress(found.arrival.path).segments).toHaveLength(3);
  });
});

describe("a letter is dropped", () => {
  it.each([
    ["Auto-Submitted: auto-replied"],
    ["Auto-Submitted: auto-generated (rejected)"],
    ["List-Id: <team.example.org>"],
    ["Precedence: bulk"],
    ["Precedence: Junk"],
    ["Precedence: list"],
    ["Return-Path: <>"],
    ["Return-Path: < >"],
    [`Message-ID: ${ownMessageId("key", { messageId: "m", path: "p", address: "bot@rig.test" })}`],
  ])("%s", async (line) => {
    expect(await read([line, ...VOUCHED])).toMatchObject({ kind: "dropped" });
  });

  it.each([
    "Auto-Submitted: no",
    "Auto-Submitted: (a comment) No",
    "Precedence: first-class",
    "Return-Path: <dana@example.org>",
  ])("but not for %s", async (line) => {
    expect(await read([line, ID, ...VOUCHED])).toMatchObject({ kind: "arrival" });
  });

  it("if its two addresses make no path", async () => {
    const lines = [
      `Authentication-Results: mx.rig.test; dmarc=pass header.from=${"e".repeat(60)}.${"x".repeat(63)}.org`,
      `From: d@${"e".repeat(60)}.${"x".repeat(63)}.org`,
    ];
    const address = `${"b".repeat(60)}@${"r".repeat(60)}.${"r".repeat(60)}.test`;
    expect(await read(lines, "x", { ...READING, address })).toMatchObject({ kind: "dropped" });
  });
});

describe("whatever comes", () => {
  it.each<readonly [string, Buffer]>([
    ["nothing", Buffer.alloc(0)],
    ["no fields", Buffer.from("\r\n\r\njust text")],
    ["bytes", Buffer.from(Array.from({ length: 2_000 }, (_, index) => (index * 7) % 256))],
    ["a field without a colon", Buffer.from("From dana\r\nX\r\n\r\n")],
    ["fields of a prototype", Buffer.from("__proto__: x\r\nconstructor: y\r\nFrom: a@b.c\r\n\r\nhi")],
    ["an unknown character set", Buffer.from("Content-Type: text/plain; charset=x-none\r\n\r\nhi")],
    [
      "a part that never ends",
      Buffer.from(
        "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p",
      ),
    ],
    [
      "deep parts",
      Buffer.from(
        Array.from(
          { length: 500 },
          (_, depth) => `Content-Type: multipart/mixed; boundary=b${depth}\r\n\r\n--b${depth}\r\n`,
        ).join(""),
      ),
    ],
    ["deep HTML", Buffer.from(`Content-Type: text/html\r\n\r\n${"<div><blockquote>".repeat(10_000)}x`)],
    [
      "much HTML",
      Buffer.from(`Content-Type: text/html\r\n\r\n${"<p>x</p>".repeat(LETTER_LIMITS.htmlCharacters / 4)}`),
    ],
    ["many fields", Buffer.from(`${"X-A: b\r\n".repeat(50_000)}\r\nhi`)],
    [
      "a long field",
      Buffer.from(
        `Subject: ${"=?utf-8?q?x?= ".repeat(20_000)}\r\nReferences: ${"<a@b> ".repeat(50_000)}\r\n\r\nhi`,
      ),
    ],
  ])("can be read or is refused, in a short time: %s", async (_, source) => {
    const started = process.cpuUsage();
    const letter = await readLetter(source).catch(() => undefined);
    if (letter !== undefined) readArrival(letter, READING);
    expect(process.cpuUsage(started).user / 1_000).toBeLessThan(10_000);
  });
});
