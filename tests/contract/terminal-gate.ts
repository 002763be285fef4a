import { describe, expect, it } from "vitest";
import type { GateExpectation, GateRefusal, Stroke } from "../../src/ports/terminal.ts";
import {
  onlyMarkerArrived,
  type Provocation,
  paste,
  screenOf,
  sees,
  type TerminalHarness,
} from "./terminal-harness.ts";

const QUIET_MS = 2_000;

interface State {
  readonly panePid: number;
  readonly x: number;
  readonly y: number;
}

const HOSTILE: [string, string][] = [
  ["quotes and backslashes", `"a" 'b' \\n \\\\ \\u0041 "`],
  ["a leading dash", "-t %0 -b x"],
  ["separators", "; kill-server ; \\; {} ;"],
  ["formats", "#{pid} #(touch x) #[fg=red] ## #, %s %H"],
  ["shell words", "$(touch x) `id` $" + "{HOME} ~ ~root $HOME && | > /dev/null"],
  ["newlines and control characters", "one\ntwo\r\nthree\t\x01\x1b[31m\x7f"],
  ["words of the protocol", "%end 1 2 1\n%begin 1 2 1\n%exit\nSENT\nHELD\n"],
  ["characters beyond ASCII", "é 漢字 👩‍👩‍👧 \u2028 \u200b e\u0301"],
  ["a name of a key", "Enter"],
];

/** Every character that is special in a pattern, a format or a time. */
const HOSTILE_SIGN = `50%d (a.b) [c] {d},#e #{f} #(g) $h ^i |j *k +l ?m \\n "o" ; ~p é漢…`;

