/** A new user types what the pages about the outside show, word for word; only the platforms are our own. */
import { execFile } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { SlackRehearsal } from "../../src/bridges/slack/rehearsal/server.ts";
import { TelegramRehearsal } from "../../src/bridges/telegram/rehearsal/server.ts";
import { recipeOf } from "../../src/cli/local/bridges/recipes.ts";
import { RULES } from "../../src/core/desk/resolve.ts";
import { systemClock } from "../../src/system/clock.ts";
import { EmailStage } from "../contract/bridges/email-stage.ts";
import { freePort } from "../contract/bridges/webhook-stage.ts";
import { Bellhop, bellhopOnPath } from "../rig/bellhop.ts";
import { Messages } from "../rig/imessage/messages.ts";
import { AUTHSERV_ID, PASSWORD } from "../rig/mail-server.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { asWritten, shapeOf, WRITTEN } from "./as-written.ts";

import { fencesIn, inlineCodeIn, type Page, readPage, tableRowsIn } from "./pages.ts";

const NO_SESSION = "none is shown";

let tmux: TmuxServer;
let bellhop: Bellhop;
let home: string;
let environment: Record<string, string>;
let agents: readonly ScriptedAgent[];
const closers: (() => Promise<void>)[] = [];

beforeEach(async () => {
  tmux = startTmuxServer();
  home = join(tmux.folder, "me");
  mkdirSync(home);
  bellhop = new Bellhop({ config: `tmux: { servers: ["${tmux.socket}"] }\n${SCRIPTED_PROFILE}` });
  symlinkSync(bellhop.home, join(home, ".bellhop"));
  agents = await Promise.all(["api", "web"].map((name) => startScriptedAgent({ tmux, name })));
  await bellhop.start();
  const path = [bellhopOnPath(join(tmux.folder, "bin")), dirname(process.execPath), process.env.PATH ?? ""];
  environment = { ...bellhop.env, HOME: home, PATH: path.join(delimiter), TMPDIR: tmux.folder };
  const client = await bellhop.client();
  await until(async () => {
    const { sessions } = await client.call("ls", {});
    return sessions.filter(({ readiness }) => readiness === "idle").length === agents.length;
  }, "both agents");
});

afterEach(async () => {
  await bellhop.dispose();
  await tmux.kill();
  for (const close of closers.splice(0)) await close();
});

const linesOf = (page: Page) => fencesIn(page, "sh").flatMap((block) => block.split("\n").filter(Boolean));

