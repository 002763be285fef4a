import { TelegramRehearsal } from "../../../../bridges/telegram/rehearsal/server.ts";
import { systemClock } from "../../../../system/clock.ts";
import {
  answersAMessage,
  changesTheirMind,
  isAskedForWhom,
  namesTheAgent,
  playing,
  pressesAButton,
  type RehearsedPerson,
} from "./conversation.ts";
import type { RehearsedPlatform } from "./platform.ts";

const PERSON = 42;

export async function startTelegram(): Promise<RehearsedPlatform> {
  const server = await TelegramRehearsal.start({ clock: systemClock, chats: [{ id: PERSON }] });
  const person: RehearsedPerson = {
    channel: `telegram/${PERSON}`,
    says: (text, answers) =>
      void server.says({
        ...{ chat: PERSON, from: PERSON, text },
        ...(answers === undefined ? {} : { answers: Number(answers) }),
      }),
    presses: ({ id }, nonce) => void server.presses(PERSON, Number(id), nonce, PERSON),
    heard: () =>
      server.heard(PERSON).map(({ message_id, text = "", reply_markup }) => ({
        id: String(message_id),
        text,
        buttons: (reply_markup?.inline_keyboard.flat() ?? []).map((one) => ({
          label: one.text,
          nonce: one.callback_data,
        })),
      })),
  };
  return {
    introduction: `A server on this machine stands in for telegram; "api" and "web" are scripted agents.`,
    channel: person.channel,
    section: { telegram: { token_file: "secrets/telegram-token", api_root: server.url } },
    secrets: { "secrets/telegram-token": server.token },
    play: playing(person, [isAskedForWhom, namesTheAgent, pressesAButton, answersAMessage, changesTheirMind]),
    close: () => server.close(),
  };
}
