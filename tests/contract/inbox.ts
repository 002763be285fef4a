/** The contract of every inbox, over a real socket: a text is handed over whole, or not at all, or nobody knows. */
import { describe, expect, it } from "vitest";
import type { Inbox, ProgramFacts } from "../../src/ports/program.ts";

export interface InboxStage {
  /** New for each test. */
  inbox(): Inbox;
  facts(): ProgramFacts;
  readonly mostBytes: number;
  /** The program accepts everything; returns the texts that it got. */
  takes(): Promise<() => readonly string[]>;
  /** It disconnects as soon as a text begins to arrive. */
  breaksOff(): Promise<void>;
  /** It stops answering once a text has begun to arrive. */
  fallsSilent(onBegun: () => void): Promise<void>;
}

export function inboxContract(name: string, stage: InboxStage): void {
  const never = new AbortController().signal;
  const handOver = (text: string, signal = never) => stage.inbox().handOver(stage.facts(), text, signal);

  describe(`${name}, as every inbox`, () => {
    it("takes a text of any shape, whole", async () => {
      const received = await stage.takes();
      const text = ` \t/x\r\n!\u2028é🙂${"y".repeat(500_000)}`;
      expect(await stage.inbox().offers(stage.facts())).toEqual({ kind: "offered" });
      expect(await handOver(text)).toMatchObject({ kind: "handed-over" });
      expect(received()).toEqual([text]);
    });

    it("is closed without its program, and refuses: nothing was handed over", async () => {
      expect(await stage.inbox().offers(stage.facts())).toMatchObject({ kind: "not-offered" });
      expect(await handOver("hi")).toMatchObject({ kind: "refused" });
    });

    it("does not know what became of a text whose connection broke", async () => {
      await stage.breaksOff();
      expect(await handOver("x".repeat(900_000))).toMatchObject({ kind: "unknown" });
    });

    it("does not know what became of a text that was called off half way", async () => {
      const stop = new AbortController();
      await stage.fallsSilent(() => stop.abort());
      expect(await handOver("hi", stop.signal)).toMatchObject({ kind: "unknown" });
    });

    it("hands over nothing that was called off before", async () => {
      const received = await stage.takes();
      expect(await handOver("hi", AbortSignal.abort())).toMatchObject({ kind: "refused" });
      expect(received()).toEqual([]);
    });

    it("refuses a text beyond its limit", async () => {
      const received = await stage.takes();
      expect((await handOver("x".repeat(stage.mostBytes))).kind).toBe("handed-over");
      expect((await handOver("x".repeat(stage.mostBytes + 1))).kind).toBe("refused");
      expect(received()).toHaveLength(1);
    });
  });
}
