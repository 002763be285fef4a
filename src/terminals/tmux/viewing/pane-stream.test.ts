import { describe, expect, it } from "vitest";
import { FakeClock, OpenWork } from "../../../../tests/desk/clock.ts";
import type { Block, CommandOutcome } from "../control/control.ts";
import { CAPTURE_REPLIES } from "./capture.ts";
import { type Looker, PaneStream } from "./pane-stream.ts";

const PANE_PID = 4_000;
const MUCH = Buffer.from("x".repeat(100_000));

/** tmux, as far as a stream asks it: what it was asked, and what the pane shows. */
class Tmux {
  readonly clock = new FakeClock(new OpenWork());
  readonly asked: string[] = [];
  shows = "a row";
  /** Whenever it is followed. */
  floods = false;
  /** How long a picture takes; meanwhile the pane writes. */
  slowMs = 0;
  /** The next capture is not answered in time. */
  isLate = false;
  readonly stream = new PaneStream({
    pane: "%1",
    session: "$0",
    panePid: PANE_PID,
    clock: this.clock,
    connection: { run: (commands, _, onBlock) => this.#run(commands, onBlock) },
    onLeft: () => {
      throw new Error("it has not left");
    },
    onUnreadable: (why) => {
      throw new Error(why);
    },
  });

  async #run(commands: string, onBlock?: (blocks: readonly Block[]) => void): Promise<CommandOutcome> {
    const [, flow] = /:(pause|continue)"/.exec(commands) ?? [];
    const [, history] = /-S -(\d+)/.exec(commands) ?? [];
    this.asked.push(flow ?? (history === "1" ? "glimpse" : "picture"));
    if (flow === "continue" && this.floods) this.clock.after(10, () => this.flood());
    if (flow !== undefined) return { kind: "answered", blocks: [] };
    if (this.isLate) {
      this.isLate = false;
      return { kind: "late", cause: "no answer in time" };
    }
    if (this.slowMs > 0) await new Promise<void>((done) => this.clock.after(this.slowMs, done));
    const numbers = [PANE_PID, 20, 2, 0, 0, 0, 0, 0, 0, 1, 0].join("/");
    const facts = `${numbers}${"/0".repeat(11)}/@1/`;
    const blocks = [[facts], ["title"], [this.shows, ""], [], [], [], ["%1"]].map((lines) => ({
      ok: true,
      lines,
    }));
    expect(blocks).toHaveLength(CAPTURE_REPLIES);
    onBlock?.(blocks);
    return { kind: "answered", blocks };
  }

  flood(): void {
    for (let times = 0; times < 3; times += 1) this.stream.heard(MUCH);
  }

  looker() {
    const drawn: string[] = [];
    const written: string[] = [];
    const looker: Looker = {
      drew: ({ data }) => drawn.push(/row \d+|a row/.exec(data)?.[0] ?? data),
      wrote: (text) => written.push(text),
    };
    return { looker, drawn, written };
  }

  /** The pane shows something else before each look. */
  async during(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 50) {
      this.shows = `row ${passed}`;
      await this.clock.advance(50);
    }
  }
}

async function followed() {
  const tmux = new Tmux();
  const one = tmux.looker();
  tmux.stream.join(one.looker);
  await tmux.clock.advance(0);
  return { tmux, ...one };
}

describe("a pane that writes more than can be followed", () => {
  it("is left out at once, and shown by glimpses; then it is tried again", async () => {
    const { tmux, drawn } = await followed();
    tmux.flood();
    await tmux.during(1_500);
    const glimpses = ["glimpse", "glimpse", "glimpse", "glimpse"];
    expect(tmux.asked).toEqual(["picture", "pause", ...glimpses, "continue", "picture"]);
    expect(drawn.length).toBe(5);
  });

  it("is tried less often, the longer it goes on, and anew after it could be followed", async () => {
    const { tmux } = await followed();
    const glimpses = () =>
      tmux.asked
        .join(" ")
        .split("pause")
        .slice(1)
        .map((part) => part.split("glimpse").length - 1);
    tmux.floods = true;
    tmux.flood();
    await tmux.during(13_000);
    expect(glimpses().slice(0, 4)).toEqual([4, 8, 16, 16]);
    tmux.floods = false;
    await tmux.during(20_000);
    tmux.flood();
    await tmux.during(2_000);
    expect(glimpses().at(-1)).toBe(4);
  });

  it("is tried less often also where the flood comes before the picture", async () => {
    const { tmux } = await followed();
    tmux.floods = true;
    tmux.slowMs = 20;
    tmux.flood();
    await tmux.during(15_000);
    const glimpses = tmux.asked
      .join(" ")
      .split("pause")
      .slice(1)
      .map((part) => part.split("glimpse").length - 1);
    expect(glimpses.slice(0, 3)).toEqual([4, 8, 16]);
  });

  it("is not asked more often because more come, and leave again", async () => {
    const { tmux } = await followed();
    tmux.floods = true;
    tmux.flood();
    await tmux.during(2_000);
    const others = Array.from({ length: 20 }, () => tmux.looker().looker);
    for (const other of others) {
      tmux.stream.join(other);
      await tmux.clock.advance(1);
    }
    for (const other of others) tmux.stream.leave(other);
    const before = tmux.asked.length;
    await tmux.during(2_000);
    expect(tmux.asked.length - before).toBeLessThan(12);
  });

  it("that writes the same row again and again is not taken for one that stands still", async () => {
    const { tmux } = await followed();
    tmux.floods = true;
    tmux.flood();
    await tmux.clock.advance(60_000);
    expect(tmux.asked.length).toBeLessThan(500);
  });

  it("is looked at on, however often a glimpse was late in a long time", async () => {
    const { tmux } = await followed();
    tmux.floods = true;
    tmux.flood();
    for (let times = 0; times < 20; times += 1) {
      await tmux.during(2_000);
      tmux.isLate = true;
      await tmux.during(500);
      tmux.isLate = false;
    }
    expect(tmux.asked.at(-1)).toBeDefined();
  });

  it("is followed again as soon as it stands still, with what scrolled off", async () => {
    const { tmux, written } = await followed();
    tmux.flood();
    await tmux.clock.advance(600);
    expect(tmux.asked).toEqual(["picture", "pause", "glimpse", "glimpse", "continue", "picture"]);
    tmux.stream.heard(Buffer.from("and on"));
    expect(written.at(-1)).toBe("and on");
  });

  it("costs nothing while nobody reads", async () => {
    const { tmux, looker } = await followed();
    tmux.flood();
    tmux.stream.rest(looker);
    await tmux.during(10_000);
    const before = tmux.asked.length;
    await tmux.during(10_000);
    expect(tmux.asked.length).toBe(before);
    tmux.stream.join(looker);
    await tmux.clock.advance(1_000);
    expect(tmux.asked.slice(-2)).toEqual(["continue", "picture"]);
  });
});

it("passes on what is written, and asks for no more pictures", async () => {
  const { tmux, drawn, written } = await followed();
  tmux.stream.heard(Buffer.from("one"));
  await tmux.clock.advance(100);
  tmux.stream.heard(Buffer.from("two"));
  expect(written).toEqual(["one", "two"]);
  expect(drawn).toEqual(["a row"]);
});
