import { imessageBridge } from "../../../src/bridges/imessage/index.ts";
import { textOfBody } from "../../../src/bridges/imessage/typedstream.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { Messages } from "../../rig/imessage/messages.ts";
import { describeReceiving, describeSpeaking, type SpeakingStage } from "./contract.ts";

const PERSON = "+15551234567";

async function open(): Promise<SpeakingStage> {
  const messages = await Messages.start();
  return {
    path: `imessage/${PERSON}`,
    person: PERSON,
    longest: 8_000,
    cannotAnswer: true,
    bridge: () =>
      imessageBridge(
        { handles: ["+1 (555) 123-4567"], chatDb: messages.chatDb, pollMs: 1_000 },
        {
          clock: systemClock,
          log: { info: () => {}, warn: () => {}, error: () => {} },
          environment: { PATH: `${messages.bin}:${process.env.PATH}` },
        },
      ),
    says: (text, { answers } = {}) =>
      messages.writes({ text, from: PERSON, ...(answers === undefined ? {} : { answers }) }),
    async heard() {
      const rows = await messages.query<{ readonly guid: string; readonly attributedBody: Uint8Array }>(
        "SELECT guid, attributedBody FROM message WHERE is_from_me = 1 ORDER BY ROWID",
      );
      return rows.map(({ guid, attributedBody }) => {
        const read = textOfBody(attributedBody);
        return { id: guid, text: read.kind === "text" ? read.text : read.why };
      });
    },
    refuse: (words) => messages.behaves({ fails: `Messages got an error: ${words} (-1728)` }),
    outage: (isOn) => messages.isAway(isOn),
    close: () => messages.close(),
  };
}

describeReceiving("imessage", open);
describeSpeaking("imessage", open);
