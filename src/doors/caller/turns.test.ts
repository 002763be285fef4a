import { describe, expect, it } from "vitest";
import { type Serve, Turns } from "./turns.ts";

const aTurn = () => new Promise(setImmediate);

describe("turns", () => {
  function row(asked: Readonly<Record<string, number>>): {
    readonly served: string[];
    readonly turns: Turns;
  } {
    const turns = new Turns();
    const served: string[] = [];
    for (const [who, requests] of Object.entries(asked)) {
      let left = requests;
      turns.join(() => {
        served.push(who);
        left -= 1;
        return left > 0 ? "more" : "done";
      });
    }
    return { served, turns };
  }

  it("go round: whoever asks much is served as often as whoever asks little", async () => {
    const { served } = row({ much: 5, some: 3, little: 1 });
    expect(served).toEqual([]);
    await aTurn();
    expect(served.join(" ")).toBe("much some little much some much some much much");
  });

  it("leave room between: no more at once than lets a newcomer be heard", async () => {
    const { served, turns } = row({ much: 1_000 });
    await aTurn();
    const before = served.length;
    expect(before).toBeLessThan(100);
    turns.join(() => {
      served.push("new");
      return "done";
    });
    await aTurn();
    expect(served.indexOf("new") - before).toBeLessThanOrEqual(1);
    while (served.length < 1_001) await aTurn();
  });

  it("answer a hundred at once, but whoever asks more in parts: it can read one while the next is written", async () => {
    const { served } = row({ much: 1_000 });
    await aTurn();
    await aTurn();
    expect(served.length).toBeGreaterThanOrEqual(100);
    expect(served.length).toBeLessThan(150);
    while (served.length < 1_000) await aTurn();
  });

  it("are one for each, however often it joins, and none for who has left", async () => {
    const turns = new Turns();
    let served = 0;
    const serve: Serve = () => {
      served += 1;
      return "done";
    };
    turns.join(serve);
    turns.join(serve);
    await aTurn();
    expect(served).toBe(1);
    turns.join(serve);
    turns.leave(serve);
    await aTurn();
    expect(served).toBe(1);
  });
});
