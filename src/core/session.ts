import type { HostName } from "./cluster/hosts.ts";
import type { AgentName, DeliveryId, Instant, SessionId } from "./message.ts";

/** A durable role: keeps its mailbox while programs come and go. */
export interface Agent {
  readonly name: AgentName;
  readonly createdAt: Instant;
  readonly origin: "discovered" | "added" | "declared";
  /** A person chose this name; it leads the headline. */
  readonly chosen: boolean;
  readonly paused: boolean;
  /** The letters with which it began to move to other hosts. Whoever has its name later has none of them. */
  readonly moving?: readonly DeliveryId[];
  /** The host from which it moved here last. */
  readonly cameFrom?: HostName;
}

/** One conversation of an agent, with at most one live terminal. */
export interface Session<Identity = unknown> {
  readonly id: SessionId;
  readonly agent: AgentName;
  /** Set if it was created by name; unique within its agent. */
  readonly name?: string;
  readonly main: boolean;
  readonly program: string;
  readonly identity?: Identity;
  readonly programSessionId?: string;
  readonly transcriptPath?: string;
  readonly version?: string;
  readonly label: string;
  readonly title: string;
  readonly folder?: string;
  readonly branch?: string;
  readonly lastPrompt?: string;
  /** The program has reported through its hooks, so the end of a turn will be reported. */
  readonly hooked: boolean;
  readonly startedAt: Instant;
  readonly lastActiveAt: Instant;
  readonly exitedAt?: Instant;
  /** Hosted by Bellhop: its command. */
  readonly command?: readonly string[];
  /** Started by Bellhop in a tmux window: its command, and the server if not the default one. */
  readonly window?: { readonly command: readonly string[]; readonly server?: string };
  readonly role?: string;
  /** The session that started it. */
  readonly parent?: SessionId;
  /** The parent still has to be told that its first turn has ended. */
  readonly owesFirstTurn?: boolean;
}

/** The agent's first session, used if none of its conversations is named. */
export const MAIN = "main";

/** UUIDs, `ses_…`, names; never an option. */
const CONVERSATION_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/u;

/** A program's own id of a conversation. It comes back on a command line, so anything else is none. */
export function conversationId(text: string | undefined): string | undefined {
  return text !== undefined && CONVERSATION_ID.test(text) ? text : undefined;
}

const LONGEST_PROMPT_PREVIEW = 80;

/** What a colleague would call this session: the first non-empty entry of the chain. */
export function headline(facts: {
  readonly chosenName?: string | undefined;
  /** Already without spinner and program name. */
  readonly title?: string | undefined;
  readonly lastPrompt?: string | undefined;
  readonly branch?: string | undefined;
  readonly id: SessionId;
}): string {
  const { chosenName, title, lastPrompt = "", branch, id } = facts;
  return (
    said(chosenName) ??
    said(title) ??
    said(lastPrompt === "" ? "" : preview(lastPrompt)) ??
    said(branch) ??
    id
  );
}

function preview(prompt: string): string {
  return [...prompt.replace(/\s+/gu, " ").trim()].slice(0, LONGEST_PROMPT_PREVIEW).join("");
}

function said(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === "" ? undefined : trimmed;
}

/** The profile of a program without a profile: it is shown and can be attached to, but is never typed into. */
export const UNKNOWN_PROGRAM = "program";

/** What people call the program in it. */
export function programShown({
  program,
  command,
  window,
}: Pick<Session, "program" | "command" | "window">): string {
  const [file = ""] = command ?? window?.command ?? [];
  const called = file.split("/").at(-1) ?? "";
  return program === UNKNOWN_PROGRAM || program === "" ? called || program : program;
}

interface InConversation {
  readonly conversation?: string | undefined;
}

/** The two happened in different conversations of one window: then the one says nothing of the other. */
export function isElsewhere(one: InConversation, other: InConversation): boolean {
  const isKnown = one.conversation !== undefined && other.conversation !== undefined;
  return isKnown && one.conversation !== other.conversation;
}

/** What was reported of the conversation that the window shows, as far as that is known. */
export function ofShownConversation<Report extends InConversation>(
  reports: readonly Report[],
  session: Pick<Session, "programSessionId"> | undefined,
): readonly Report[] {
  const shown = { conversation: session?.programSessionId };
  return reports.filter((report) => !isElsewhere(shown, report));
}
