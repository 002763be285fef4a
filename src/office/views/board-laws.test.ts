import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DeskReader, readBoard } from "../../../tests/desk/board.ts";
import { type Desk, deskWithoutEnd } from "../../../tests/desk/desk.ts";
import { AS_SHIPPED } from "../../../tests/desk/settings.ts";
import { BellhopError } from "../../core/errors.ts";
import type { Board } from "../../wire/shapes/board.ts";
import { WINDOW_MS } from "./board.ts";

/** Longer than a turn, a screen at rest and the next look take. */
const A_WHILE_MS = 8_000;
const CLAIMS = { user: "dev" };
const NAMES = ["api", "docs", "web"];

const name = fc.constantFrom(...NAMES);
const silent = fc.oneof(
  fc.record({ does: fc.constantFrom("add", "remove", "receive", "cancel", "clear"), name }),
  fc.record({ does: fc.constant("send"), name: fc.constantFrom(...NAMES, "person/dev", "nobody/hears") }),
  fc.record({ does: fc.constantFrom("pause", "unpause", "turns-on", "turns-off"), name }),
  fc.record({ does: fc.constantFrom("switch-on", "switch-off", "step", "end"), name }),
);
const shown = fc.record({
  does: fc.constantFrom("busy", "idle", "dialog", "draft", "leave", "arrive"),
  name: fc.constant("coder"),
});
interface Event {
  readonly does: string;
  readonly name: string;
}

async function happen(desk: Desk, { does, name: who }: Event): Promise<void> {
  const { use } = desk;
  const coder = desk.agents.at(-1);
  switch (does) {
    case "add":
      return void (await desk.done(use.agent_add({ name: who })));
    case "remove":
      return void (await desk.done(use.agent_remove({ name: who, force: true })));
    case "send":
      return void (await desk.done(use.route({ path: pathOf(who), body: "hello", claims: CLAIMS })));
    case "receive":
      return void (await desk.done(use.receive({ agent: who, claims: CLAIMS })));
    case "cancel": {
      const [first] = (await desk.done(use.queue({ who }))).deliveries;
      if (first !== undefined) await desk.done(use.queue_change({ id: first.id, change: "cancel" }));
      return;
    }
    case "clear":
      return void (await desk.done(use.unmatched_clear({})));
    case "pause":
    case "unpause":
      return void (await desk.done(use.pause({ who, paused: does === "pause" })));
    case "turns-on":
    case "turns-off":
      return void (await desk.done(use.auto_run_set({ agent: who, autoRun: does === "turns-on" })));
    case "switch-on":
    case "switch-off":
      return void (await desk.done(use.turns_switch({ on: does === "switch-on", claims: CLAIMS })));
    case "step":
      for (const turn of desk.runner.running) turn.handover.doing("Bash: ls");
      return;
    case "end":
      for (const turn of desk.runner.running) turn.end({ kind: "answered", answer: "done" });
      return;
    case "leave":
      if (coder !== undefined) desk.ends(coder);
      return void (await desk.done(use.ls({})));
    case "arrive":
      if (coder === undefined || coder.process === "gone") desk.agent("coder");
      return void (await desk.done(use.ls({})));
    default:
      return void coder?.program.becomes({
        busy: does === "busy",
        draft: does === "draft" ? "half a sentence" : "",
        dialog: does === "dialog" ? "Allow this?" : undefined,
      });
  }
}

const pathOf = (who: string): string => (who.includes("/") ? who : `agent/${who}`);

/** What the frames add up to is what somebody sees who comes now, when nobody has read the board before. */
async function seenAnew(desk: Desk, reader: DeskReader): Promise<DeskReader> {
  const added = reader.board();
  reader.close();
  const anew = await readBoard(desk);
  await desk.advance(0);
  expect(withoutMail(added)).toEqual(withoutMail(anew.board()));
  return anew;
}

/** It only ever grows: whoever comes anew begins with another number. */
function withoutMail({ agents = [], ...rest }: Board): Board {
  return { ...rest, agents: agents.map((agent) => ({ ...agent, mail: 0 })) };
}

async function play(days: readonly (readonly Event[])[], afterMs: number): Promise<void> {
  const desk = await deskWithoutEnd();
  const everyone = { cwd: "/home/dev/repo", triageModel: "", debounceMs: 10 };
  desk.settings = { ...AS_SHIPPED, turns: { ...AS_SHIPPED.turns, everyone } };
  desk.runner.behaves = undefined;
  try {
    await desk.ready();
    let reader = await readBoard(desk);
    await desk.advance(0);
    for (const events of days) {
      for (const event of events)
        await happen(desk, event).catch((error: unknown) => {
          if (!(error instanceof BellhopError)) throw error;
        });
      await desk.advance(afterMs);
      reader = await seenAnew(desk, reader);
    }
    reader.close();
  } finally {
    await desk.close();
  }
}

const daysOf = (event: fc.Arbitrary<Event>) =>
  fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { maxLength: 12 });

describe("the snapshot of the board and its changes", () => {
  it("add up to what is so, one window after anything that an event tells", async () => {
    const law = fc.asyncProperty(daysOf(silent), (days) => play(days, WINDOW_MS));
    await fc.assert(law, { numRuns: 150, seed: 5 });
  }, 600_000);

  it("add up to what is so, a while after anything that only screens tell", async () => {
    const law = fc.asyncProperty(daysOf(fc.oneof(silent, shown)), (days) => play(days, A_WHILE_MS));
    await fc.assert(law, { numRuns: 40, seed: 6 });
  }, 600_000);
});
