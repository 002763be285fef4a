import { describe, expect, it } from "vitest";
import type { Push } from "../../wire/verbs/streams.ts";
import { OwnSends } from "./own-sends.ts";

function connection(backlogBytes = 100) {
  const written: string[] = [];
  const cutOff: number[] = [];
  const sends = new OwnSends({ backlogBytes, overflow: (bytes) => void cutOff.push(bytes) });
  const push = (text: string): ReturnType<Push> =>
    sends.push(text.length, () => {
      written.push(text);
      return Promise.resolve("written");
    });
  return { sends, push, written, cutOff };
}

describe("pushes on a connection that sends", () => {
  it("go out at once while nothing is being sent", () => {
    const { push, written } = connection();
    void push("one");
    expect(written).toEqual(["one"]);
  });

  it("wait until what was sent before them is answered, and keep their order", () => {
    const { sends, push, written } = connection();
    const first = sends.begin();
    void push("one");
    const second = sends.begin();
    void push("two");
    expect(written).toEqual([]);
    second();
    expect(written).toEqual([]);
    first();
    expect(written).toEqual(["one", "two"]);
  });

  it("do not wait for what is sent after them", () => {
    const { sends, push, written } = connection();
    const first = sends.begin();
    void push("one");
    sends.begin();
    first();
    expect(written).toEqual(["one"]);
  });

  it("pile up so far and no further", async () => {
    const { sends, push, written, cutOff } = connection(5);
    sends.begin();
    void push("three");
    void push("four");
    expect(await push("five")).toBe("gone");
    expect({ written, cutOff }).toEqual({ written: [], cutOff: [9] });
  });

  it("are told what became of them when the connection ends", async () => {
    const { sends, push } = connection();
    sends.begin();
    const outcome = push("one");
    sends.end();
    expect(await outcome).toBe("written");
  });
});
