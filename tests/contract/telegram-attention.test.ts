/** Agents in real tmux reach a person on Telegram who is away, and get their permissions from there. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TelegramRehearsal } from "../../src/bridges/telegram/rehearsal/server.ts";
import { systemClock } from "../../src/system/clock.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";

const PERSON = 42;

let telegram: TelegramRehearsal;
let tmux: TmuxServer;
let bellhop: Bellhop;
let api: ScriptedAgent;

const heard = () => telegram.heard(PERSON);
const answers = () => api.log().flatMap(({ answered }) => answered ?? []);

async function hears(words: RegExp, since = 0) {
  const found = () =>
    heard()
      .slice(since)
      .find(({ text = "" }) => words.test(text));
  await until(
    () => found() !== undefined,
    () => `${words} in ${JSON.stringify(heard().map(({ text }) => text))}`,
  );
  const { message_id = 0, reply_markup } = found() ?? {};
  return { id: message_id, buttons: reply_markup?.inline_keyboard.flat() ?? [] };
}

const buttonsOf = (id: number) =>
  heard()
    .find(({ message_id }) => message_id === id)
    ?.reply_markup?.inline_keyboard.flat().length ?? 0;

/** The agent asks; resolves with what the person gets. */
async function asksFor(command: string) {
  const since = heard().length;
  await bellhop.json(["send", "api", `[[menu ${command}]]`]);
  const named = command.replaceAll(/[.*+?^${}()|[\]\\]/gu, "\\$&");
  return hears(
    new RegExp(`^\\[api\\] asks for a permission:\nAllow\\? It wants to run:\n${named}$`, "u"),
    since,
  );
}

function presses({ id, buttons }: Awaited<ReturnType<typeof asksFor>>, label: string, from = PERSON): void {
  const nonce = buttons.find(({ text }) => text === label)?.callback_data ?? "";
  telegram.presses(PERSON, id, nonce, from);
}

beforeAll(async () => {
  telegram = await TelegramRehearsal.start({ clock: systemClock, chats: [{ id: PERSON }] });
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}
tmux: { servers: ["${tmux.socket}"] }
person: { channels: ["telegram/${PERSON}"] }
bridges: { telegram: { token_file: telegram-token, api_root: "${telegram.url}" } }
`,
  });
  writeFileSync(join(bellhop.home, "telegram-token"), `${telegram.token}\n`, { mode: 0o600 });
  api = await startScriptedAgent({ tmux, name: "api" });
  await bellhop.start();
  const client = await bellhop.client();
  await until(async () => (await client.call("ls", {})).sessions[0]?.readiness === "idle", "an idle agent");
});

afterAll(async () => {
  await bellhop.dispose();
  await tmux.kill();
  await telegram.close();
});

describe("a person who is away", () => {
  it("is so if nobody looks at tmux, or if they say so, also after a restart", async () => {
    const shown = async (...words: readonly string[]) => bellhop.json(["away", ...words]);
    expect(await shown()).toMatchObject({ mode: "auto", channels: ["telegram/42"] });
    expect(await shown("off")).toMatchObject({ mode: "off", is: "present" });
    await bellhop.stop();
    await bellhop.start();
    expect(await shown("status")).toMatchObject({ mode: "off", is: "present", why: "you said so" });
    expect(await shown("on")).toMatchObject({ mode: "on", is: "away" });
    expect((await bellhop.run(["away", "sometimes"])).code).toBe(2);
  });

  it("approves a permission, and denies another", async () => {
    const first = await asksFor("touch a");
    expect(await bellhop.json(["attention"])).toMatchObject([
      { kind: "permission", toldOn: ["telegram/42"] },
    ]);
    presses(first, "Approve");
    await hears(/^✓ Approved in \[.+\]$/u);
    expect(answers()).toEqual(["1"]);
    presses(await asksFor("touch b"), "Deny");
    await hears(/^✓ Denied in \[.+\]$/u);
    expect(answers()).toEqual(["1", "3"]);
  });

  it("presses in vain what the terminal has answered, and what a stranger presses counts for nothing", async () => {
    const before = answers().length;
    const asked = await asksFor("touch c");
    const since = heard().length;
    presses(asked, "Approve", 666);
    await tmux.run("send-keys", "-t", api.pane, "3");
    await until(() => answers().length > before, "the answer in the terminal");
    presses(asked, "Approve");
    await hears(/^⚠ That dialog (?:is closed|was answered) already\. Nothing was pressed\.$/u, since);
    expect(answers().slice(before)).toEqual(["3"]);
  });

  it("gets new buttons, once those that were pressed are gone and nothing came of them", async () => {
    const before = answers().length;
    const asked = await asksFor("touch f");
    const since = heard().length;
    await bellhop.run(["queue", "pause", "api"]);
    presses(asked, "Approve");
    const queued = () => bellhop.json<{ id: string }[]>(["queue", "api"]);
    await until(async () => (await queued()).length > 0, "the press in the queue");
    await until(() => buttonsOf(asked.id) === 0, "the buttons to go");
    for (const { id } of await queued()) await bellhop.run(["queue", "cancel", id]);
    await bellhop.run(["queue", "unpause", "api"]);
    await hears(/^✗ Nothing was pressed in \[.+\]/u, since);
    const anew = await hears(/^\[api\] asks for a permission:\n.*\ntouch f$/u, since);
    presses(asked, "Deny");
    await hears(/^⚠ That dialog was answered already\. Nothing was pressed\.$/u, since);
    presses(anew, "Approve");
    await hears(/^✓ Approved in \[.+\]$/u, since);
    expect(answers().slice(before)).toEqual(["1"]);
  });

  it("answers from the list of what wants them, before the phone", async () => {
    const before = answers().length;
    const asked = await asksFor("touch e");
    const since = heard().length;
    const [one] = await bellhop.json<{ id: string; answers: string[] }[]>(["attention"]);
    expect(one?.answers).toEqual(["approve", "deny"]);
    const id = one?.id ?? "";
    expect((await bellhop.run(["attention"])).stdout).toContain(
      `bellhop attention answer ${id} approve|deny`,
    );
    expect(await bellhop.json(["attention", "answer", id, "deny"])).toMatchObject({ state: "delivered" });
    expect(answers().slice(before)).toEqual(["3"]);
    presses(asked, "Approve");
    await hears(/^⚠ That dialog (?:is closed|was answered) already\. Nothing was pressed\.$/u, since);
    expect(answers().slice(before)).toEqual(["3"]);
    const late = await bellhop.run(["attention", "answer", id, "approve"]);
    expect(late).toMatchObject({ code: 3, stderr: expect.stringContaining("it may have been answered") });
  });

  it("is told once of what was asked before the daemon was killed, and answers it after", async () => {
    const before = answers().length;
    const asked = await asksFor("touch d");
    const since = heard().length;
    await bellhop.stop("SIGKILL");
    presses(asked, "Approve");
    await bellhop.start();
    await hears(/^✓ Approved in \[.+\]$/u, since);
    expect(answers().slice(before)).toEqual(["1"]);
    // If it was killed before it could write down that it had told it, it says so again, and that it may be a repeat.
    const told = heard().filter(({ text = "" }) => text.includes("touch d"));
    expect(told.filter(({ text = "" }) => !text.startsWith("(perhaps a repeat) "))).toHaveLength(1);
  });

  it("hears that a turn has ended which they began from outside", async () => {
    const since = heard().length;
    telegram.says({ chat: PERSON, from: PERSON, text: "[api] work [[busy 2]]" });
    await hears(/^\[api\] has finished/u, since);
  });
});