export function describeGate(harness: () => TerminalHarness): void {
  describe("gate", () => {
    it("types when all is as expected", async () => {
      const opened = await harness().open({ alternate: true, hideCursor: true });
      await opened.show([""], { x: 2, y: 4 });
      await sees(opened, (screen) => screen.cursor.x === 2 && screen.cursor.y === 4);
      const { command } = await screenOf(opened);
      const outcome = await opened.terminal.gate(
        {
          panePid: opened.panePid,
          command,
          alternate: true,
          cursorHidden: true,
          cursor: { x: 2, y: 4 },
          quietForMs: QUIET_MS,
        },
        [paste("hello"), { kind: "bytes", bytes: [0x1b, 0x5b, 0x31, 0x33, 0x75, 0x15] }],
      );
      expect(outcome).toEqual({ kind: "sent" });
      expect((await opened.received(11)).toString()).toBe("hello\x1b[13u\x15");
    });

    it("keeps the order of pastes, bytes and keys", async () => {
      const opened = await harness().open();
      const strokes: Stroke[] = [
        { kind: "key", name: "C-s" },
        paste("a;"),
        { kind: "key", name: "Escape" },
        paste("b"),
        { kind: "bytes", bytes: [0xff, 0x7f] },
        { kind: "key", name: ";" },
        { kind: "key", name: "-" },
        { kind: "key", name: "Up" },
        { kind: "key", name: "Enter" },
      ];
      expect(await opened.terminal.gate({ panePid: opened.panePid }, strokes)).toEqual({ kind: "sent" });
      const expected = Buffer.concat([
        Buffer.from("\x13a;\x1bb"),
        Buffer.from([0xff, 0x7f]),
        Buffer.from(";-\x1b[A\r"),
      ]);
      expect(await opened.received(expected.length)).toEqual(expected);
    });

    it("brackets a paste only for a program that asked for it", async () => {
      const asked = await harness().open({ bracketed: true });
      const plain = await harness().open();
      for (const opened of [asked, plain]) {
        await opened.terminal.gate({ panePid: opened.panePid }, [paste("text", true), paste("|", false)]);
      }
      expect((await asked.received(17)).toString()).toBe("\x1b[200~text\x1b[201~|");
      expect((await plain.received(5)).toString()).toBe("text|");
    });

    it.each(HOSTILE)("types %s exactly", async (_, text) => {
      const opened = await harness().open();
      expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste(text)])).toEqual({
        kind: "sent",
      });
      expect((await opened.received(Buffer.byteLength(text))).toString()).toBe(text);
    });

    it.each([1024, 100 * 1024, 1024 * 1024])("types %i bytes without losing one", async (size) => {
      const opened = await harness().open();
      const text = longText(size);
      expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste(text)])).toEqual({
        kind: "sent",
      });
      const received = await opened.received(size);
      expect(received.length).toBe(size);
      expect(received.equals(Buffer.from(text))).toBe(true);
    });

    it("types for twenty callers at once, each in one piece", async () => {
      const opened = await harness().open();
      const texts = Array.from({ length: 20 }, (_, index) =>
        `<${String(index).padStart(3, "0")}>`.repeat(40),
      );
      const outcomes = await Promise.all(
        texts.map((text) => opened.terminal.gate({ panePid: opened.panePid }, [paste(text)])),
      );
      expect(outcomes).toEqual(texts.map(() => ({ kind: "sent" })));
      const received = (await opened.received(texts.join("").length)).toString();
      expect(received).toBe(texts.join(""));
    });

    it.each([
      ["other-process", (state: State) => ({ panePid: state.panePid + 1 })],
      ["other-command", (state: State) => ({ panePid: state.panePid, command: "another" })],
      ["screen-kind", (state: State) => ({ panePid: state.panePid, alternate: true })],
      ["screen-kind", (state: State) => ({ panePid: state.panePid, cursorHidden: true })],
      [
        "cursor-moved",
        (state: State) => ({ panePid: state.panePid, cursor: { x: state.x + 1, y: state.y } }),
      ],
      [
        "cursor-moved",
        (state: State) => ({ panePid: state.panePid, cursor: { x: state.x, y: state.y + 1 } }),
      ],
    ] satisfies [GateRefusal, (state: State) => GateExpectation][])(
      "refuses for %s and types nothing",
      async (reason, expectation) => {
        const opened = await harness().open();
        const { cursor } = await screenOf(opened);
        const outcome = await opened.terminal.gate(expectation({ panePid: opened.panePid, ...cursor }), [
          paste("never"),
          { kind: "key", name: "Enter" },
        ]);
        expect(outcome).toEqual({ kind: "refused", because: [reason] });
        await onlyMarkerArrived(opened);
      },
    );

    it.each(["mode", "synchronised", "input-off", "typing"] satisfies Provocation[])(
      "refuses for %s and types nothing",
      async (reason) => {
        if (harness().without?.has(reason)) return;
        const opened = await harness().open();
        const { undo } = await opened.provoke(reason);
        const typed = (await opened.received(0)).length;
        const outcome = await opened.terminal.gate(
          { panePid: opened.panePid, ...(reason === "typing" ? { quietForMs: QUIET_MS } : {}) },
          [paste("never"), { kind: "key", name: "Enter" }],
        );
        expect(outcome).toEqual({ kind: "refused", because: [reason] });
        await undo();
        await onlyMarkerArrived(opened, typed);
      },
    );

    it("types only while what justified it shows, in its row and in none above", async () => {
      const opened = await harness().open();
      const sign = { in: "row", y: 2, text: HOSTILE_SIGN } as const;
      const gate = () => opened.terminal.gate({ panePid: opened.panePid, sign }, [paste("a")]);
      const refused = { kind: "refused", because: ["sign-gone"] };
      const shows = async (...rows: readonly string[]) => {
        await opened.show(rows);
        await sees(opened, ({ lines }) => rows.every((row, y) => lines[y]?.text === row));
      };
      await shows("one", "two", `· ${HOSTILE_SIGN} 3s`, ">");
      expect(await gate()).toEqual({ kind: "sent" });
      await shows("another", "two", `* ${HOSTILE_SIGN} 4s`, ">");
      expect(await gate()).toEqual({ kind: "sent" });
      await shows("another", "two", "done", ">");
      expect(await gate()).toEqual(refused);
      await shows("another", HOSTILE_SIGN, HOSTILE_SIGN, ">");
      expect(await gate()).toEqual(refused);
      await onlyMarkerArrived(opened, 2);
    });

    it("types only while the title is the one that justified it", async () => {
      const opened = await harness().open();
      const { title } = await screenOf(opened);
      const gate = (text: string) =>
        opened.terminal.gate({ panePid: opened.panePid, sign: { in: "title", text } }, [paste("a")]);
      expect(await gate(title)).toEqual({ kind: "sent" });
      expect(await gate(`${title}.`)).toEqual({ kind: "refused", because: ["sign-gone"] });
      await onlyMarkerArrived(opened, 1);
    });

    it.each(["stopped", "continued-behind"] as const)(
      "types nothing while its program is %s and another is in front, and again when it is back",
      async (how) => {
        const opened = await harness().open({ underShell: true });
        const strokes = [paste("never"), { kind: "key", name: "Enter" } as const];
        const { undo } = await opened.suspend(how);
        const outcome = await opened.terminal.gate({ panePid: opened.panePid }, strokes);
        expect(outcome).toEqual({ kind: "refused", because: ["suspended"] });
        expect(await opened.terminal.gate({ panePid: opened.panePid }, [])).toEqual(outcome);
        await undo();
        await onlyMarkerArrived(opened);
        expect(opened.readInFront()).toBe("");
      },
    );

    it("names every reason it has", async () => {
      const opened = await harness().open();
      const outcome = await opened.terminal.gate(
        { panePid: opened.panePid + 1, command: "another", alternate: true },
        [paste("never")],
      );
      expect(outcome).toEqual({
        kind: "refused",
        because: ["other-process", "other-command", "screen-kind"],
      });
    });

    it("refuses a name that is no key before anything is typed", async () => {
      const opened = await harness().open();
      const strokes: Stroke[] = [paste("never"), { kind: "key", name: "Entr" }];
      await expect(opened.terminal.gate({ panePid: opened.panePid }, strokes)).rejects.toMatchObject({
        code: "usage.invalid",
      });
      await onlyMarkerArrived(opened);
    });
  });
}

/** Every part is different, so that a lost or repeated part is noticed. */
function longText(bytes: number): string {
  const line = (index: number) => `${String(index).padStart(8, "0")} "$#;\\~é %end\n`;
  const length = Buffer.byteLength(line(0));
  const whole = Array.from({ length: Math.ceil(bytes / length) }, (_, index) => line(index)).join("");
  const cut = Buffer.from(whole).subarray(0, bytes);
  // The cut may split a character; dots fill the rest.
  return cut
    .toString("utf8")
    .replace(/\ufffd+$/, (rest) =>
      ".".repeat(bytes - Buffer.byteLength(cut.toString("utf8").slice(0, -rest.length))),
    );
}
