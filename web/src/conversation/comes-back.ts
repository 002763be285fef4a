/** Which of an agent's kept texts would be typed back, if somebody asks for one. The daemon decides it so. Pure. */
import type { ToldDraft } from "./told.ts";

/** Nothing else brings such a text back. */
const LEFT = "left-to-person";

export function isLeftToPerson({ state }: Pick<ToldDraft, "state">): boolean {
  return state === LEFT;
}

/** Of each session one: what Bellhop itself is about to put back, or else the newest of those left to the person. */
export function comesBack(drafts: readonly ToldDraft[]): ReadonlySet<string> {
  const bySession = new Map<string, ToldDraft>();
  for (const draft of drafts.toSorted((one, other) => one.kept_at - other.kept_at)) {
    const known = bySession.get(draft.session_id);
    if (known === undefined || isLeftToPerson(known) || !isLeftToPerson(draft))
      bySession.set(draft.session_id, draft);
  }
  return new Set([...bySession.values()].map(({ id }) => id));
}
