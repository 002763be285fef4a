/** What the page of the broker knows, as signals. It asks and listens only while the page is open. */
import { computed, effect, signal } from "@preact/signals";
import type { EverySubscription, Routed, RouteTried, Traffic } from "../../../src/wire/shapes/broker.ts";
import { askingAgain } from "../board/asking.ts";
import { nowAndThen } from "../board/now-and-then.ts";
import { agentsByName, attention, broker, counts, isLive } from "../board/store.ts";
import { line } from "../connection/line.ts";
import { type Answer, ask, segment, type Told } from "../connection/requests.ts";
import { agentOf, mailboxOf, partyOf } from "./parties.ts";
import { filtered, type HeardPath, PathMatcher, treeOf } from "./paths.ts";
import { followRoutes } from "./route-stream.ts";
import { Talks } from "./talks.ts";

const MINUTE_MS = 60_000;
/** What the picture may show; `all` is as long as messages are kept. */
export const WINDOWS = {
  quarter: 15 * MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
  all: undefined,
} as const;
export type WindowName = keyof typeof WINDOWS;
export const WINDOW_NAMES = Object.keys(WINDOWS) as readonly WindowName[];

/** Subscriptions that are shown; more are counted. */
const MOST_SUBSCRIPTIONS = 5_000;
const PAGE = 1_000;
const COUNTS_EVERY_MS = 500;
const PICTURE_EVERY_MS = 1_000;
/** At most: counting all that is kept takes the daemon a tenth of a second. */
const COUNTED_EVERY_MS = 1_500;

export interface DeadLetter {
  readonly id: string;
  readonly short_id: string;
  readonly from: string;
  readonly path: string;
  readonly body: string;
  readonly timestamp: number;
  readonly reason: string;
}

export interface Pair {
  readonly from: string;
  readonly to: string;
}

type Asking = "traffic" | "subscriptions" | "letters";
const troubles = signal<Readonly<Partial<Record<Asking, Told>>>>({});
/** What could not be asked; it goes when the same is answered again. */
export const trouble = computed(() => Object.values(troubles.value)[0]);
const subscriptions = signal<EverySubscription>({ subscriptions: [] });
export const isHeardKnown = signal(false);
export const filter = signal("");
export const deadLetters = signal<readonly DeadLetter[] | undefined>(undefined);
export const windowName = signal<WindowName>("hour");
export const selected = signal<Pair | undefined>(undefined);

/** A string, because the board changes more often than who is on it. */
const agentNames = computed(() => [...agentsByName.value.keys()].sort().join(" "));

const heardPaths = computed((): readonly HeardPath[] => {
  const names = agentNames.value === "" ? [] : agentNames.value.split(" ");
  const { subscriptions: asked, listeners = [] } = subscriptions.value;
  return [
    ...names.map((agent) => ({ path: `agent/${agent}`, hearer: { agent, how: "address" as const } })),
    ...asked.map(({ pattern, agent, session, origin }) => ({
      path: pattern,
      hearer: { agent, ...(session === undefined ? {} : { session }), how: origin },
    })),
    ...listeners.map(({ mailbox, owner, hearing, consuming }) => {
      const agent = agentOf(owner);
      const whose = agent === undefined ? {} : { agent };
      return { path: mailbox, hearer: { ...whose, how: "listening" as const, count: hearing + consuming } };
    }),
  ];
});
export const hasMore = computed(() => subscriptions.value.next !== undefined);
export const subscriptionCount = computed(() => subscriptions.value.subscriptions.length);
export const foundPaths = computed(() => filtered(heardPaths.value, filter.value));
export const tree = computed(() => treeOf(foundPaths.value));
/** Of everything, whatever is filtered, so that counts go on. */
const matcher = computed(() => new PathMatcher(treeOf(heardPaths.value)));

/** Messages for each path of the tree, since `countedSince`. */
export const pathCounts = signal<ReadonlyMap<string, number>>(new Map());
export const countedSince = signal<number | undefined>(undefined);
export const messageCount = signal(0);
const heardOn = new Map<string, number>();
const perNode = new Map<string, number>();

const talks = new Talks();
/** Grows whenever the numbers of the picture change. */
const talkChanges = signal(0);
export const talkedUntil = signal<number | undefined>(undefined);
export const allTalks = computed(() => {
  void talkChanges.value;
  return talks.all();
});
export const otherTalks = computed(() => {
  void talkChanges.value;
  return { others: talks.others, since: talks.since };
});

const timing = {
  frame: requestAnimationFrame,
  after: (ms: number, act: () => void) => setTimeout(act, ms),
};
// Nobody reads numbers that change sixty times a second.
const drawCounts = nowAndThen(timing, COUNTS_EVERY_MS, () => {
  let messages = 0;
  for (const [path, count] of heardOn) {
    messages += count;
    for (const node of matcher.peek().nodesOf(path)) perNode.set(node, (perNode.get(node) ?? 0) + count);
  }
  heardOn.clear();
  messageCount.value += messages;
  pathCounts.value = new Map(perNode);
});
// A picture of all pairs takes longer than a frame.
const drawPicture = nowAndThen(timing, PICTURE_EVERY_MS, () => {
  talkChanges.value += 1;
});

function heard(routed: Routed): void {
  heardOn.set(routed.to, (heardOn.get(routed.to) ?? 0) + 1);
  talks.heard(routed);
  drawCounts();
  drawPicture();
}

