/** Whether the dashboard's page keeps up: the frames that a real browser draws while much happens, to those of a still page. */
import type { Browser, Page } from "playwright-core";
import { type Client, connect } from "../../src/client/connect.ts";
import { findOnPath } from "../../src/system/executables.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { launchChromium, opened } from "../../tests/contract/chromium.ts";
import { Bellhop } from "../../tests/rig/bellhop.ts";
import { BENCH_CLAIMS } from "../rig/daemon-stage.ts";
import { type Arm, duels, sizesFor } from "../rounds.ts";
import { atLeast, type Extent, type Row } from "../row.ts";

const group = "page";
const AGENTS: Record<Extent, number> = { smoke: 5, quick: 200, full: 200 };
const MANY_AGENTS: Record<Extent, number> = { smoke: 10, quick: 2_000, full: 10_000 };
const MESSAGES: Record<Extent, number> = { smoke: 20, quick: 10_000, full: 10_000 };
/** At once on the way in, so that they share syncs. */
const AT_ONCE = 500;
const SAMPLE_MS: Record<Extent, number> = { smoke: 50, quick: 1_500, full: 3_000 };
/** A message that comes and one that is taken, each tick: 2,000 events in a second. */
const EVENTS_EACH_TICK = 20;
const TICK_MS = 10;

export async function pageRows(extent: Extent): Promise<readonly Row[]> {
  if (findOnPath("chromium", process.env.PATH ?? "") === undefined) {
    console.error("The rows of the page are left out: Chromium is not installed.");
    return [];
  }
  const browser = await launchChromium();
  try {
    return [
      ...(await withAgents(browser, AGENTS[extent], extent, busyRow)),
      ...(await withAgents(browser, MANY_AGENTS[extent], extent, scrollRow)),
      ...(await withAgents(browser, 1, extent, messagesRow)),
    ];
  } finally {
    await browser.close();
  }
}

interface Staged {
  readonly page: Page;
  readonly client: Client;
  readonly agents: readonly string[];
  readonly extent: Extent;
}

type Measured = (staged: Staged) => Promise<readonly Row[]>;

async function withAgents(browser: Browser, count: number, extent: Extent, measured: Measured) {
  const bellhop = new Bellhop();
  try {
    await bellhop.start();
    const client = await connect(bellhop.socket);
    const agents = Array.from({ length: count }, (_, index) => `agent-${index}`);
    for (const name of agents) await client.call("agent_add", { name });
    const { context, page } = await opened(browser);
    await page.goto((await bellhop.json<WebLink>(["open"])).url);
    await page.getByText("Live", { exact: true }).waitFor();
    const rows = await measured({ page, client, agents, extent });
    await context.close();
    client.close();
    return rows;
  } finally {
    await bellhop.dispose();
  }
}

async function busyRow({ page, client, agents, extent }: Staged): Promise<readonly Row[]> {
  const frames = () => framesIn(page, SAMPLE_MS[extent]);
  const still: Arm = { what: "nothing happens", sample: frames };
  const busy: Arm = {
    what: "2,000 events/s",
    sample: async () => {
      const load = new Load(client, agents);
      const drawn = await frames();
      await load.end();
      return drawn;
    },
  };
  return framesRow(extent, `frames of the page, ${agents.length} agents, 2,000 events/s`, busy, still);
}

async function scrollRow({ page, agents, extent }: Staged): Promise<readonly Row[]> {
  const still: Arm = { what: "nothing moves", sample: () => framesIn(page, SAMPLE_MS[extent]) };
  const scrolled: Arm = {
    what: "scrolled by 40 px a frame",
    sample: () => framesIn(page, SAMPLE_MS[extent], 40),
  };
  return framesRow(extent, `frames of the page, scrolling ${agents.length} agents`, scrolled, still);
}

async function messagesRow({ page, client, agents, extent }: Staged): Promise<readonly Row[]> {
  const [agent = ""] = agents;
  const path = `agent/${agent}`;
  for (let sent = 0; sent < MESSAGES[extent]; sent += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, MESSAGES[extent] - sent) }, (_, index) =>
        client.call("route", { path, body: `number ${sent + index}`, claims: BENCH_CLAIMS }),
      ),
    );
  await page.goto(new URL(`/agents/${agent}?see=conversation`, page.url()).href);
  await page
    .getByText(`number ${MESSAGES[extent] - 1}`)
    .first()
    .waitFor();
  const still: Arm = { what: "nothing moves", sample: () => framesIn(page, SAMPLE_MS[extent]) };
  const scrolled: Arm = {
    what: "scrolled by 200 px a frame",
    sample: () => framesIn(page, SAMPLE_MS[extent], -200, ".timeline"),
  };
  return framesRow(
    extent,
    `frames of the page, scrolling back in a conversation of ${MESSAGES[extent]} messages`,
    scrolled,
    still,
  );
}

function framesRow(extent: Extent, name: string, ours: Arm, peer: Arm): Promise<readonly Row[]> {
  return duels(
    [{ group, name, ours, peer, unit: "/s", goal: atLeast(0.9) }],
    sizesFor(extent, {
      quick: { rounds: 3, samplesPerRound: 1 },
      full: { rounds: 5, samplesPerRound: 1 },
    }),
  );
}

/** Frames in a second; each frame scrolls on by so many pixels, and from one end back to the other. */
function framesIn(page: Page, ms: number, pixels = 0, what = "html"): Promise<number> {
  return page.evaluate(
    ([within, by, selector]) =>
      new Promise<number>((resolve) => {
        const moved = document.querySelector(selector);
        const begun = performance.now();
        let frames = 0;
        const next = (now: number) => {
          if (now - begun >= within) return resolve((frames * 1_000) / (now - begun));
          frames += 1;
          if (moved !== null && by !== 0) {
            const before = moved.scrollTop;
            moved.scrollBy({ top: by, behavior: "instant" });
            if (moved.scrollTop === before)
              moved.scrollTo({ top: by > 0 ? 0 : moved.scrollHeight, behavior: "instant" });
          }
          requestAnimationFrame(next);
        };
        requestAnimationFrame(next);
      }),
    [ms, pixels, what] as const,
  );
}

/** Messages that come and are taken, until it is ended. */
class Load {
  readonly #client: Client;
  readonly #agents: readonly string[];
  readonly #timer: NodeJS.Timeout;
  readonly #underWay = new Set<Promise<unknown>>();
  #next = 0;

  constructor(client: Client, agents: readonly string[]) {
    this.#client = client;
    this.#agents = agents;
    this.#timer = setInterval(() => {
      for (let event = 0; event < EVENTS_EACH_TICK; event += 2) this.#begin();
    }, TICK_MS);
  }

  async end(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  #begin(): void {
    const agent = this.#agents[this.#next % this.#agents.length] ?? "";
    this.#next += 1;
    const one = this.#comesAndIsTaken(agent).finally(() => this.#underWay.delete(one));
    this.#underWay.add(one);
  }

  async #comesAndIsTaken(agent: string): Promise<void> {
    await this.#client.call("route", { path: `agent/${agent}`, body: "hello", claims: BENCH_CLAIMS });
    await this.#client.call("receive", { agent, claims: BENCH_CLAIMS });
  }
}
