import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ControlEvent, REPLY_LIMITS, ReplyStream } from "./reply-stream.ts";

const PREFIX = "bellhop-0123456789abcdef-";

function eventsOf(...chunks: (string | Buffer)[]): ControlEvent[] {
  const events: ControlEvent[] = [];
  const stream = new ReplyStream(PREFIX, (event) => events.push(event));
  for (const chunk of chunks) stream.push(Buffer.from(chunk as string));
  return events;
}

const reply = (number: number, lines: string[], end = "%end", flag = 1) =>
  [`%begin 170 ${number} ${flag}`, ...lines, `${end} 170 ${number} ${flag}`, ""].join("\n");
const sentinel = (id: string, number: number) => reply(number, [`${PREFIX}${id}`]);

describe("the stream of a control-mode client", () => {
  it("tells the attach from answers to our commands, and an error from an answer", () => {
    expect(eventsOf(reply(1, [], "%end", 0), reply(2, ["a", "b"]), reply(3, ["no such"], "%error"))).toEqual([
      { kind: "block", ours: false, ok: true, lines: [] },
      { kind: "block", ours: true, ok: true, lines: ["a", "b"] },
      { kind: "block", ours: true, ok: false, lines: ["no such"] },
    ]);
  });

  it("reports the sentinel and is ready for the next reply", () => {
    expect(eventsOf(reply(2, ["a"]) + sentinel("7", 3) + reply(4, ["b"]))).toEqual([
      { kind: "block", ours: true, ok: true, lines: ["a"] },
      { kind: "sentinel", id: "7", clean: true },
      { kind: "block", ours: true, ok: true, lines: ["b"] },
    ]);
  });

  it("names the terminal of an output line and drops its text", () => {
    expect(eventsOf("%output %12 hello\\033[0m\n%extended-output %3 0 : x\n%window-add @4\n")).toEqual([
      { kind: "output", pane: "%12" },
      { kind: "output", pane: "%3" },
      { kind: "notice", name: "window-add", rest: "@4" },
    ]);
  });

  it("holds none of a large output line", () => {
    const megabyte = "x".repeat(1024 * 1024);
    const events = eventsOf("%output %1 ", ...Array.from({ length: 40 }, () => megabyte), "\n%exit\n");
    expect(events).toEqual([
      { kind: "output", pane: "%1" },
      { kind: "notice", name: "exit", rest: "" },
    ]);
  });

  it("takes lines inside a reply that look like its end as text", () => {
    const shown = ["%end 170 99 1", "%error 1 1 1", "%output %1 x", "%exit"];
    expect(eventsOf(reply(5, shown))).toEqual([{ kind: "block", ours: true, ok: true, lines: shown }]);
  });

  it("distrusts a reply whose text imitates its own end, and finds the next one again", () => {
    const forged = ["before", "%end 170 5 1", "after"];
    const events = eventsOf(reply(5, forged) + sentinel("1", 6) + reply(7, ["fine"]) + sentinel("2", 8));
    expect(events).toContainEqual({ kind: "sentinel", id: "1", clean: false });
    expect(events.slice(-2)).toEqual([
      { kind: "block", ours: true, ok: true, lines: ["fine"] },
      { kind: "sentinel", id: "2", clean: true },
    ]);
  });

  it("finds the sentinel even inside a reply that a screen pretended to open", () => {
    const forged = ["%end 170 5 1", "%begin 1 1 1"];
    const events = eventsOf(reply(5, forged) + sentinel("1", 6) + sentinel("2", 7));
    expect(events.slice(-2)).toEqual([
      { kind: "sentinel", id: "1", clean: false },
      { kind: "sentinel", id: "2", clean: true },
    ]);
  });

  it("gives up on a reply past its maximum", () => {
    const line = "x".repeat(REPLY_LIMITS.replyBytes / 4);
    expect(eventsOf("%begin 1 2 1\n", line, line, line, line, "y").at(-1)).toEqual({ kind: "overflow" });
    const lines = Array.from({ length: 4 }, () => `${line}\n`);
    expect(eventsOf("%begin 1 2 1\n", ...lines).at(-1)).toEqual({ kind: "overflow" });
  });

  it("drops a notice past its maximum", () => {
    const long = "n".repeat(REPLY_LIMITS.noticeBytes + 1);
    expect(eventsOf("%window-renamed @1 ", long, "\n%sessions-changed\n")).toEqual([
      { kind: "notice", name: "sessions-changed", rest: "" },
    ]);
  });

  it("says the same however the bytes are cut, also inside a character", () => {
    const whole = Buffer.from(
      `${reply(1, [], "%end", 0)}%output %1 é\n${reply(2, ["漢字 👩‍👧", ""])}${sentinel("1", 3)}%exit\n`,
    );
    const expected = eventsOf(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length), { maxLength: 12 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end));
        expect(eventsOf(...chunks)).toEqual(expected);
      }),
    );
  });
});
