/** What every bridge does, tried against its platform, or a server that speaks the platform's protocol. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Bridge, BridgeHealth, Saying, SayingOutcome } from "../../../src/ports/bridge.ts";
import { until } from "../../rig/scripted-agent.ts";
import { KeptInbox } from "./kept-inbox.ts";

/** A platform with one person on it. */
export interface BridgeStage {
  /** A bridge as the daemon makes it; after a restart another one, for the same platform. */
  bridge(): Bridge;
  /** Where the person writes, and who they are to the platform. */
  readonly path: string;
  readonly person: string;
  /** The person writes; resolves with the platform's id. `answers`: to what Bellhop said, by its id. */
  says(text: string, options?: { readonly answers?: string }): Promise<string>;
  /** Fails every request and connection until it ends. */
  outage(isOn: boolean): Promise<void>;
  /** Set if the platform calls Bellhop, which cannot know that it does not. */
  readonly outageIsUnseen?: true;
  close(): Promise<void>;
}

/** Where Bellhop can speak too. */
export interface SpeakingStage extends BridgeStage {
  /** What the platform has got from Bellhop, in order. */
  heard(): Promise<readonly { readonly id: string; readonly text: string; readonly answers?: string }[]>;
  /** The platform refuses the next message, with these words. */
  refuse(words: string): Promise<void>;
  /** Set if the platform lets programs write, but not answer a message. */
  readonly cannotAnswer?: true;
  /** The most characters in one message of the platform; undefined if it takes any. */
  readonly longest?: number;
}

const PATIENCE_MS = 180_000;

export function describeReceiving(name: string, open: () => Promise<BridgeStage>): void {
  describe(`${name} receives`, () => {
    let stage: BridgeStage;
    let inbox: KeptInbox;
    const bridges: Bridge[] = [];

    async function start(): Promise<Bridge> {
      const bridge = stage.bridge();
      bridges.push(bridge);
      await bridge.open(inbox);
      return bridge;
    }

    beforeEach(async () => {
      stage = await open();
      inbox = new KeptInbox();
    });

    afterEach(async () => {
      await Promise.all(bridges.splice(0).map((bridge) => bridge.close()));
      await stage.close();
    });

    it("what a person writes, with who and where", async () => {
      const bridge = await start();
      await isConnected(bridge);
      const id = await stage.says("How is the build?");
      const [arrival] = await inbox.has(1);
      expect(arrival).toMatchObject({ path: stage.path, from: stage.person, text: "How is the build?" });
      expect(arrival?.externalId).toContain(id);
    });

    it("several in their order, each once", async () => {
      await isConnected(await start());
      const texts = Array.from({ length: 12 }, (_, index) => `line ${index}`);
      for (const text of texts) await stage.says(text);
      await inbox.has(12);
      expect(inbox.texts()).toEqual(texts);
      expect(inbox.repeated).toEqual([]);
    });

    it("any text as it was written", async () => {
      await isConnected(await start());
      const texts = [
        "two\nlines",
        "zero\u200Bwidth \u202E and 日本語 👩‍👩‍👧",
        "x".repeat(3_500),
        "'; rm -rf ~ #`$(id)`",
      ];
      for (const text of texts) await stage.says(text);
      await inbox.has(texts.length);
      expect(inbox.texts()).toEqual(texts);
    });

    it("what was written while it was away, in order", async () => {
      const first = await start();
      await isConnected(first);
      await stage.says("before");
      await inbox.has(1);
      await first.close();
      await stage.says("while away, 1");
      await stage.says("while away, 2");
      await start();
      await inbox.has(3);
      expect(inbox.texts()).toEqual(["before", "while away, 1", "while away, 2"]);
    });

    it("again what could not be written to disk: it was not acknowledged", async () => {
      const bridge = await start();
      await isConnected(bridge);
      inbox.fails = true;
      await stage.says("first");
      await until(() => inbox.failed > 0, "a write that fails", PATIENCE_MS);
      inbox.fails = false;
      await stage.says("second");
      await inbox.has(2);
      expect(inbox.texts()).toEqual(["first", "second"]);
    });

    it("nothing twice after it died between writing and acknowledging", async () => {
      const bridge = await start();
      await isConnected(bridge);
      inbox.dies = true;
      await stage.says("once");
      await inbox.has(1);
      inbox.dies = false;
      await bridge.close();
      const next = await start();
      await isConnected(next);
      await stage.says("after");
      await inbox.has(2);
      expect(inbox.texts()).toEqual(["once", "after"]);
    });

    it("all of it once the platform is back", async () => {
      const bridge = await start();
      await isConnected(bridge);
      await stage.outage(true);
      if (stage.outageIsUnseen !== true) {
        await until(() => bridge.health().state === "down", "the outage to be noticed", PATIENCE_MS);
        expect(bridge.health().error).toBeDefined();
      }
      await stage.outage(false);
      await stage.says("back again");
      await inbox.has(1);
      expect(inbox.texts()).toEqual(["back again"]);
      await isConnected(bridge);
    });

    it("ends while it is connecting, and while nothing answers", async () => {
      await stage.outage(true);
      const bridge = stage.bridge();
      const opening = bridge.open(inbox);
      await bridge.close();
      await opening;
      await stage.outage(false);
      expect(inbox.taken).toEqual([]);
    });
  });
}

