/** Permission dialogs of the real Codex, answered by a person on Telegram. */
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TelegramRehearsal } from "../../src/bridges/telegram/rehearsal/server.ts";
import { systemClock } from "../../src/system/clock.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import { removeFolder } from "../rig/remove-folder.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { CodexDesk, PATIENCE_MS } from "./codex-desk.ts";

const PERSON = 42;

let telegram: TelegramRehearsal;
let folder: string;
let desk: CodexDesk;
let coder: RunningAgent;

beforeAll(assertInNamespace);

beforeAll(async () => {
  telegram = await TelegramRehearsal.start({ clock: systemClock, chats: [{ id: PERSON }] });
  folder = mkdtempSync(join(tmpdir(), "bellhop-telegram-"));
  const token = join(folder, "token");
  writeFileSync(token, `${telegram.token}\n`, { mode: 0o600 });
  desk = await CodexDesk.open(`person: { channels: ["telegram/${PERSON}"] }
bridges: { telegram: { token_file: "${token}", api_root: "${telegram.url}" } }`);
  coder = await desk.seat("coder");
});

afterAll(async () => {
  await desk?.close();
  await telegram?.close();
  removeFolder(folder);
});

const heard = (since = 0) => telegram.heard(PERSON).slice(since);

/** Codex asks whether it may run this, the person presses, and hears what became of it. */
async function answers(command: string, label: string, words: RegExp): Promise<void> {
  await desk.untilIdle(coder);
  const since = heard().length;
  await desk.send("coder", `go on [[escalate ${command}]]`);
  const said = () => JSON.stringify(heard(since).map(({ text }) => text));
  const asked = () => heard(since).find(({ text = "" }) => text.includes(`$ ${command}`));
  await until(() => asked() !== undefined, said, PATIENCE_MS);
  const { message_id = 0, reply_markup } = asked() ?? {};
  const button = reply_markup?.inline_keyboard.flat().find(({ text }) => text === label);
  telegram.presses(PERSON, message_id, button?.callback_data ?? "", PERSON);
  await until(() => heard(since).some(({ text = "" }) => words.test(text)), said, PATIENCE_MS);
}

const made = (name: string) => existsSync(join(coder.repo, name));

describe("a permission dialog of Codex", () => {
  it("is approved from Telegram, and the command runs", async () => {
    await answers("touch approved", "Approve", /^✓ Approved in \[.+\]$/u);
    await until(() => made("approved"), "the file", PATIENCE_MS);
  });

  it("is denied from Telegram, and the command does not run", async () => {
    await answers("touch denied", "Deny", /^✓ Denied in \[.+\]$/u);
    await desk.untilIdle(coder);
    expect(made("denied")).toBe(false);
  });
});