function begun(): void {
  heardOn.clear();
  perNode.clear();
  messageCount.value = 0;
  pathCounts.value = new Map();
  countedSince.value = Date.now();
}

function answered(asking: Asking, error?: Told): void {
  const { [asking]: _, ...others } = troubles.peek();
  troubles.value = error === undefined ? others : { ...others, [asking]: error };
}

async function askTraffic(): Promise<Answer<unknown>> {
  const within = WINDOWS[windowName.peek()];
  talks.asked();
  const answer = await ask<Traffic>({
    method: "GET",
    path: within === undefined ? "/traffic" : `/traffic?within_ms=${within}`,
  });
  if (answer.kind === "refused") {
    answered("traffic", answer.error);
    return answer;
  }
  answered("traffic");
  talks.answered(answer.body);
  talkedUntil.value = answer.body.until;
  talkChanges.value += 1;
  return answer;
}

async function askSubscriptions(): Promise<Answer<unknown>> {
  const all: EverySubscription["subscriptions"][number][] = [];
  let listeners: EverySubscription["listeners"];
  let next: string | undefined;
  let answer: Answer<EverySubscription>;
  do {
    const after = next === undefined ? "" : `&after=${encodeURIComponent(next)}`;
    answer = await ask<EverySubscription>({
      method: "GET",
      path: `/subscriptions?limit=${PAGE}${after}`,
    });
    if (answer.kind === "refused") {
      answered("subscriptions", answer.error);
      return answer;
    }
    all.push(...answer.body.subscriptions);
    listeners ??= answer.body.listeners;
    next = answer.body.next;
  } while (next !== undefined && all.length < MOST_SUBSCRIPTIONS);
  answered("subscriptions");
  subscriptions.value = {
    subscriptions: all,
    ...(next === undefined ? {} : { next }),
    ...(listeners === undefined ? {} : { listeners }),
  };
  isHeardKnown.value = true;
  return answer;
}

async function askDeadLetters(): Promise<Answer<unknown>> {
  const answer = await ask<{ readonly messages: readonly DeadLetter[] }>({
    method: "GET",
    path: "/unmatched",
  });
  answered("letters", answer.kind === "refused" ? answer.error : undefined);
  if (answer.kind === "done") deadLetters.value = answer.body.messages.toReversed();
  return answer;
}

/** Which dead letters there are, as far as the board tells. */
const letterIds = computed(() => {
  const kinds = ["dead-letter", "loop"] as const;
  const ids = attention.value.filter(({ kind }) => kinds.some((one) => one === kind)).map(({ id }) => id);
  const wanted = counts.value?.wants;
  return JSON.stringify([kinds.map((kind) => wanted?.[kind]), ids]);
});

/** The page is open. Returns how to leave it. */
export function openBroker(): () => void {
  const traffic = askingAgain(askTraffic, COUNTED_EVERY_MS);
  const heardBy = askingAgain(askSubscriptions);
  const letters = askingAgain(askDeadLetters);
  const ends = [
    followRoutes({
      line,
      isVisible: () => !document.hidden,
      onVisibility: (act) => {
        document.addEventListener("visibilitychange", act);
        return () => document.removeEventListener("visibilitychange", act);
      },
      begun: () => {
        begun();
        traffic.changed();
      },
      heard,
    }),
    effect(() => {
      void broker.value?.changes;
      if (isLive.value) heardBy.changed();
    }),
    effect(() => {
      void letterIds.value;
      if (!isLive.value) return;
      letters.changed();
      traffic.changed();
    }),
    effect(() => {
      void windowName.value;
      if (isLive.peek()) traffic.changed();
    }),
  ];
  return () => {
    for (const end of ends) end();
    for (const asking of [traffic, heardBy, letters]) asking.end();
    troubles.value = {};
    selected.value = undefined;
  };
}

export async function tryPath(path: string, from: string): Promise<RouteTried | Told> {
  const sender = from.trim() === "" ? "" : `&from=${encodeURIComponent(from.trim())}`;
  const answer = await ask<RouteTried>({
    method: "GET",
    path: `/routes/try?path=${encodeURIComponent(path.trim())}${sender}`,
  });
  return answer.kind === "done" ? answer.body : answer.error;
}

export interface Between {
  readonly short_id: string;
  readonly body: string;
  readonly at: number;
  readonly state: string;
}

interface HistoryAnswer {
  readonly entries: readonly {
    readonly message: {
      readonly short_id: string;
      readonly from: string;
      readonly body: string;
      readonly created_at: number;
    };
    readonly delivery: { readonly state: string };
  }[];
}

const LOOKED_THROUGH = 500;

/** The newest messages from one to the other, among the newest to the other. */
export async function messagesBetween({ from, to }: Pair): Promise<readonly Between[] | Told> {
  const answer = await ask<HistoryAnswer>({
    method: "GET",
    path: `/sessions/${segment(mailboxOf(to))}/history?limit=${LOOKED_THROUGH}`,
  });
  if (answer.kind === "refused") return answer.error;
  return answer.body.entries
    .filter(({ message }) => partyOf(message.from) === from)
    .map(({ message, delivery }) => ({
      short_id: message.short_id,
      body: message.body,
      at: message.created_at,
      state: delivery.state,
    }));
}
