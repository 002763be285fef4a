/** Whom a person's answer from outside is meant for, by the first rule that can tell. Pure; every rule says why. */
import type { AgentName, Instant, MessageId, SessionId } from "../message.ts";
import { present } from "../present.ts";
import { type Candidate, candidatesFor } from "./candidates.ts";
import { choiceOf, tagOf, withoutAddress } from "./reply-text.ts";

export const RULES = [
  "choice",
  "tag",
  "reply",
  "topic",
  "only-question",
  "only-agent",
  "classifier",
  "last-notifier",
  "default",
] as const;
export type Rule = (typeof RULES)[number];

/** The agent that something on the platform belongs to; its session may have ended since. */
export interface Bound {
  readonly agent: AgentName;
  readonly session?: SessionId;
}

export interface Situation {
  readonly now: Instant;
  readonly live: readonly Candidate[];
  /** Whose message it answers, according to the platform. */
  readonly answers?: Bound;
  /** Whose topic it was written in. */
  readonly topic?: AgentName;
  /** The sessions that ask something now. */
  readonly asking: readonly SessionId[];
  /** Who told the person something, and when. */
  readonly notified: readonly { readonly session: SessionId; readonly at: Instant }[];
  readonly freshMs: number;
  readonly defaultAgent?: string;
  /** The question with numbered choices that the message answers, else the one that was asked last in this place. */
  readonly asked?: Asked;
  /** What the classifier said; absent until it was asked. `none`: no label, a failure or a time-out. */
  readonly classified?: { readonly label: string } | { readonly none: string };
  readonly classifies: boolean;
}

export interface Asked {
  /** The message that asked. */
  readonly id: MessageId;
  readonly at: Instant;
  readonly text: string;
  readonly choices: readonly Candidate[];
  /** According to the platform, this question is what the message answers. */
  readonly isAnswered: boolean;
}

export interface Considered {
  readonly rule: Rule;
  readonly why: string;
}

export type Resolved = { readonly considered: readonly Considered[] } & (
  | {
      readonly kind: "to";
      readonly to: Candidate;
      readonly body: string;
      readonly by: Rule;
      /** The question that is answered by it. */
      readonly question?: MessageId;
      /** The tag beat the thread: the confirmation says so. */
      readonly despite?: AgentName;
    }
  | { readonly kind: "classify" }
  | { readonly kind: "ask"; readonly body: string; readonly choices: readonly Candidate[] }
  | { readonly kind: "refuse"; readonly because: Refusal }
);

export type Refusal =
  | { readonly kind: "unknown-tag"; readonly tag: string }
  | { readonly kind: "ended"; readonly agent: AgentName }
  | { readonly kind: "no-such-choice"; readonly choices: number }
  | { readonly kind: "empty" }
  | { readonly kind: "nobody" };

export const CHOICE_MS = 10 * 60_000;

type Verdict =
  | { readonly to: Candidate; readonly body: string; readonly why: string; readonly question?: MessageId }
  | { readonly ask: readonly Candidate[]; readonly body: string; readonly why: string }
  | { readonly refuse: Refusal; readonly why: string }
  | { readonly classify: true; readonly why: string }
  /** It cannot tell. */
  | { readonly why: string };

const BY_RULE: Readonly<Record<Rule, (text: string, situation: Situation) => Verdict>> = {
  choice: byChoice,
  tag: byTag,
  reply: (text, { answers, live }) =>
    answers === undefined
      ? { why: "it answers no message" }
      : byBound(text, answers, live, "answers a message of"),
  topic: (text, { topic, live }) =>
    topic === undefined
      ? { why: "it has no topic" }
      : byBound(text, { agent: topic }, live, "is in the topic of"),
  "only-question": byOnlyQuestion,
  "only-agent": byOnlyAgent,
  classifier: byClassifier,
  "last-notifier": byLastNotifier,
  default: byDefault,
};

export function resolve(text: string, situation: Situation): Resolved {
  const considered: Considered[] = [];
  if (text.trim() === "") return { kind: "refuse", because: { kind: "empty" }, considered };
  for (const rule of RULES) {
    const verdict = BY_RULE[rule](text, situation);
    considered.push({ rule, why: verdict.why });
    if ("to" in verdict)
      return {
        kind: "to",
        to: verdict.to,
        body: verdict.body,
        by: rule,
        ...present({ question: verdict.question }),
        ...despite(rule, verdict.to, situation),
        considered,
      };
    if ("ask" in verdict) return { kind: "ask", choices: verdict.ask, body: verdict.body, considered };
    if ("refuse" in verdict) return { kind: "refuse", because: verdict.refuse, considered };
    if ("classify" in verdict) return { kind: "classify", considered };
  }
  return situation.live.length === 0
    ? { kind: "refuse", because: { kind: "nobody" }, considered }
    : { kind: "ask", choices: situation.live, body: text, considered };
}