export function describeSpeaking(name: string, open: () => Promise<SpeakingStage>): void {
  describe(`${name} speaks`, () => {
    let stage: SpeakingStage;
    let inbox: KeptInbox;
    let bridge: Bridge;

    async function say(saying: Partial<Saying> = {}): Promise<{ outcome: SayingOutcome; ids: string[] }> {
      const ids: string[] = [];
      const outcome = await bridge.say(
        {
          messageId: "m1",
          path: stage.path,
          text: "The build is green.",
          partsSaid: 0,
          perhapsSaid: false,
          ...saying,
        },
        {
          signal: AbortSignal.timeout(PATIENCE_MS),
          saying: (text) => inbox.says(text),
          said: async (id) => void ids.push(id),
        },
      );
      return { outcome, ids };
    }

    beforeEach(async () => {
      stage = await open();
      inbox = new KeptInbox();
      bridge = stage.bridge();
      await bridge.open(inbox);
      await isConnected(bridge);
    });

    afterEach(async () => {
      await bridge.close();
      await stage.close();
    });

    it("reaches its own paths and no others", () => {
      expect(bridge.reaches(stage.path)).toBe(true);
      for (const path of ["agent/coder", "person/dev", `${bridge.name}`, "other/place"])
        expect(bridge.reaches(path), path).toBe(false);
    });

    it("says a text, and tells the platform's id of it", async () => {
      const { outcome, ids } = await say();
      expect(outcome).toEqual({ kind: "said" });
      const heard = await stage.heard();
      expect(heard).toMatchObject([{ text: "The build is green." }]);
      expect(ids).toEqual(heard.map(({ id }) => id));
    });

    it("gets an answer that names what it answers", async () => {
      const { ids } = await say();
      await stage.says("good", { answers: ids[0] ?? "" });
      const arrivals = await inbox.has(1);
      expect(arrivals[0]?.answers).toContain(ids[0]);
    });

    it("answers in the conversation of what it answers", async () => {
      await stage.says("How is the build?");
      const [asked] = await inbox.has(1);
      const answers = asked?.answerable ?? asked?.externalId ?? "";
      await say({ answers, ...(asked?.thread === undefined ? {} : { thread: asked.thread }) });
      expect((await stage.heard())[0]?.answers).toBe(stage.cannotAnswer ? undefined : answers);
    });

    it("splits what is too long, whole characters only, and goes on after the parts that were said", async () => {
      const longest = stage.longest;
      if (longest === undefined) return;
      const text = `${"word 👩‍👩‍👧 ".repeat(longest / 5)}end`;
      const { outcome, ids } = await say({ text });
      expect(outcome).toEqual({ kind: "said" });
      const heard = await stage.heard();
      expect(heard.length).toBeGreaterThan(1);
      expect(ids).toEqual(heard.map(({ id }) => id));
      for (const part of heard) {
        expect(part.text.length).toBeLessThanOrEqual(longest);
        expect(part.text.isWellFormed()).toBe(true);
      }
      const squeezed = (parts: readonly string[]) => parts.join("").replace(/\s+/gu, "");
      expect(squeezed(heard.map((part) => part.text))).toBe(squeezed([text]));
      await say({ text, partsSaid: heard.length - 1 });
      const again = (await stage.heard()).slice(heard.length);
      expect(again.map((part) => part.text)).toEqual([heard.at(-1)?.text]);
    });

    it("passes on a refusal in the platform's words", async () => {
      await stage.refuse("chat not found");
      const { outcome, ids } = await say();
      expect(outcome).toMatchObject({ kind: "refused", why: expect.stringContaining("chat not found") });
      expect(ids).toEqual([]);
    });

    it("takes an outage for one, and says it afterwards", async () => {
      await stage.outage(true);
      const { outcome } = await say();
      expect(outcome).toMatchObject({ kind: "outage" });
      await stage.outage(false);
      await isConnected(bridge);
      expect((await say()).outcome).toEqual({ kind: "said" });
      expect(await stage.heard()).toHaveLength(1);
    });

    it("marks what may have been said before", async () => {
      await say({ perhapsSaid: true });
      const [first] = await stage.heard();
      expect(first?.text).toContain("The build is green.");
      expect(first?.text).toMatch(/perhaps a repeat/u);
    });
  });
}

export async function isConnected(bridge: Bridge): Promise<void> {
  const health = (): BridgeHealth => bridge.health();
  await until(
    () => health().state === "connected",
    () => `${bridge.name} to connect: ${JSON.stringify(health())}`,
    PATIENCE_MS,
  );
}
