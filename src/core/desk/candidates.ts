/** Which live agent a word means. */
import type { AgentName, SessionId } from "../message.ts";

/** A live session that a person outside can mean. */
export interface Candidate {
  readonly session: SessionId;
  readonly agent: AgentName;
  /** As tmux shows it, or the agent's name. */
  readonly label: string;
}

/** What nobody sees in a word does not make it another one. */
const INVISIBLE = /\p{Cc}|\p{Cf}|\u{FE0E}|\u{FE0F}/gu;

/** Exact label or name first, then a part of one, with case, hyphens, underscores and spaces folded. */
export function candidatesFor(word: string, live: readonly Candidate[]): readonly Candidate[] {
  const exact = live.filter(({ agent, label }) => label === word || agent === word);
  if (exact.length > 0) return exact;
  const wanted = fold(word);
  if (wanted === "") return [];
  const folded = live.filter(({ agent, label }) => fold(label) === wanted || fold(agent) === wanted);
  if (folded.length > 0) return folded;
  return live.filter(({ agent, label }) => fold(label).includes(wanted) || fold(agent).includes(wanted));
}

export function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s_-]+/gu, " ")
    .replace(INVISIBLE, "")
    .trim();
}

/** How a person writes it: the agent's name if nobody else has it, else the label. */
export function wordFor(candidate: Candidate, live: readonly Candidate[]): string {
  const namesakes = live.filter(({ agent }) => agent === candidate.agent);
  return namesakes.length <= 1 ? candidate.agent : candidate.label;
}
