/** The provider of `bellhop bridge rehearse email`: to the bridge it is one like any other. */
import { emailSettings } from "../../../src/bridges/email/config.ts";
import { emailBridge } from "../../../src/bridges/email/index.ts";
import { MailRehearsal } from "../../../src/bridges/email/rehearsal/provider.ts";
import { systemClock } from "../../../src/system/clock.ts";
import { Gate } from "../../rig/gate.ts";
import { describeReceiving, describeSpeaking, type SpeakingStage } from "./contract.ts";

const BOT = "bellhop@example.org";
const PERSON = "ada@example.org";

async function open(): Promise<SpeakingStage> {
  const provider = await MailRehearsal.start({ clock: systemClock, bot: BOT, person: PERSON });
  const [imap, smtp] = [new Gate(), new Gate()];
  await imap.open(provider.imapPort);
  await smtp.open(provider.smtpPort);
  const server = (port: number) => ({ host: "127.0.0.1", port, user: BOT, password: provider.password });
  return {
    path: `email/${BOT}/${PERSON}`,
    person: PERSON,
    bridge: () =>
      emailBridge(
        emailSettings({
          address: BOT,
          authservId: provider.authservId,
          imap: { ...server(imap.port), secure: "plain" },
          smtp: { ...server(smtp.port), secure: "plain" },
        }),
        {
          clock: systemClock,
          log: { info: () => {}, warn: () => {}, error: () => {} },
          randomKey: () => `key ${Math.random()}`,
        },
      ),
    says: async (text, { answers } = {}) => provider.says(text, answers),
    heard: async () => provider.heard,
    refuse: async (words) => provider.refuse(words),
    async outage(isOn) {
      for (const gate of [imap, smtp]) await (isOn ? gate.shut() : gate.open());
    },
    async close() {
      await Promise.all([imap.shut(), smtp.shut()]);
      await provider.close();
    },
  };
}

describeReceiving("email, rehearsed,", open);
describeSpeaking("email, rehearsed,", open);
