/**
 * What Bellhop writes on its messages for itself: commands, and payloads that make buttons, name dialogs, or say whose
 * words it brings. Of another host's Bellhop nothing of it is believed here, but that it reminds and for whom.
 */
import type { Json, Message } from "../message.ts";
import { present } from "../present.ts";
import { isReminder, reminderStamp, setterIn, textIn } from "../rights/ways-in.ts";
import type { AdmittedHost } from "./admission.ts";
import { isMove } from "./moving.ts";
import { speakerFrom, speakerOf } from "./speakers.ts";

interface Stamped extends Pick<Message, "from" | "source"> {
  readonly command?: string | undefined;
  readonly payload?: Json | undefined;
}

export function stampHere(admitted: AdmittedHost, message: Stamped): Pick<Message, "command" | "payload"> {
  const { command, payload } = message;
  if (message.source !== "bellhop" || isMove(admitted.host, message)) return present({ command, payload });
  if (command === undefined || !isReminder({ command })) return {};
  const text = textIn(payload);
  const setter = setterHere(admitted, setterIn(payload));
  return setter === undefined ? { command, payload: { text } } : reminderStamp(setter, text);
}

/** Somebody of that host, whatever it says; its person only if that one counts as a person here. */
function setterHere({ host, rights }: AdmittedHost, setter: string): string | undefined {
  const there = speakerFrom(host, speakerOf(setter, host));
  return there?.startsWith("person/") === true && !rights.includes("person") ? undefined : there;
}
