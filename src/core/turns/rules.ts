/** What the owner decided beforehand: it costs nothing and asks no model. */
import type { Address, Message } from "../message.ts";
import { patternMatches } from "../routing/pattern.ts";
import { sanitiseLine, sanitiseText } from "../text/sanitise.ts";

/** All that is given must hold. An empty text is not given; a rule without anything, or of what is invisible, matches nothing. */
export interface TurnRule {
  /** The path it was sent to, with wildcards. */
  readonly path?: string;
  /** The sender's address, with wildcards. */
  readonly from?: string;
  /** A part of the text, in any case. */
  readonly text?: string;
}

export type RuledMessage = Pick<Message, "from" | "to" | "body">;
export interface Ruling {
  readonly verdict: "accept" | "reject";
  readonly because: string;
}

/** A message that a rule rejects starts no turn, even if another rule accepts it. */
export function ruling(
  message: RuledMessage,
  rules: { readonly alwaysAccept: readonly TurnRule[]; readonly alwaysReject: readonly TurnRule[] },
): Ruling | undefined {
  const words = once(() => folded(message.body));
  const first = (some: readonly TurnRule[]) => some.find((rule) => matches(rule, message, words));
  const rejects = first(rules.alwaysReject);
  if (rejects !== undefined) return { verdict: "reject", because: `a rule: ${ruleShown(rejects)}` };
  const accepts = first(rules.alwaysAccept);
  return accepts === undefined ? undefined : { verdict: "accept", because: `a rule: ${ruleShown(accepts)}` };
}

function matches({ path, from, text }: TurnRule, message: RuledMessage, words: () => string): boolean {
  if (![path, from, text].some(isGiven) || (isGiven(text) && !isRuleText(text))) return false;
  const isOn = (pattern: string | undefined, address: Address): boolean =>
    !isGiven(pattern) || patternMatches(pattern, address);
  return (
    isOn(path, message.to) && isOn(from, message.from) && (!isGiven(text) || words().includes(folded(text)))
  );
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== "";

/** Whether a rule may look for it. What nobody can see would be found in every text. */
export function isRuleText(text: string): boolean {
  return /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}]/u.test(sanitiseText(text));
}

/** As the agent would read it: what is invisible must not hide a word from a rule. */
const folded = (text: string): string => sanitiseText(text).normalize("NFC").toLowerCase();

/** A body may be long, and rules are many. */
function once(make: () => string): () => string {
  let made: string | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

const LONGEST_SHOWN = 80;

export function ruleShown({ path, from, text }: TurnRule): string {
  const parts = [
    isGiven(path) ? `to ${path}` : undefined,
    isGiven(from) ? `from ${from}` : undefined,
    isGiven(text) ? `with "${text}"` : undefined,
  ];
  return parts.flatMap((part) => (part === undefined ? [] : sanitiseLine(part, LONGEST_SHOWN))).join(", ");
}
