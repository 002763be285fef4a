/** The five platforms, one or all, each with one person on it, as a daemon is configured for them. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { BridgeName } from "../../../src/ports/bridge.ts";
import { Messages } from "../../rig/imessage/messages.ts";
import { AUTHSERV_ID, PASSWORD } from "../../rig/mail-server.ts";
import { EmailStage } from "./email-stage.ts";
import { SlackStage } from "./slack-stage.ts";
import { TelegramStage } from "./telegram-stage.ts";
import { freePort, GITHUB, githubHeaders } from "./webhook-stage.ts";

export interface Channel {
  readonly name: BridgeName;
  /** Where the person is. */
  readonly path: string;
  /** For `config.yaml`. */
  readonly section: string;
  readonly secrets: Readonly<Record<string, string>>;
  says(text: string): Promise<unknown>;
  close(): Promise<void>;
}

/** Where Bellhop can answer. */
export interface SpeakingChannel extends Channel {
  /** What the person was told, in order. */
  heard(): Promise<readonly string[]>;
  outage(isOn: boolean): Promise<void>;
  refuse(words: string): Promise<void>;
}

/** `folder`: where its secrets will be, if that is not the home. */
type Open<Kind extends Channel> = (folder?: string) => Promise<Kind>;

export const SPEAKING_CHANNELS = { telegram, slack, email, imessage } satisfies Readonly<
  Record<string, Open<SpeakingChannel>>
>;

export function writeSecrets({ secrets }: Channel, home: string): void {
  for (const [name, secret] of Object.entries(secrets))
    writeFileSync(join(home, name), `${secret}\n`, { mode: 0o600 });
}

const shown = async (stage: { heard(): Promise<readonly { readonly text: string }[]> }) =>
  (await stage.heard()).map(({ text }) => text);

export async function telegram(folder = ""): Promise<SpeakingChannel & { readonly stage: TelegramStage }> {
  const stage = await TelegramStage.open();
  return {
    stage,
    name: "telegram",
    path: stage.path,
    section: `telegram: { token_file: ${join(folder, "telegram-token")}, api_root: "${stage.telegram.url}" }`,
    secrets: { "telegram-token": stage.telegram.token },
    says: (text) => stage.says(text),
    heard: () => shown(stage),
    outage: (isOn) => stage.outage(isOn),
    refuse: (words) => stage.refuse(words),
    close: () => stage.close(),
  };
}

export async function slack(folder = ""): Promise<SpeakingChannel & { readonly stage: SlackStage }> {
  const stage = await SlackStage.open();
  const { appToken, botToken, url } = stage.slack;
  return {
    stage,
    name: "slack",
    path: stage.path,
    section: `slack:
    app_token_file: ${join(folder, "slack-app")}
    bot_token_file: ${join(folder, "slack-bot")}
    api_url: "${url}"`,
    secrets: { "slack-app": appToken, "slack-bot": botToken },
    says: (text) => stage.says(text),
    heard: () => shown(stage),
    outage: (isOn) => stage.outage(isOn),
    refuse: (words) => stage.refuse(words),
    close: () => stage.close(),
  };
}

export async function email(folder = ""): Promise<SpeakingChannel & { readonly stage: EmailStage }> {
  const stage = await EmailStage.withOwnServer();
  const { bot, server, path } = stage;
  return {
    stage,
    name: "email",
    path,
    section: `email:
    address: ${bot}
    authserv_id: ${AUTHSERV_ID}
    imap: { host: 127.0.0.1, port: ${server.imapPort}, user: ${bot}, password_file: ${join(folder, "mail-password")} }
    smtp: { host: 127.0.0.1, port: ${server.smtpPort} }`,
    secrets: { "mail-password": PASSWORD },
    says: (text) => stage.says(text),
    heard: () => shown(stage),
    outage: (isOn) => stage.outage(isOn),
    refuse: (words) => stage.refuse(words),
    close: () => stage.close(),
  };
}

export const HANDLE = "+15551234567";

/** The person's chat with themselves: everything is there twice, and what Bellhop says comes back. */
export async function imessage(): Promise<SpeakingChannel & { readonly messages: Messages }> {
  const channel = await imessageFromAfar();
  const { messages } = channel;
  await messages.behaves({ isSelf: true });
  return {
    ...channel,
    says: async (text) => {
      await messages.writes({ text, from: HANDLE, isFromMe: true });
      await messages.writes({ text, from: HANDLE });
    },
    refuse: (words) => messages.behaves({ isSelf: true, fails: `Messages got an error: ${words} (-1728)` }),
  };
}

