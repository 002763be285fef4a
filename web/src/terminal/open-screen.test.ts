import { describe, expect, it } from "vitest";
import type { Line } from "../connection/line.ts";
import { OpenScreen } from "./open-screen.ts";

function stage() {
  const said: Record<string, unknown>[] = [];
  const hearers: [string, (frame: Record<string, unknown>) => void][] = [];
  const lives = new Set<() => void>();
  const line: Line = {
    hear(type, hear) {
      hearers.push([type, hear]);
      return () =>
        hearers.splice(
          hearers.findIndex(([, one]) => one === hear),
          1,
        );
    },
    say: (frame) => said.push(frame as never) > 0,
    onLive(act) {
      lives.add(act);
      act();
      return () => lives.delete(act);
    },
  };
  const events: unknown[] = [];
  const screen = new OpenScreen(line, "s1", {
    snapshot: ({ data }) => events.push(["snapshot", data]),
    output: (data) => events.push(["output", data]),
    keyboard: (keyboard, holder) => events.push(["keyboard", keyboard, holder]),
    refused: ({ message }) => events.push(["refused", message]),
    ended: (why) => events.push(["ended", why]),
  });
  const hear = (frame: Record<string, unknown>) => {
    for (const [type, one] of [...hearers]) if (type === frame.type) one(frame);
  };
  const reconnect = () => {
    for (const act of lives) act();
  };
  return { screen, said, events, hear, reconnect, hearers, number: () => Number(said.at(-1)?.screen) };
}

describe("a terminal that is looked at", () => {
  it("is opened, and hears only what is its own", () => {
    const { events, hear, number, said } = stage();
    const screen = number();
    expect(said).toEqual([{ type: "screen.open", screen, who: "s1", reqId: screen }]);
    hear({ type: "screen.snapshot", screen, cols: 80, rows: 24, data: "A" });
    hear({ type: "screen.output", screen: screen + 1, data: "of another" });
    hear({ type: "screen.output", screen, data: "B" });
    hear({ type: "screen.state", screen, keyboard: "taken", holder: "a browser" });
    hear({ type: "screen.open.error", reqId: screen, code: "x", message: "no", next: "" });
    hear({ type: "screen.ended", screen, why: "it ended" });
    expect(events).toEqual([
      ["keyboard", "free", undefined],
      ["snapshot", "A"],
      ["output", "B"],
      ["keyboard", "taken", "a browser"],
      ["refused", "no"],
      ["ended", "it ended"],
    ]);
  });

  it("is opened anew after a reconnect, without the keyboard, and hears nothing of the time before", () => {
    const { events, hear, number, reconnect } = stage();
    const before = number();
    hear({ type: "screen.state", screen: before, keyboard: "mine" });
    reconnect();
    expect(number()).toBeGreaterThan(before);
    hear({ type: "screen.output", screen: before, data: "old" });
    expect(events.slice(-1)).toEqual([["keyboard", "free", undefined]]);
  });

  it("says nothing more once it is closed", () => {
    const { screen, said, hearers, number, reconnect } = stage();
    const open = number();
    screen.press("x");
    screen.close();
    reconnect();
    expect(said.map(({ type }) => type)).toEqual(["screen.open", "screen.keys", "screen.close"]);
    expect(said.at(-1)?.screen).toBe(open);
    expect(hearers).toEqual([]);
  });
});
