/** Whatever a WebSocket sends: it is answered, or ends its own connection and no other. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Frame, WsCaller } from "./broker-callers.ts";
import { BrokerStage } from "./broker-stage.ts";
import { frame, isTold, written } from "./ws-fuzz.ts";

/** Frames that tell what a board or a terminal shows come in between. */
async function nextAnswer(caller: WsCaller): Promise<Frame> {
  for (;;) {
    const came = await caller.answers.next();
    if (!isTold(came)) return came;
  }
}

describe("anything at all", () => {
  it("is answered, each once: 4,000 frames of every type", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("a", "b");
    const caller = await stage.ws();
    await stage.use.session_add({ agent: "a", name: "s" });
    let asked = 0;
    let fine = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(frame, { minLength: 40, maxLength: 40 }), async (frames) => {
        for (const one of frames) caller.say(written(one));
        for (const _ of frames) {
          const answer = await nextAnswer(caller);
          expect(answer.type).toMatch(/(^pong|\.ok|(^|\.)error)$/);
          if (answer.type.endsWith("error"))
            expect(answer).toMatchObject({
              code: expect.any(String),
              message: expect.any(String),
              next: expect.any(String),
            });
          else fine += 1;
          expect(answer.code).not.toBe("internal.bug");
        }
        asked += frames.length;
        expect(caller.answers.waiting.filter((came) => !isTold(came))).toEqual([]);
      }),
      { numRuns: 100 },
    );
    expect(asked).toBeGreaterThanOrEqual(4_000);
    // Not all of them are refused at the first look.
    expect(fine).toBeGreaterThan(400);
    caller.say({ type: "ping", reqId: "settled" });
    expect(await nextAnswer(caller)).toEqual({ type: "pong", reqId: "settled" });
  });

  it("as bytes ends at worst its own connection", async () => {
    const stage = await BrokerStage.open();
    await stage.agents("a", "b");
    const caller = await stage.ws();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, binary) => {
        const hostile = await stage.ws();
        hostile.socket.send(bytes, { binary });
        await Promise.race([hostile.answers.next().catch(() => {}), hostile.closed]);
        hostile.end();
      }),
      { numRuns: 100 },
    );
    await caller.settled();
  });
});
