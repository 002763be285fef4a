/** What a real dovecot, forgers and broken mails do to the bridge of mail. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import { UNVOUCHED } from "../../../src/bridges/email/addresses.ts";
import { AUTHSERV_ID, type MailServerOptions, providerFields } from "../../rig/mail-server.ts";
import { until } from "../../rig/scripted-agent.ts";
import { isConnected } from "./contract.ts";
import { closeSharedServer, EmailStage, PATIENCE_MS } from "./email-stage.ts";

afterAll(closeSharedServer);

describe("email receives", () => {
  let stage: EmailStage;

  beforeEach(async () => {
    stage = await EmailStage.open();
  });

  afterEach(async () => {
    await stage.close();
  });

  async function ownServer(options?: MailServerOptions): Promise<void> {
    stage = await EmailStage.withOwnServer(options);
  }

  it("does not take what was in the mailbox before it came", async () => {
    await stage.says("old");
    await stage.says("older");
    await stage.connected();
    await stage.says("new");
    await stage.inbox.has(1);
    expect(stage.inbox.texts()).toEqual(["new"]);
  });

  it("leaves the mailbox as it is", async () => {
    await stage.connected();
    await stage.says("one");
    await stage.inbox.has(1);
    expect(stage.server.flags(stage.bot)).toEqual([""]);
  });

  it("goes on after a server that renumbered the mailbox: nothing is lost, nothing comes twice", async () => {
    await ownServer();
    await stage.says("before us");
    const first = await stage.connected();
    await stage.says("one");
    await stage.says("two");
    await stage.inbox.has(2);
    await first.close();
    await stage.says("three");
    await stage.server.renumber(stage.bot);
    await stage.connected();
    await stage.says("four");
    await stage.inbox.has(4);
    expect(stage.inbox.texts()).toEqual(["one", "two", "three", "four"]);
    expect(stage.inbox.repeated).toEqual([]);
    expect(stage.logged.join("\n")).toContain("email.renumbered ");
  });

  it("takes nothing old from a renumbered mailbox in which it knows no mail", async () => {
    await ownServer();
    const first = await stage.connected();
    await stage.says("one");
    await stage.inbox.has(1);
    await first.close();
    stage.server.clear(stage.bot);
    stage.puts(["Message-ID: <restored@example.org>", "", "restored"]);
    await stage.server.renumber(stage.bot);
    await stage.connected();
    await stage.says("two");
    await stage.inbox.has(2);
    expect(stage.inbox.texts()).toEqual(["one", "two"]);
    expect(stage.logged.join("\n")).toContain("email.renumbered_unknown ");
  });

  it("catches up in order after the server was away, and after it was killed", async () => {
    await ownServer();
    const bridge = await stage.connected();
    await stage.server.stopDovecot("SIGKILL");
    await until(() => bridge.health().state === "down", "the outage to be noticed", PATIENCE_MS);
    for (const text of ["1", "2", "3"]) stage.puts([`Message-ID: <${text}@example.org>`, "", text]);
    await stage.server.startDovecot();
    await stage.inbox.has(3);
    expect(stage.inbox.texts()).toEqual(["1", "2", "3"]);
    await isConnected(bridge);
  });

  it("asks now and then where the server reports nothing", async () => {
    await ownServer({ isSilent: true });
    await stage.connected(stage.bridge({ pollMs: 200 }));
    await stage.says("polled");
    await stage.inbox.has(1);
    await stage.says("polled again");
    await stage.inbox.has(2);
    expect(stage.inbox.texts()).toEqual(["polled", "polled again"]);
    // A server always names its last mail too.
    expect(stage.inbox.repeated).toEqual([]);
  });

  it("takes a flood in order, and each mail once", async () => {
    const first = await stage.connected();
    await first.close();
    const texts = Array.from({ length: 500 }, (_, index) => `mail ${index}`);
    for (const [index, text] of texts.entries())
      stage.puts([`Message-ID: <flood${index}@example.org>`, "", text]);
    await stage.opened();
    await stage.inbox.has(texts.length);
    expect(stage.inbox.texts()).toEqual(texts);
    expect(stage.inbox.repeated).toEqual([]);
  });

  it("waits for a store that cannot be read: that never means that there is no cursor", async () => {
    await (await stage.connected()).close();
    await stage.says("kept waiting");
    const { inbox } = stage;
    const kept = inbox.kept.bind(inbox);
    inbox.kept = () => {
      throw new Error("the disk is gone");
    };
    const bridge = await stage.opened();
    await until(() => bridge.health().state === "down", "the trouble to be noticed", PATIENCE_MS);
    expect(bridge.health().error).toContain("the disk is gone");
    inbox.kept = kept;
    await inbox.has(1);
    expect(inbox.texts()).toEqual(["kept waiting"]);
  });

  it("passes by what it cannot read", async () => {
    await stage.connected();
    stage.puts([`X-Long: ${"x".repeat(200_000)}`, "", "too long"]);
    stage.puts([
      "Content-Type: multipart/mixed; boundary=b",
      "",
      ...Array.from({ length: 2_000 }, () => "--b\r\n\r\nx"),
    ]);
    stage.server.deliver(stage.bot, Buffer.from([0, 255, 10, 10, 0, 254]));
    stage.puts(["Message-ID: <fine@example.org>", "", "fine"]);
    await until(() => stage.inbox.texts().includes("fine"), "the mail behind them", PATIENCE_MS);
    expect(stage.inbox.taken.filter(({ from }) => from !== "")).toHaveLength(1);
    expect(stage.logged.join("\n")).toContain("email.unreadable");
  });

  it("fetches of a long mail what it needs, and names what is attached", async () => {
    await stage.connected();
    await stage.says("See the file.", { attachment: Buffer.alloc(4 * 1024 * 1024, 7) });
    await stage.inbox.has(1);
    expect(stage.inbox.texts()[0]).toMatch(
      /^See the file\.\n\n\[attached, not kept: big\.bin, application\/octet-stream, /u,
    );
  });

  it("believes nobody without the provider's word", async () => {
    await stage.connected();
    const forged = `Authentication-Results: ${AUTHSERV_ID}; dmarc=pass header.from=example.org`;
    const failed = providerFields(stage.person, stage.bot).replaceAll("=pass", "=fail");
    stage.puts([forged, "Message-ID: <1@example.org>", "", "forged"], failed);
    stage.puts(["Message-ID: <2@example.org>", "", "bare"], "");
    stage.puts(
      [
        "Authentication-Results: evil.example; dmarc=pass header.from=example.org",
        "Message-ID: <3@example.org>",
        "",
        "foreign",
      ],
      "",
    );
    await stage.inbox.has(3);
    expect(stage.inbox.texts()).toEqual(["forged", "bare", "foreign"]);
    for (const { from, path, answers } of stage.inbox.taken) {
      expect({ from, path, answers }).toEqual({
        from: "",
        path: `email/${stage.bot}/${UNVOUCHED}`,
        answers: undefined,
      });
      expect((await stage.opened()).reaches(path)).toBe(false);
    }
    // The real one is not taken for a repeat of the forged one.
    stage.puts(["Message-ID: <1@example.org>", "", "real"]);
    await stage.inbox.has(4);
    expect(stage.inbox.taken[3]).toMatchObject({ from: stage.person, text: "real" });
  });

  it("says what is missing if it can believe nobody at all", async () => {
    const bridge = await stage.connected(stage.bridge({ believesNobody: true }));
    expect(bridge.health().error).toContain("authserv_id");
    await stage.says("hello");
    await stage.inbox.has(1);
    expect(stage.inbox.taken[0]?.from).toBe("");
  });

  it("hears neither programs, nor lists, nor itself", async () => {
    const bridge = await stage.connected();
    stage.puts(["Auto-Submitted: auto-replied", "Message-ID: <a@example.org>", "", "I am on holiday."]);
    stage.puts(["List-Id: <l.example.org>", "Message-ID: <b@example.org>", "", "list"]);
    stage.puts(["Message-ID: <c@example.org>", "", "bounce"], providerFields("", stage.bot));
    expect((await stage.say(bridge, { path: `email/${stage.bot}/${stage.bot}` })).outcome).toEqual({
      kind: "said",
    });
    await stage.says("a person");
    await stage.inbox.has(1);
    expect(stage.inbox.texts()).toEqual(["a person"]);
  });

  it("says what a person must mend: the password, the mailbox", async () => {
    const password = await stage.opened(stage.bridge({ imap: { password: "hunter2" } }));
    const mailbox = await stage.opened(stage.bridge({ imap: { mailbox: "Nowhere" } }));
    for (const bridge of [password, mailbox]) {
      await until(
        () => bridge.health().state === "refused",
        () => JSON.stringify(bridge.health()),
        PATIENCE_MS,
      );
    }
    expect(password.health().error).toContain("bridges.email.imap");
    expect(mailbox.health().error).toContain("bridges.email.imap.mailbox");
    expect(JSON.stringify([stage.logged, password.health()])).not.toContain("hunter2");
  });

  describe("over TLS", () => {
    let folder: string;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "tls-"));
      chmodSync(folder, 0o755);
      const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
      const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
      execFileSync(
        "openssl",
        [
          "req",
          "-x509",
          "-newkey",
          "rsa:2048",
          "-nodes",
          "-days",
          "2",
          "-keyout",
          key,
          "-out",
          certificate,
          ...subject,
        ],
        { stdio: "pipe" },
      );
      chmodSync(key, 0o644);
      await ownServer({ tls: { certificate, key } });
    });

    afterEach(() => rmSync(folder, { recursive: true }));

    it("reads from a server whose certificate it trusts, and from no other", async () => {
      const ca = readFileSync(join(folder, "certificate.pem"), "utf8");
      await stage.connected(stage.bridge({ imap: { secure: true, ca } }));
      await stage.says("safe");
      await stage.inbox.has(1);
      const other = await stage.opened(stage.bridge({ imap: { secure: true } }));
      await until(
        () => other.health().state === "refused",
        () => JSON.stringify(other.health()),
        PATIENCE_MS,
      );
      expect(other.health().error).toMatch(/no safe connection .*secure/u);
    });
  });
});
