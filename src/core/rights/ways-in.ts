import { splitAddress } from "../address.ts";
import { hostOfSpeaker } from "../cluster/speakers.ts";
import { assertNever } from "../errors.ts";
import type { Address, Json, Message } from "../message.ts";

/** `typed`: what a person writes is typed, or waits. `any`: it takes any open way in. */
export const PERSON_BY = ["typed", "any"] as const;
export type PersonBy = (typeof PERSON_BY)[number];

/** `typed-only`: by keys or not at all. `typed-first`: by keys if possible now. `best-first`: as the profile says. */
export type WaysIn = "typed-only" | "typed-first" | "best-first";

type WordsOfMessage = Pick<Message, "from" | "source" | "command" | "payload">;

/** The native inboxes tell the model that its user did not write the text, which is false for a person's own words. */
export function waysInOf(message: WordsOfMessage, anyWayIn: boolean, personBy: PersonBy): WaysIn {
  if (!isInPersonsWords(message)) return "best-first";
  return anyWayIn || personBy === "any" ? "typed-first" : "typed-only";
}

/** Marks whose words a reminder from Bellhop carries. The text is where every plain message has it. */
export function reminderStamp(setBy: Address, text: string): Required<Pick<Message, "command" | "payload">> {
  return { command: REMINDER, payload: { text, setBy } };
}

const REMINDER = "reminder";

export function isReminder({ command }: Pick<Message, "command">): boolean {
  return command === REMINDER;
}

function isInPersonsWords({ from, source, command, payload }: WordsOfMessage): boolean {
  if (source !== "bellhop") return source === "person";
  const setter = setterIn(payload);
  // What another host's Bellhop brings is in nobody's words here.
  if (hostOfSpeaker(from) !== hostOfSpeaker(setter)) return false;
  return command === REMINDER && splitAddress(setter).kind === "person";
}

/** Empty: nobody is named. */
export function setterIn(payload: Json | undefined): Address {
  return fieldIn(payload, "setBy");
}

export function textIn(payload: Json | undefined): string {
  return fieldIn(payload, "text");
}

function fieldIn(payload: Json | undefined, name: "setBy" | "text"): string {
  if (typeof payload !== "object" || payload === null || Array.isArray(payload)) return "";
  const value = Object.entries(payload).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value : "";
}

/** In the order in which they are tried. */
export function rungsFor<Rung extends string>(
  ways: WaysIn,
  open: readonly (Rung | "paste")[],
  idle: boolean,
): readonly (Rung | "paste")[] {
  switch (ways) {
    case "typed-only":
      return open.filter((rung) => rung === "paste");
    case "typed-first":
      return idle
        ? [...open.filter((rung) => rung === "paste"), ...open.filter((rung) => rung !== "paste")]
        : open;
    case "best-first":
      return open;
    default:
      return assertNever(ways);
  }
}