async function run(line: string): Promise<string> {
  const ran = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile("bash", ["-c", line], { cwd: home, env: environment }, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
  expect(ran.code, `${line}\n${ran.stdout}${ran.stderr}`).toBe(0);
  return ran.stdout;
}

function given(name: string, secret: string): string {
  const file = join(home, name);
  writeFileSync(file, secret, { mode: 0o600 });
  return file;
}

describe("docs/phone.md", () => {
  const page = readPage("docs/phone.md");

  it("can be followed step by step", async () => {
    const platforms = await startPlatforms();
    let last = "";
    let checked = 0;
    for (const line of linesOf(page)) {
      // A person answers what it asks; here everything is given.
      const answers = Object.entries(platforms).find(([command]) => line.startsWith(command))?.[1] ?? "";
      const stdout = await run(`${line.replaceAll(WRITTEN.message, last)} ${answers}`);
      if (line.startsWith("bellhop bridge rehearse")) checked += checkScene(page, line, stdout);
      if (line === "bellhop history") last = /#([a-z0-9]{6})/.exec(stdout)?.[1] ?? last;
      if (line === 'bellhop desk try "[api] go on"') {
        const shown = fencesIn(page, "text").find((text) => text.startsWith("→ "));
        expect(stdout.replace(/\([^)]*\)/, "(work:0.0)")).toBe(shown);
      }
    }
    expect(checked).toBe(scenesIn(page));
  });

  it("shows what agents and people read", async () => {
    const telegram = await TelegramRehearsal.start({ clock: systemClock, chats: [{ id: 42 }] });
    closers.push(() => telegram.close());
    await run(`bellhop bridge add telegram ${telegramAnswers(telegram)}`);
    telegram.says({ chat: 42, from: 42, text: "[api] Please run the tests." });
    await until(() => telegram.heard(42).length > 0, "the confirmation");
    const code = inlineCodeIn(page);
    const [prompt = ""] = agents[0]?.prompts() ?? [];
    expect(code).toContain(asWritten(prompt, NO_SESSION));
    expect(code).toContain(telegram.heard(42)[0]?.text?.replace(/\[[^\]]*\]/, "[work:0.0]"));
    const examples = fencesIn(readPage("docs/scripting.md"), "json").map((text) => JSON.parse(text));
    const example = (has: (one: object) => boolean) => examples.find((one) => has([one].flat()[0]));
    expect(shapeOf(await bellhop.json(["bridge", "status"]))).toMatchObject(
      shapeOf(example((one) => "strangers" in one)),
    );
    expect(shapeOf(await bellhop.json(["desk", "try", "[api] go on"]))).toMatchObject(
      shapeOf(example((one) => "considered" in one)),
    );
  });

  it("has every rule of the desk, in order", () => {
    const shown = tableRowsIn(page).flatMap(([rule = ""]) => /^`([a-z-]+)`$/.exec(rule)?.[1] ?? []);
    expect(shown).toEqual(RULES);
  });

  it("has a manifest with what `bridge add` asks for", () => {
    const manifest = JSON.parse(fencesIn(page, "json")[0] ?? "{}");
    const steps = recipeOf("slack")?.before.join("\n") ?? "";
    const named = (after: RegExp) => after.exec(steps)?.[1]?.split(", ");
    expect(manifest.oauth_config.scopes.bot).toEqual(named(/bot scopes ([^.]+)\./));
    expect(manifest.settings.event_subscriptions.bot_events).toEqual(named(/bot events (.+?)\. "/));
    expect(manifest.settings).toMatchObject({
      socket_mode_enabled: true,
      interactivity: { is_enabled: true },
    });
  });
});

describe("docs/webhooks.md", () => {
  const page = readPage("docs/webhooks.md");

  it("can be followed step by step", async () => {
    const port = await freePort();
    const secret = given("secret", "0123456789abcdef");
    let isFirst = true;
    let checked = 0;
    for (const line of linesOf(page)) {
      const isAdding = line.startsWith("bellhop bridge add webhook");
      const more = isAdding ? ` --secret-file ${secret}${isFirst ? ` --port ${port}` : ""}` : "";
      const stdout = await run(`${SIGNING}${line.replaceAll(":2356", `:${port}`)}${more}`);
      isFirst &&= !isAdding;
      if (line.startsWith("bellhop bridge rehearse")) checked += checkScene(page, line, stdout);
      if (line.startsWith("bellhop history"))
        expect(stdout).toContain("issues opened: Login fails on Safari");
      if (line === "bellhop unmatched") expect(stdout).toContain("v2 is live");
    }
    expect(checked).toBe(scenesIn(page));
    await until(() => (agents[0]?.prompts().length ?? 0) > 0, "the event");
    const shown = fencesIn(page, "text").find((text) => text.startsWith("[message")) ?? "";
    expect(asWritten(agents[0]?.prompts()[0] ?? "", NO_SESSION)).toBe(shown.trimEnd());
  });
});

/** What a page shows below a rehearsal is in what it printed. Returns how often it showed something. */
function checkScene(page: Page, line: string, stdout: string): number {
  const shown = page.text.split(`\n${line}\n\`\`\`\n\n\`\`\`text\n`)[1]?.split("```")[0];
  const printed = asWritten(stdout, NO_SESSION)
    .replaceAll(/\b(yes|no) [a-z0-9]{6}\b/g, "$1 k7x2qp")
    .replaceAll(/\bOn .* at \S+, /g, "On Tue, 17 Nov 2026 at 18:03, ");
  if (shown !== undefined) expect(printed).toContain(shown);
  return shown === undefined ? 0 : 1;
}

const scenesIn = (page: Page) => fencesIn(page, "text").filter((text) => text.includes(" gets: ")).length;

/** Each line runs in a shell of its own; this one is needed by the next. */
const SIGNING = `[ -f signature ] && SIGNATURE=$(cat signature); trap 'printf %s "$SIGNATURE" >signature' EXIT; `;

function telegramAnswers({ token, url }: TelegramRehearsal): string {
  return `--person 42 --token-file ${given("bot-token", token)} --api-root ${url}`;
}

async function startPlatforms(): Promise<Readonly<Record<string, string>>> {
  const telegram = await TelegramRehearsal.start({ clock: systemClock, chats: [{ id: 42 }] });
  const slack = await SlackRehearsal.start({ clock: systemClock, people: [{ id: "U0ADA", name: "ada" }] });
  const mail = await EmailStage.withOwnServer();
  const messages = await Messages.start();
  closers.push(...[telegram, slack, mail, messages].map((each) => async () => void (await each.close())));
  await messages.behaves({ isSelf: true });
  const tokens = `--app-token-file ${given("app", slack.appToken)} --bot-token-file ${given("bot", slack.botToken)}`;
  const { imapPort, smtpPort } = mail.server;
  const servers = `--imap-host 127.0.0.1 --imap-port ${imapPort} --smtp-host 127.0.0.1 --smtp-port ${smtpPort}`;
  const person = mail.path.split("/").at(-1) ?? "";
  return {
    "bellhop bridge add telegram": telegramAnswers(telegram),
    "bellhop bridge add slack": `${tokens} --workspace team --person U0ADA --api-url ${slack.url}`,
    "bellhop bridge add email": `--address ${mail.bot} --authserv-id ${AUTHSERV_ID} --password-file ${given("mail", PASSWORD)} --person ${person} ${servers}`,
    "bellhop bridge add imessage": `--chat-db ${messages.chatDb} --osascript ${messages.bin}/osascript`,
  };
}