function despite(rule: Rule, to: Candidate, { answers, topic }: Situation): { readonly despite?: AgentName } {
  const other = answers?.agent ?? topic;
  return rule === "tag" && other !== undefined && other !== to.agent ? { despite: other } : {};
}

function byChoice(text: string, { asked, answers, now, live }: Situation): Verdict {
  const number = choiceOf(text);
  if (number === undefined) return { why: "it is not the number of a choice" };
  if (asked === undefined || now - asked.at > CHOICE_MS) return { why: "no question with choices is open" };
  if (answers !== undefined && !asked.isAnswered) return { why: "it answers another message" };
  const chosen = asked.choices[number - 1];
  if (chosen === undefined)
    return {
      refuse: { kind: "no-such-choice", choices: asked.choices.length },
      why: `there is no choice ${number}`,
    };
  const to = stillThere(chosen, live);
  return to === undefined
    ? { refuse: { kind: "ended", agent: chosen.agent }, why: `choice ${number}, ${chosen.agent}, has ended` }
    : { to, body: asked.text, question: asked.id, why: `choice ${number} was ${to.label}` };
}

function byTag(text: string, { live }: Situation): Verdict {
  const tagged = tagOf(text);
  if (tagged === undefined) return { why: "it has no tag" };
  const { tag, body } = tagged;
  const [first, ...others] = candidatesFor(tag, live);
  if (first === undefined) return { refuse: { kind: "unknown-tag", tag }, why: `nobody is called "${tag}"` };
  if (body === "") return { refuse: { kind: "empty" }, why: "the tag is followed by no text" };
  return others.length === 0
    ? { to: first, body, why: `it is tagged "${tag}"` }
    : { ask: [first, ...others], body, why: `the tag "${tag}" fits several` };
}

function byBound(text: string, bound: Bound, live: readonly Candidate[], how: string): Verdict {
  const same = live.find(({ session }) => session === bound.session);
  const namesakes = live.filter(({ agent }) => agent === bound.agent);
  const [to, ...others] = same === undefined ? namesakes : [same];
  if (to === undefined) {
    const why = `it ${how} ${bound.agent}, which has ended`;
    return { refuse: { kind: "ended", agent: bound.agent }, why };
  }
  return others.length === 0
    ? { to, body: text, why: `it ${how} ${to.agent}` }
    : { ask: [to, ...others], body: text, why: `it ${how} ${to.agent}, which has several sessions` };
}

function byOnlyQuestion(text: string, { asking, live }: Situation): Verdict {
  const [to, ...others] = live.filter(({ session }) => asking.includes(session));
  if (to === undefined) return { why: "no agent asks anything" };
  if (others.length > 0) return { why: `${others.length + 1} agents ask something` };
  return { to, body: text, why: `only ${to.label} asks something` };
}

function byOnlyAgent(text: string, { live }: Situation): Verdict {
  const [to, ...others] = live;
  if (to === undefined) return { why: "no agent runs" };
  if (others.length > 0) return { why: `${live.length} agents run` };
  return { to, body: text, why: `only ${to.label} runs` };
}

function byClassifier(text: string, { classified, classifies, live }: Situation): Verdict {
  if (live.length < 2) return { why: "there is nobody to choose from" };
  if (classified === undefined)
    return classifies ? { classify: true, why: "asked" } : { why: "it is switched off" };
  if ("none" in classified) return { why: classified.none };
  const [to, ...others] = live.filter(({ label }) => label === classified.label);
  if (to === undefined || others.length > 0)
    return { why: `it named "${classified.label}", which is nobody` };
  return { to, body: withoutAddress(text, to), why: `it understood that ${to.label} is meant` };
}

function byLastNotifier(text: string, { notified, freshMs, now, live }: Situation): Verdict {
  const fresh = notified.filter(({ at }) => now - at <= freshMs);
  const [to, ...others] = live.filter(({ session }) => fresh.some((one) => one.session === session));
  if (to === undefined) return { why: "nobody told the person anything lately" };
  if (others.length > 0) return { why: "several told the person something lately" };
  return { to, body: text, why: `only ${to.label} told the person something lately` };
}

function byDefault(text: string, { defaultAgent, live }: Situation): Verdict {
  if (defaultAgent === undefined || defaultAgent === "") return { why: "no default is configured" };
  const [to, ...others] = candidatesFor(defaultAgent, live);
  if (to === undefined) return { why: `the default, ${defaultAgent}, does not run` };
  return others.length === 0
    ? { to, body: text, why: `${to.label} is the default` }
    : { ask: [to, ...others], body: text, why: `the default, ${defaultAgent}, fits several` };
}

function stillThere(chosen: Candidate, live: readonly Candidate[]): Candidate | undefined {
  return (
    live.find(({ session }) => session === chosen.session) ?? live.find(({ agent }) => agent === chosen.agent)
  );
}
