/** Who gets a path: the trie with growing numbers of subscriptions, against itself with a thousand and a plain list. */
import { type Pattern, parsePattern, subscriptionMatches } from "../../src/core/routing/pattern.ts";
import type { Subscriber } from "../../src/core/routing/route.ts";
import { SubscriptionTrie } from "../../src/core/routing/trie.ts";
import { bytesInUse } from "../rig/bytes-in-use.ts";
import { type Arm, duels, sizesFor } from "../rounds.ts";
import { atLeast, atMost, type Extent, type Row } from "../row.ts";

const group = "matching";
const USUAL = 1_000;
const GOAL = { subscriptions: 100_000, rate: 0.3, bytes: 150 };
const SIZES = {
  smoke: [10],
  quick: [10, 10_000, GOAL.subscriptions],
  full: [10, 10_000, GOAL.subscriptions, 1_000_000],
} as const;
const MATCHES_PER_SAMPLE = 10_000;
/** A plain list takes a thousand times as long. */
const SCANS_PER_SAMPLE = 20;

export async function matchingRows(extent: Extent): Promise<readonly Row[]> {
  const sizes = SIZES[extent];
  const usual = new Subscriptions(USUAL);
  const others = sizes.map((size) => new Subscriptions(size));
  const rates = others.map(({ size, arm }) => ({
    group,
    name: `matches/s, ${size.toLocaleString("en")} subscriptions`,
    ours: arm,
    peer: usual.arm,
    unit: "/s" as const,
    ...(size === GOAL.subscriptions ? { goal: atLeast(GOAL.rate) } : {}),
  }));
  const scan = {
    group,
    name: "matches/s, 1,000 subscriptions",
    ours: usual.arm,
    peer: usual.scan,
    unit: "/s" as const,
  };
  const rounds = sizesFor(extent, {
    quick: { rounds: 10, samplesPerRound: 3, warmUp: 5 },
    full: { rounds: 20, samplesPerRound: 3, warmUp: 5 },
  });
  return [
    ...(await duels([...rates, scan], rounds)),
    ...others.filter(({ size }) => size >= GOAL.subscriptions || extent === "smoke").map(memoryRow),
  ];
}

function memoryRow({ size, bytesEach }: Subscriptions): Row {
  const ratio = bytesEach / GOAL.bytes;
  return {
    group,
    name: `memory of a subscription, ${size.toLocaleString("en")} of them`,
    ratio,
    spread: [ratio, ratio],
    goal: atMost(1),
    ours: { what: "the trie", median: bytesEach, unit: "B" },
    peer: { what: "the goal", median: GOAL.bytes, unit: "B" },
    rounds: 1,
  };
}

/** Agents and their sessions as a large office would have them: ten subscriptions each, hardly two alike. */
class Subscriptions {
  readonly size: number;
  readonly bytesEach: number;
  readonly arm: Arm;
  readonly scan: Arm = { what: "a plain list", sample: () => this.#scan() };
  readonly #trie = new SubscriptionTrie<Subscriber>();
  readonly #paths: readonly Pattern[];

  constructor(size: number) {
    this.size = size;
    this.arm = { what: `${size.toLocaleString("en")} subscriptions`, sample: () => this.#match() };
    const before = bytesInUse();
    let subscriber: Subscriber = { kind: "agent", name: "worker-0" };
    for (let index = 0; index < size; index += 1) {
      if (index % 10 === 0) subscriber = { kind: "agent", name: `worker-${index / 10}` };
      this.#trie.add(parsePattern(patternOf(index)), subscriber);
    }
    this.bytesEach = (bytesInUse() - before) / size;
    const next = randomBelow(size);
    this.#paths = Array.from({ length: MATCHES_PER_SAMPLE }, () => parsePattern(pathOf(next())));
  }

  #match(): number {
    const start = performance.now();
    let found = 0;
    for (const path of this.#paths) found += this.#trie.match(path).size;
    const rate = (this.#paths.length * 1_000) / (performance.now() - start);
    // One in eleven paths has no subscriber; every other has one.
    if (found < this.#paths.length / 2) throw new Error(`only ${found} were found`);
    return rate;
  }

  #scan(): number {
    const patterns = Array.from({ length: this.size }, (_, index) => patternOf(index));
    const start = performance.now();
    let found = 0;
    for (const { text } of this.#paths.slice(0, SCANS_PER_SAMPLE)) {
      found += patterns.filter((pattern) => subscriptionMatches(pattern, text)).length;
    }
    const rate = (SCANS_PER_SAMPLE * 1_000) / (performance.now() - start);
    if (found < SCANS_PER_SAMPLE / 2) throw new Error(`only ${found} were found`);
    return rate;
  }
}

function patternOf(index: number): string {
  const worker = Math.floor(index / 10);
  const team = worker % 97;
  const kinds = [
    `agent/worker-${worker}`,
    `agent/worker-${worker}/**`,
    `slack/team-${team}/#channel-${index}`,
    `slack/team-${team}/@user-${index}`,
    `email/dev-${worker}@example.com/**`,
    `webhook/service-${worker}/*`,
    `webhook/github/repository-${index}`,
    `project-${worker % 1_013}/build/${index}`,
    `news/${index}/today`,
    `topic/t${index % 31}/x${index}`,
  ];
  return kinds[index % kinds.length] ?? "";
}

function pathOf(index: number): string {
  const path = patternOf(index).replaceAll("**", "anybody").replaceAll("*", "push");
  return index % 11 === 0 ? `${path}/nobody/there` : path;
}

/** The same in every run. */
function randomBelow(limit: number): () => number {
  let state = 12_345;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state % limit;
  };
}
