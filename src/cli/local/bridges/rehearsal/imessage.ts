import { join } from "node:path";
import { MessagesRehearsal } from "../../../../bridges/imessage/rehearsal/messages.ts";
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
import type { RehearsalStage } from "./stage.ts";

const OWNER = "+15551234567";

export async function startMessages(stage: RehearsalStage): Promise<RehearsedPlatform> {
  const osascript = stage.shipped("osascript.mjs");
  const messages = await MessagesRehearsal.start({
    ...{ clock: systemClock, folder: join(stage.folder, "mac"), osascript },
  });
  messages.behaves({ isSelf: true });
  const person: RehearsedPerson = {
    channel: `imessage/${OWNER}`,
    says: (text, answers) => messages.ownerSays(OWNER, text, answers),
    heard: () => messages.sent.map(({ guid, text }) => ({ id: guid, text, buttons: [] })),
  };
  return {
    introduction: `A database and a program on this machine stand in for Messages; "api" and "web" are scripted agents.`,
    channel: person.channel,
    section: {
      imessage: {
        handles: [OWNER],
        chat_db: messages.chatDb,
        osascript: join(messages.bin, "osascript"),
        poll: 1,
      },
    },
    secrets: {},
    play: playing(person, [
      isAskedForWhom,
      namesTheAgent,
      repliesWithACode,
      answersAMessage,
      changesTheirMind,
    ]),
    close: () => messages.close(),
  };
}
