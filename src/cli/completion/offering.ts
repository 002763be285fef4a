/**
 * The names and ids that a shell offers at Tab: fast, and silent on any error. It never starts the daemon, and gives
 * up before a person notices the delay.
 */

import type { Client } from "../../client/connect.ts";
import { recipientInWords } from "../../core/cluster/hosts.ts";
import { EXIT } from "../../core/errors.ts";
import { sanitiseLine } from "../../core/text/sanitise.ts";
import type { CommandContext } from "../context.ts";
import type { Offer } from "./offers.ts";

const GIVES_UP_AFTER_MS = 1_000;
const MOST_OFFERED = 200;
const MOST_MESSAGES = 50;
const SHOWN_CHARACTERS = 60;
/** A shell may interpret anything else as more than a word. */
const PLAIN = /^(?:[a-z0-9-]+:)?[A-Za-z0-9][A-Za-z0-9._-]*$/;

const options = { timeoutMs: GIVES_UP_AFTER_MS };

type Pair = readonly [word: string, summary: string];

/** Prints each word and its description, separated by a tab. */
export async function offerWords(context: CommandContext, what: Offer): Promise<number> {
  const late = new AbortController();
  const nothing = context.pause(GIVES_UP_AFTER_MS, late.signal).then((): readonly Pair[] => []);
  const found = wordsFor(context, what).catch((): readonly Pair[] => []);
  const offered = await Promise.race([found, nothing]);
  late.abort();
  const lines = offered
    .filter(([word]) => PLAIN.test(word))
    .slice(0, MOST_OFFERED)
    .map(([word, summary]) => `${word}\t${sanitiseLine(summary, SHOWN_CHARACTERS)}\n`);
  context.out.raw(lines.join(""));
  return EXIT.ok;
}

async function wordsFor(context: CommandContext, what: Offer): Promise<readonly Pair[]> {
  const client = await context.reach("never");
  const claims = context.claims();
  switch (what) {
    case "agent":
      return agentsHere(client);
    case "recipient": {
      // Without a cluster there are no others.
      const elsewhere = agentsElsewhere(client).catch((): readonly Pair[] => []);
      return [...(await agentsHere(client)), ...(await elsewhere)];
    }
    case "waiting": {
      const { deliveries } = await client.call("queue", {}, options);
      return deliveries.map((one) => [one.shortId, `${recipientInWords(one)}: ${one.preview}`] as const);
    }
    case "message": {
      const own = await client.call("inbox", { limit: MOST_MESSAGES, claims }, options);
      const past = await client
        .call("history", { limit: MOST_MESSAGES }, options)
        .catch(() => ({ entries: [] }));
      const all = new Map([...own.entries, ...past.entries].map(({ message }) => [message.shortId, message]));
      return [...all.values()].map(({ shortId, from, body }) => [shortId, `${from}: ${body}`] as const);
    }
    case "host": {
      const { hosts } = await client.call("cluster_hosts", {}, options);
      return hosts
        .filter(({ state }) => state !== "here")
        .map(({ host, state, agents }) => [host, `${state}, ${agents.length} agents`] as const);
    }
    case "reminder": {
      const { reminders } = await client.call("reminders", {}, options);
      return reminders.map(({ id, text }) => [id, text] as const);
    }
  }
}

/** Those who run first. */
async function agentsHere(client: Client): Promise<readonly Pair[]> {
  const { agents } = await client.call("agent_list", {}, options);
  const shown = agents.map(({ name, sessions }) => {
    const live = sessions.find((session) => session.live);
    return { word: name, live: live !== undefined, summary: live?.program ?? "not running" };
  });
  return shown
    .toSorted((a, b) => Number(b.live) - Number(a.live))
    .map(({ word, summary }) => [word, summary] as const);
}

async function agentsElsewhere(client: Client): Promise<readonly Pair[]> {
  const { hosts } = await client.call("cluster_hosts", {}, options);
  return hosts
    .filter(({ state }) => state === "up" || state === "silent")
    .flatMap(({ host, state, agents }) =>
      agents.map((agent) => {
        const how = state === "up" ? agent.state : "host silent";
        const summary = agent.program === undefined ? how : `${agent.program}, ${how}`;
        return [`${host}:${agent.name}`, summary] as const;
      }),
    );
}