/** The Mac has an account of its own. */
async function imessageFromAfar(): Promise<SpeakingChannel & { readonly messages: Messages }> {
  const messages = await Messages.start();
  return {
    messages,
    name: "imessage",
    path: `imessage/${HANDLE}`,
    section: `imessage:
    handles: ["+1 555 123 4567"]
    chat_db: ${messages.chatDb}
    osascript: ${messages.bin}/osascript
    poll: 1`,
    secrets: {},
    says: (text) => messages.writes({ text, from: HANDLE }),
    heard: async () => (await messages.scripts()).map(({ args }) => args[2] ?? ""),
    outage: (isOn) => messages.isAway(isOn),
    refuse: (words) => messages.behaves({ fails: `Messages got an error: ${words} (-1728)` }),
    close: () => messages.close(),
  };
}

const RETRY_MS = 50;

/** GitHub, and whoever presses "Redeliver" until it was taken. */
export async function webhook(): Promise<Channel> {
  const port = await freePort();
  let isClosed = false;
  let deliveries = 0;
  return {
    name: "webhook",
    path: "webhook/github/issues.opened",
    section: `webhook: { port: ${port}, github: { kind: github, secret_file: github-secret } }`,
    secrets: { "github-secret": GITHUB },
    says: async (text) => {
      deliveries += 1;
      const body = JSON.stringify({ action: "opened", issue: { title: text, number: deliveries } });
      const headers = { ...(await githubHeaders(body, "issues")), "x-github-delivery": `d-${deliveries}` };
      const post = () =>
        fetch(`http://127.0.0.1:${port}/github`, {
          method: "POST",
          body,
          headers: { "content-type": "application/json", connection: "close", ...headers },
        }).then(
          ({ ok }) => ok,
          () => false,
        );
      while (!isClosed && !(await post())) await sleep(RETRY_MS);
    },
    close: async () => {
      isClosed = true;
    },
  };
}

const CI_TOKEN = "correct-horse-battery-staple";

type ChannelName = keyof typeof SPEAKING_CHANNELS;
export const CHANNEL_NAMES = Object.keys(SPEAKING_CHANNELS) as readonly ChannelName[];

/** Every channel of one person at once, and a service that calls. */
export class EveryChannel {
  readonly #one: Opened["one"];
  readonly #hookPort: number;
  readonly #folder: string;

  private constructor({ one, hookPort, folder }: Opened) {
    this.#one = one;
    this.#hookPort = hookPort;
    this.#folder = folder;
  }

  static async open(): Promise<EveryChannel> {
    return new EveryChannel(await openEvery());
  }

  get telegram() {
    return this.#one.telegram.stage.telegram;
  }

  get slack() {
    return this.#one.slack.stage.slack;
  }

  get email() {
    return this.#one.email.stage;
  }

  get messages() {
    return this.#one.imessage.messages;
  }

  path(name: ChannelName): string {
    return this.#one[name].path;
  }

  /** Lines for config.yaml. */
  config(): string {
    const all = Object.values(this.#one);
    const hook = join(this.#folder, "ci-token");
    for (const channel of all) writeSecrets(channel, this.#folder);
    writeFileSync(hook, `${CI_TOKEN}\n`, { mode: 0o600 });
    return `
person: { channels: [${all.map(({ path }) => JSON.stringify(path)).join(", ")}] }
bridges:
${all.map(({ section }) => `  ${section}`).join("\n")}
  webhook: { port: ${this.#hookPort}, ci: { kind: token, secret_file: ${hook} } }
`;
  }

  async says(name: ChannelName, text: string): Promise<void> {
    await this.#one[name].says(text);
  }

  /** What the person was told there, in order. */
  heard(name: ChannelName): Promise<readonly string[]> {
    return this.#one[name].heard();
  }

  /** A service reports something to `webhook/ci/TOPIC`. */
  calls(topic: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#hookPort}/ci/${topic}`, {
      method: "POST",
      body: JSON.stringify(body),
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${CI_TOKEN}`,
        connection: "close",
        ...headers,
      },
    });
  }

  async close(): Promise<void> {
    for (const channel of Object.values(this.#one)) await channel.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

type Opened = Awaited<ReturnType<typeof openEvery>>;

async function openEvery() {
  const folder = mkdtempSync(join(tmpdir(), "bellhop-channels-"));
  const one = {
    telegram: await telegram(folder),
    slack: await slack(folder),
    email: await email(folder),
    imessage: await imessageFromAfar(),
  };
  return { folder, one, hookPort: await freePort() };
}
