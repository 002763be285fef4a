import { SlackRehearsal } from "../../../../bridges/slack/rehearsal/server.ts";
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

const PERSON = "U0ADA";

export async function startSlack(): Promise<RehearsedPlatform> {
  const server = await SlackRehearsal.start({ clock: systemClock, people: [{ id: PERSON, name: "ada" }] });
  const { id: conversation } = server.workspace.directWith(PERSON);
  const person: RehearsedPerson = {
    channel: `slack/team/@${PERSON}`,
    says: (text, answers) =>
      void server.says(conversation, PERSON, text, answers === undefined ? {} : { thread_ts: answers }),
    presses: ({ id }, nonce) =>
      void server.presses(server.workspace.message(conversation, id), nonce, PERSON),
    heard: () =>
      server.heard(conversation).map((message) => ({
        id: message.ts,
        text: message.shown,
        buttons: server.shownButtons(message).map(({ label, value }) => ({ label, nonce: value })),
      })),
  };
  return {
    introduction: `A server on this machine stands in for slack; "api" and "web" are scripted agents.`,
    channel: person.channel,
    section: {
      slack: {
        app_token_file: "secrets/slack-app-token",
        bot_token_file: "secrets/slack-bot-token",
        workspace: "team",
        api_url: server.url,
      },
    },
    secrets: {
      "secrets/slack-app-token": server.appToken,
      "secrets/slack-bot-token": server.botToken,
    },
    play: playing(person, [isAskedForWhom, namesTheAgent, pressesAButton, answersAMessage, changesTheirMind]),
    close: () => server.close(),
  };
}
