/**
 * What a speaker may ask of Bellhop: the rights, and who has which. The same at every door. `needs.ts` has what a
 * request needs; the office finds out who speaks and what belongs to them.
 */
import { hostOfSpeaker } from "../cluster/speakers.ts";
import { assertNever, BellhopError } from "../errors.ts";
import type { AgentName, Message, SessionId } from "../message.ts";
import { STRANGE_PROGRAMS } from "./agent-programs.ts";

export const RIGHTS = [
  "send",
  "urgent",
  "raw",
  "dismiss",
  "mail-of-others",
  "queue-of-others",
  "name",
  "stop",
  "spawn",
  "remind",
  "subscribe",
  "admin",
] as const;
export type Right = (typeof RIGHTS)[number];

/** What every agent may do: speak, be reminded, hear, have children. What is its own needs no right. */
export const AGENT_RIGHTS: readonly Right[] = ["send", "urgent", "spawn", "remind", "subscribe"];

/** What the config adds to them. */
export interface RightsChoice {
  readonly everyone: readonly Right[];
  readonly byAgent: ReadonlyMap<AgentName, readonly Right[]>;
}

export const NO_MORE_RIGHTS: RightsChoice = { everyone: [], byAgent: new Map() };

export type Speaker =
  /** The person whose daemon this is. */
  | { readonly kind: "owner" }
  /** `by`: its own token, or a sign that its program asks (a variable, its terminal, its processes). */
  | {
      readonly kind: "agent";
      readonly agent: AgentName;
      readonly sessionId?: SessionId;
      readonly by: "token" | "program";
    }
  /** It claims to be a session with an id that we do not know. */
  | { readonly kind: "unknown-session"; readonly id: string }
  /** Run by an agent program that is not one of our sessions. */
  | { readonly kind: "unknown-program"; readonly program: string };

/** The agent that a message speaks for, known or not; undefined for the owner, their scripts and Bellhop. */
export function agentBehind({
  from,
  source,
}: Pick<Message, "from" | "source">): Exclude<Speaker, { readonly kind: "owner" }> | undefined {
  const [kind = "", name = ""] = from.split("/");
  if (source === "agent") return { kind: "agent", agent: name, by: "program" };
  if (kind === "session") return { kind: "unknown-session", id: name };
  const isStrange = kind === "program" && STRANGE_PROGRAMS.includes(name);
  return isStrange ? { kind: "unknown-program", program: name } : undefined;
}

/** Decided when the dialog is met, by the sender's rights at that time. */
export function mayDismiss(sender: Pick<Message, "from" | "source">, choice: RightsChoice): boolean {
  // A script acts for its owner, who is another one there; a person counts as one here only if their host may say so.
  if (hostOfSpeaker(sender.from) !== undefined)
    return sender.source === "person" || choice.everyone.includes("dismiss");
  const agent = agentBehind(sender);
  if (agent?.kind === "agent") return agentRights(agent.agent, choice).includes("dismiss");
  // What Bellhop says may come from an agent, such as a reminder.
  if (agent !== undefined || sender.source === "bellhop") return choice.everyone.includes("dismiss");
  // A script acts for the owner; a sender from outside does not get this far.
  return true;
}

/** In the order in which the rights are listed. */
export function rightsOf(speaker: Speaker, choice: RightsChoice): readonly Right[] {
  switch (speaker.kind) {
    case "owner":
      return RIGHTS;
    case "agent":
      return agentRights(speaker.agent, choice);
    case "unknown-session":
    case "unknown-program":
      return together(AGENT_RIGHTS, choice.everyone);
    default:
      return assertNever(speaker);
  }
}

export function agentRights(agent: AgentName, { everyone, byAgent }: RightsChoice): readonly Right[] {
  return together(AGENT_RIGHTS, everyone, byAgent.get(agent) ?? []);
}

function together(...lists: readonly (readonly Right[])[]): readonly Right[] {
  return RIGHTS.filter((right) => lists.some((list) => list.includes(right)));
}

/** Continues a sentence after "may not". */
const WITHOUT: Readonly<Record<Right, string>> = {
  send: "send messages",
  urgent: "send urgent messages",
  raw: "press keys or type raw text in a terminal",
  dismiss: "dismiss a dialog",
  "mail-of-others": "see or take messages of others",
  "queue-of-others": "see or change the queue of another, or a person's draft",
  name: "name, create or remove other agents, or take a name that belongs to one",
  stop: "stop or restart what is not its child",
  spawn: "start other agents",
  remind: "set reminders",
  subscribe: "subscribe to paths",
  admin: "control Bellhop itself",
};

/** `what`: what the speaker may not do, if the right covers more than that. `next`: what gives less than the right. */
export function rightMissing(
  speaker: Speaker,
  right: Right,
  what: string = WITHOUT[right],
  next?: string,
): BellhopError {
  const grant =
    speaker.kind === "agent"
      ? `rights: { agents: { ${speaker.agent}: [${right}] } }`
      : `rights: { default: [${right}] }`;
  return new BellhopError("rights.missing", {
    message: `${nameOf(speaker)} may not ${what}: the right "${right}" is missing.`,
    next: next ?? `Leave it to the person you work for. Only they can grant it, in config.yaml: ${grant}.`,
  });
}

/** `what` continues a sentence after "may not". */
export function ownerOnly(speaker: Speaker, what: string): BellhopError {
  return new BellhopError("rights.missing", {
    message: `${nameOf(speaker)} may not ${what}: only the owner may.`,
    next: "Leave it to the person you work for.",
  });
}

function nameOf(speaker: Speaker): string {
  switch (speaker.kind) {
    case "owner":
      return "The owner";
    case "agent":
      return `Agent "${speaker.agent}"`;
    case "unknown-session":
      return "A session that Bellhop does not know";
    case "unknown-program":
      return "An agent program that Bellhop does not know";
    default:
      return assertNever(speaker);
  }
}
