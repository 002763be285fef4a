import { MailRehearsal } from "../../../../bridges/email/rehearsal/provider.ts";
import { systemClock } from "../../../../system/clock.ts";
import {
  answersAMessage,
  changesTheirMind,
  isAskedForWhom,
  namesTheAgent,
  playing,
  type RehearsedPerson,
  repliesWithACode,
} from "./conversation.ts";
import type { RehearsedPlatform } from "./platform.ts";

const BOT = "bellhop@example.org";
const PERSON = "ada@example.org";
const PASSWORD_FILE = "secrets/email-password";

export async function startProvider(): Promise<RehearsedPlatform> {
  const provider = await MailRehearsal.start({ clock: systemClock, bot: BOT, person: PERSON });
  const person: RehearsedPerson = {
    channel: `email/${BOT}/${PERSON}`,
    letter: (text, answers) => provider.letter(text, answers),
    says: (text, answers) => provider.says(text, answers),
    heard: () => provider.heard.map(({ id, subject, text }) => ({ id, subject, text, buttons: [] })),
  };
  const server = { host: "127.0.0.1", secure: "plain", user: BOT, password_file: PASSWORD_FILE };
  return {
    introduction: `A mail server on this machine stands in for your provider; "api" and "web" are scripted agents.`,
    channel: person.channel,
    section: {
      email: {
        address: BOT,
        authserv_id: provider.authservId,
        imap: { ...server, port: provider.imapPort },
        smtp: { ...server, port: provider.smtpPort },
      },
    },
    secrets: { [PASSWORD_FILE]: provider.password },
    play: playing(person, [
      isAskedForWhom,
      namesTheAgent,
      repliesWithACode,
      answersAMessage,
      changesTheirMind,
    ]),
    close: () => provider.close(),
  };
}
