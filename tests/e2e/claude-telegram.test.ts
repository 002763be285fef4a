/** Permission dialogs of the real Claude Code, answered by a person on Telegram. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TelegramRehearsal } from "../../src/bridges/telegram/rehearsal/server.ts";
import { systemClock } from "../../src/system/clock.ts";
import { showsClaudePermissionDialog } from "../rig/claude.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { PATIENCE_MS, Stage } from "./claude-stage.ts";

const PERSON = 42;

let telegram: TelegramRehearsal;
let stage: Stage;
let coder: RunningAgent;
let first: Question;

beforeAll(assertInNamespace);

beforeAll(async () => {
  telegram = await TelegramRehearsal.start({ clock: systemClock, chats: [{ id: PERSON }] });
  stage = await Stage.set({
    config: `person: { channels: ["telegram/${PERSON}"] }
bridges: { telegram: { token_env: TELEGRAM_TOKEN, api_root: "${telegram.url}" } }`,
    env: { TELEGRAM_TOKEN: telegram.token },
  });
  coder = await stage.enter("coder");
});

afterAll(async () => {
  await stage?.strike();
  await telegram?.close();
});

const heard = () => telegram.heard(PERSON);

/** Claude asks whether it may run this; resolves with the message on the phone. */
async function asksFor(command: string) {
  await stage.untilIdle("coder");
  const sent = await stage.send("coder", `[[bash ${command}]]`);
  await stage.reaches(sent, "delivered");
  const isAbout = ({ text = "" }: { readonly text?: string }) =>
    text.startsWith("[coder] asks for a permission:\n") && text.includes(command);
  const said = () => JSON.stringify(heard().map(({ text }) => text));
  await until(() => heard().some(isAbout), said, PATIENCE_MS);
  const { message_id, reply_markup } = heard().findLast(isAbout) ?? {};
  // The bridge takes the buttons away once one is pressed; a phone may still show them.
  const buttons = reply_markup?.inline_keyboard.flat() ?? [];
  return { message: message_id ?? 0, buttons };
}

type Question = Awaited<ReturnType<typeof asksFor>>;

function presses({ message, buttons }: Question, label: string): void {
  const nonce = buttons.find(({ text }) => text === label)?.callback_data ?? "";
  telegram.presses(PERSON, message, nonce, PERSON);
}

async function hears(words: RegExp, since: number): Promise<void> {
  const told = () =>
    heard()
      .slice(since)
      .map(({ text = "" }) => text);
  await until(
    () => told().some((text) => words.test(text)),
    () => JSON.stringify(told()),
    PATIENCE_MS,
  );
}

const made = (name: string) => existsSync(join(coder.repo, name));

const closes = () =>
  coder.terminal.waitForScreen((screen) => !showsClaudePermissionDialog(screen), { timeoutMs: PATIENCE_MS });

describe("a permission dialog of Claude Code", () => {
  it("is approved from Telegram, and the command runs", async () => {
    first = await asksFor("touch approved");
    const before = heard().length;
    presses(first, "Approve");
    await hears(/^✓ Approved in \[.+\]$/u, before);
    await until(() => made("approved"), "the file", PATIENCE_MS);
  });

  it("is denied from Telegram, and the command does not run", async () => {
    const asked = await asksFor("touch denied");
    const before = heard().length;
    presses(asked, "Deny");
    await hears(/^✓ Denied in \[.+\]$/u, before);
    await closes();
    await stage.untilIdle("coder");
    expect(made("denied")).toBe(false);
  });

  it("is not answered by a button of an earlier one, nor by its own once the terminal answered it", async () => {
    const asked = await asksFor("touch stale");
    const before = heard().length;
    presses(first, "Approve");
    await hears(/^⚠ That dialog was answered already\. Nothing was pressed\.$/u, before);
    expect(showsClaudePermissionDialog(await coder.terminal.screen())).toBe(true);
    expect(made("stale")).toBe(false);
    await stage.tmux.run("send-keys", "-t", coder.pane, "Escape");
    await closes();
    const after = heard().length;
    presses(asked, "Approve");
    await hears(/^⚠ That dialog (?:is closed|was answered) already\. Nothing was pressed\.$/u, after);
    await stage.untilIdle("coder");
    expect(made("stale")).toBe(false);
  });
});
