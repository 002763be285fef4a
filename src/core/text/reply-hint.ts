/** The last line that an agent reads: who wrote it, whether they wait for the answer, and how to answer them. */
import { assertNever } from "../errors.ts";
import { defuseHeaders } from "./defuse-headers.ts";
import { nameable, type Sender } from "./prompt-header.ts";
import { sanitiseLine } from "./sanitise.ts";

export interface Hinted {
  readonly shortId: string;
  readonly sender: Sender;
  /** Its sender waits for the answer. */
  readonly isQuestion?: boolean;
}

const LONGEST_HEADLINE = 80;

/** One for each sender, in the order of their first message. */
export function hintsFor(items: readonly Hinted[]): readonly string[] {
  const bySender = new Map<string, Hinted[]>();
  for (const item of items) {
    const origin = originOf(item.sender);
    if (origin === undefined) continue;
    const key = `${origin}\n${addressOf(item.sender)}`;
    bySender.set(key, [...(bySender.get(key) ?? []), item]);
  }
  return [...bySender.values()].flatMap((theirs) => hintUnder(theirs) ?? []);
}

function hintUnder(theirs: readonly Hinted[]): string | undefined {
  const sender = theirs[0]?.sender;
  const origin = sender === undefined ? undefined : originOf(sender);
  if (sender === undefined || origin === undefined) return undefined;
  const questions = theirs.filter((item) => item.isQuestion === true).map(({ shortId }) => shortId);
  const [first, ...others] = questions;
  if (first === undefined) {
    // An answer to a guest belongs to what they said: it goes where they said it.
    if (sender.kind === "program") return `— from ${origin}.`;
    if (sender.kind === "guest") return hint(origin, `reply ${theirs.at(-1)?.shortId}`);
    const address = addressOf(sender);
    return address === undefined ? undefined : hint(origin, `send ${address}`);
  }
  const who = sender.kind === "person" || sender.kind === "guest" ? "who" : "which";
  // `reply`, not `send`: the answer must be linked to this question.
  return others.length === 0
    ? hint(`${origin}, ${who} waits for your answer`, `reply ${first}`)
    : hint(`${origin}, ${who} waits for your answers to ${questions.join(", ")}`, "reply ID");
}

function hint(origin: string, command: string): string {
  return `— from ${origin}. To reply: bellhop ${command} "<your reply>"`;
}

/** Undefined for Bellhop itself, which cannot be answered. */
function originOf(sender: Sender): string | undefined {
  switch (sender.kind) {
    case "agent": {
      if (sender.sessionId === undefined) return `agent "${quotable(sanitiseLine(sender.name))}"`;
      const id = sanitiseLine(sender.sessionId);
      const headline = quotable(sender.headline ?? "");
      return `session ${headline === "" || headline === id ? id : `"${headline}" (${id})`}`;
    }
    case "session":
      return `session ${sanitiseLine(sender.id)}`;
    case "person":
    case "guest":
      return `person "${quotable(nameable(sender.name))}"`;
    case "program":
      return `program "${quotable(nameable(sender.name))}" on another host`;
    case "bellhop":
      return undefined;
    default:
      return assertNever(sender);
  }
}

/** Undefined for a person: they read the agent's answer in its terminal, or are told it when they are away. */
function addressOf(sender: Sender): string | undefined {
  switch (sender.kind) {
    case "agent":
      return sanitiseLine(sender.sessionId ?? sender.name);
    case "session":
      // Its full address: if it is still unknown, the answer is kept as a dead letter.
      return `session/${sanitiseLine(sender.id)}`;
    case "person":
    case "guest":
    case "program":
    case "bellhop":
      return undefined;
    default:
      return assertNever(sender);
  }
}

function quotable(headline: string): string {
  const line = defuseHeaders(sanitiseLine(headline).replace(/\s+/g, " ").trim());
  return sanitiseLine(line.replace(/["“”„‟＂]/g, "’"), LONGEST_HEADLINE).trimEnd();
}
