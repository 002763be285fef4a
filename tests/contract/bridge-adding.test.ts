/** What `bellhop bridge add` asks and tries: for each channel, and step by step at a terminal. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pty from "@lydell/node-pty";
import { describe, expect, it } from "vitest";
import { SlackRehearsal } from "../../src/bridges/slack/rehearsal/server.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Messages } from "../rig/imessage/messages.ts";
import { AUTHSERV_ID, PASSWORD } from "../rig/mail-server.ts";
import { until } from "../rig/scripted-agent.ts";
import { codeOf, PERSON, stagePerTest } from "./bridge-commands-stage.ts";
import { EmailStage } from "./bridges/email-stage.ts";
import { freePort } from "./bridges/webhook-stage.ts";

const stage = stagePerTest();

describe("others", () => {
  it("Slack is tried with both tokens, and a webhook with its port; a second service goes to the first", async () => {
    const { bellhop, before, config } = stage();
    const slack = await SlackRehearsal.start({ clock: systemClock, people: [{ id: "U0ADA", name: "ada" }] });
    try {
      const files = [slack.appToken, slack.botToken].map((token, index) => {
        const file = join(bellhop.home, `given-${index}`);
        writeFileSync(file, token);
        return file;
      });
      const [app = "", bot = ""] = files;
      const person = ["--workspace", "team", "--person", "U0ADA", "--api-url", slack.url];
      const add = (first: string) =>
        bellhop.run([
          "bridge",
          "add",
          "slack",
          "--app-token-file",
          first,
          "--bot-token-file",
          bot,
          ...person,
        ]);
      expect((await add(bot)).stderr).toContain(
        'This is not an app-level token of Slack: those begin with "xapp-"',
      );
      expect(await add(app)).toMatchObject({ code: 0, stderr: "" });
      expect((await bellhop.run(["bridge", "test", "slack"])).code).toBe(0);
      expect(slack.heard("D0ADA").map(({ shown }) => shown)).toEqual([
        "This is a test of Bellhop. Nothing to do.",
      ]);
    } finally {
      await slack.close();
    }
    const hook = (service: string, more: readonly string[] = []) =>
      bellhop.run(["bridge", "add", "webhook", "--service", service, "--secret", "-", ...more], {
        stdin: "hush!",
      });
    expect(await hook("github", ["--port", String(await freePort())])).toMatchObject({ code: 0, stderr: "" });
    expect(await hook("stripe")).toMatchObject({ code: 0, stderr: "" });
    expect((await hook("github")).stderr).toContain("The webhook of github is configured already.");
    expect((await hook("../x")).code).toBe(1);
    expect((await hook("other", ["--kind", "standard"])).stderr).toContain("does not start");
    expect(readdirSync(join(bellhop.home, "secrets")).sort()).toEqual([
      "slack-app-token",
      "slack-bot-token",
      "webhook-github",
      "webhook-stripe",
    ]);
    expect((await bellhop.run(["bridge", "test", "webhook"])).code).toBe(3);
    for (const name of ["webhook", "slack"])
      expect((await bellhop.run(["bridge", "remove", name])).code).toBe(0);
    expect(config()).toBe(before);
    expect(readdirSync(join(bellhop.home, "secrets"))).toEqual([]);
  });
});

describe("channels that belong to one person", () => {
  it("mail is tried with its password, then says who is who", async () => {
    const { bellhop, before, config } = stage();
    const mail = await EmailStage.withOwnServer();
    try {
      const { bot, server, path } = mail;
      const person = path.split("/").at(-1) ?? "";
      const servers = ["imap", "smtp"].flatMap((kind) => [
        ...[`--${kind}-host`, "127.0.0.1", `--${kind}-port`],
        String(kind === "imap" ? server.imapPort : server.smtpPort),
      ]);
      const add = (stdin: string) =>
        bellhop.run(
          [
            ...["bridge", "add", "email", "--address", bot, "--authserv-id", AUTHSERV_ID, "--password", "-"],
            ...["--person", person, "--json", ...servers],
          ],
          { stdin },
        );
      const refused = await add("wrong-horse");
      expect([refused.code, codeOf(refused)]).toEqual([1, "bridge.refused"]);
      expect(config()).toBe(before);
      const added = await add(PASSWORD);
      expect(added).toMatchObject({ code: 0, stderr: "" });
      expect(JSON.parse(added.stdout)).toMatchObject({ channel: path });
      expect((await bellhop.run(["bridge", "test", "email"])).code).toBe(0);
      expect((await mail.mails()).map(({ text = "" }) => text.trim())).toEqual([
        "This is a test of Bellhop. Nothing to do.",
      ]);
    } finally {
      await mail.close();
    }
  });

  it("iMessage is tried with its database", async () => {
    const { bellhop, before, config } = stage();
    const messages = await Messages.start();
    try {
      await messages.behaves({ isSelf: true });
      const add = (database: string) =>
        bellhop.run([
          ...["bridge", "add", "imessage", "--person", "+1 555 123 4567", "--chat-db", database],
          ...["--osascript", `${messages.bin}/osascript`],
        ]);
      expect((await add(join(bellhop.home, "none.db"))).code).toBe(1);
      expect(config()).toBe(before);
      expect(await add(messages.chatDb)).toMatchObject({ code: 0, stderr: "" });
      expect((await bellhop.run(["bridge", "test", "imessage"])).stdout).toContain("imessage/+15551234567");
    } finally {
      await messages.close();
    }
  });
});

describe("at a terminal", () => {
  function atTerminal() {
    const { bellhop, telegram } = stage();
    const [program = "", ...args] = [
      ...bellhop.command,
      "bridge",
      "add",
      "telegram",
      "--api-root",
      telegram.url,
    ];
    const child = pty.spawn(program, args, { env: bellhop.env, cols: 200, rows: 50 });
    let screen = "";
    child.onData((text) => {
      screen += text;
    });
    const ended = new Promise<number>((resolve) => child.onExit(({ exitCode }) => resolve(exitCode)));
    const sees = (what: string | RegExp) =>
      until(
        () => screen.search(what) >= 0,
        () => `${what} in ${screen}`,
      );
    return { child, ended, sees, screen: () => screen };
  }

  it("a person is asked step by step, and recognised by a code; a stranger who writes first is not", async () => {
    const { telegram, config, arrived } = stage();
    const { child, ended, sees, screen } = atTerminal();
    await sees("The bot's token");
    child.write(`${telegram.token}\r`);
    await sees(/Write this to @bellhop_bot in Telegram now: bellhop-\d{6}/);
    telegram.says({ chat: 666, from: 666, text: "hello" });
    telegram.says({ chat: PERSON, from: PERSON, text: "is anybody there?" });
    const code = /now: (bellhop-\d{6})/.exec(screen())?.[1];
    telegram.says({ chat: PERSON, from: PERSON, text: `/start ${code}` });
    await sees(/Write it\? /);
    child.write("\r");
    await sees("telegram is connected; you are telegram/42");
    expect(await ended).toBe(0);
    expect(screen()).not.toContain(telegram.token);
    expect(config()).toContain("- telegram/42");
    // The code was for us, and is no message to anybody; all else waited for the daemon.
    await until(() => telegram.api.updates.count === 0, "the daemon to take what waited");
    expect(await arrived()).toEqual(["is anybody there?"]);
  });

  it("whoever mistypes the token is asked again, and nothing that they paste is shown", async () => {
    const { bellhop } = stage();
    const { child, ended, sees, screen } = atTerminal();
    await sees("The bot's token");
    child.write("mistyped-one\r");
    await sees(/✗ This is not the token[\s\S]*The bot's token/);
    child.write("7000000001:mistyped-two\r");
    await sees(/✗ Telegram refuses the bot's token[\s\S]*The bot's token/);
    child.write("mistyped-three\r");
    expect(await ended).toBe(1);
    expect(screen()).not.toMatch(/mistyped|…bellhop:|…✗/);
    expect(readdirSync(bellhop.home)).not.toContain("secrets");
  });

  it.each(["The bot's token", "in Telegram now", "Write it\\? "])(
    "Ctrl+C at %j leaves nothing behind",
    async (at) => {
      const { telegram, bellhop, before, config } = stage();
      const { child, ended, sees, screen } = atTerminal();
      await sees("The bot's token");
      if (!at.startsWith("The")) {
        child.write(`${telegram.token}\r`);
        await sees(/now: bellhop-\d{6}/);
      }
      if (at.startsWith("Write")) {
        telegram.says({ chat: PERSON, from: PERSON, text: /now: (bellhop-\d{6})/.exec(screen())?.[1] ?? "" });
      }
      await sees(new RegExp(at));
      child.write("\x03");
      expect(await ended).toBe(1);
      await sees("Nothing was written");
      expect(config()).toBe(before);
      expect(readdirSync(bellhop.home)).not.toContain("secrets");
    },
  );
});
