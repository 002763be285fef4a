import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Screen } from "../../src/core/screen.ts";
import type { GateExpectation, GateRefusal, Stroke, Terminal } from "../../src/ports/terminal.ts";

/** What every terminal must do, whatever carries it. An adapter brings a harness; the sentences are the same. */

export interface ProgramOptions {
  readonly bracketed?: boolean;
  readonly alternate?: boolean;
  readonly hideCursor?: boolean;
}

/** A terminal in which a program runs that writes down every byte it reads. */
export interface OpenedTerminal {
  readonly terminal: Terminal;
  readonly panePid: number;
  /** Lets the program show these lines, with their colours, and leave the cursor there. */
  show(lines: readonly string[], cursor?: { readonly x: number; readonly y: number }): Promise<void>;
  /** All bytes the program has read, once they are at least this many. */
  received(atLeastBytes: number): Promise<Buffer>;
  /** Brings about the state in which the gate must refuse for this reason, and undoes it. */
  provoke(reason: Provocation): Promise<{ readonly undo: () => Promise<void> }>;
  /** Somebody looks at it, with a keyboard. */
  attachPerson(): Promise<AttachedPerson>;
  /** The terminal goes away. */
  destroy(): Promise<void>;
}

export interface AttachedPerson {
  /** Keys as the program reads them, in one write. */
  press(bytes: string): void;
}

/** The reasons that lie in the terminal; the others lie in what is expected of it. */
export type Provocation = Extract<GateRefusal, "mode" | "synchronised" | "input-off" | "typing">;

export interface TerminalHarness {
  open(program?: ProgramOptions): Promise<OpenedTerminal>;
  close(): Promise<void>;
  /** States this kind of terminal does not have. */
  readonly without?: ReadonlySet<Provocation>;
}

const QUIET_MS = 2_000;

export function describeTerminalContract(name: string, makeHarness: () => Promise<TerminalHarness>): void {
  describe(`${name}: the contract of a terminal`, () => {
    let harness: TerminalHarness;
    beforeEach(async () => {
      harness = await makeHarness();
    });
    afterEach(async () => {
      await harness.close();
    });

    const sees = (opened: OpenedTerminal, look: (screen: Screen) => boolean) =>
      expect
        .poll(async () => {
          const outcome = await opened.terminal.read();
          return outcome.kind === "screen" && look(outcome.screen);
        }, POLL)
        .toBe(true);

    describe("read", () => {
      it("shows text, cursor, size and the program in front", async () => {
        const opened = await harness.open();
        await opened.show(["first", "second >"], { x: 9, y: 1 });
        await sees(opened, (screen) => screen.cursor.x === 9 && screen.lines[1]?.text === "second >");
        const screen = await screenOf(opened);
        expect(screen.lines).toHaveLength(screen.rows);
        expect(screen.lines[0]?.text).toBe("first");
        expect(screen.cursor).toEqual({ x: 9, y: 1, visible: true });
        expect(screen).toMatchObject({
          alternate: false,
          mode: "",
          dead: false,
          inputOff: false,
          synchronised: false,
        });
        expect(screen.command).not.toBe("");
      });

      it("shows colours as runs", async () => {
        const opened = await harness.open();
        await opened.show(["plain\x1b[2mdim\x1b[0m\x1b[7mI\x1b[0m\x1b[1;3;38;5;244mbold\x1b[0m"]);
        await sees(opened, (screen) => screen.lines[0]?.text === "plaindimIbold");
        const [line] = (await screenOf(opened)).lines;
        expect(
          line?.runs.map(({ text, dim, inverse, bold, italic, foreground }) => ({
            text,
            dim,
            inverse,
            bold,
            italic,
            foreground,
          })),
        ).toEqual([
          { text: "plain", dim: false, inverse: false, bold: false, italic: false, foreground: "" },
          { text: "dim", dim: true, inverse: false, bold: false, italic: false, foreground: "" },
          { text: "I", dim: false, inverse: true, bold: false, italic: false, foreground: "" },
          { text: "bold", dim: false, inverse: false, bold: true, italic: true, foreground: "38;5;244" },
        ]);
      });

      it("shows wide characters once", async () => {
        const opened = await harness.open();
        await opened.show(["漢字é 👩 end"]);
        await sees(opened, (screen) => screen.lines[0]?.text === "漢字é 👩 end");
      });

      it("shows the other screen and a hidden cursor", async () => {
        const opened = await harness.open({ alternate: true, hideCursor: true });
        await opened.show(["here"]);
        await sees(opened, (screen) => screen.lines[0]?.text === "here");
        expect(await screenOf(opened)).toMatchObject({ alternate: true, cursor: { visible: false } });
      });

      it("shows text that looks like a protocol as text", async () => {
        const opened = await harness.open();
        const lines = ["%end 1700000000 1 1", "%error 1 2 3", "%begin 1 2 1", "%exit", "SENT", "HELD "];
        await opened.show(lines);
        await sees(opened, (screen) => screen.lines[4]?.text === "SENT");
        const shown = (await screenOf(opened)).lines.slice(0, 6).map((line) => line.text.trimEnd());
        expect(shown).toEqual(lines.map((line) => line.trimEnd()));
      });

      it("answers fifty at once", async () => {
        const opened = await harness.open();
        await opened.show(["still"]);
        await sees(opened, (screen) => screen.lines[0]?.text === "still");
        const outcomes = await Promise.all(Array.from({ length: 50 }, () => opened.terminal.read()));
        expect(outcomes.map((outcome) => outcome.kind === "screen" && outcome.screen.lines[0]?.text)).toEqual(
          Array.from({ length: 50 }, () => "still"),
        );
      });
    });

    describe("gate", () => {
      it("types when all is as expected", async () => {
        const opened = await harness.open({ alternate: true, hideCursor: true });
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
        const opened = await harness.open();
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
        const asked = await harness.open({ bracketed: true });
        const plain = await harness.open();
        for (const opened of [asked, plain]) {
          await opened.terminal.gate({ panePid: opened.panePid }, [paste("text", true), paste("|", false)]);
        }
        expect((await asked.received(17)).toString()).toBe("\x1b[200~text\x1b[201~|");
        expect((await plain.received(5)).toString()).toBe("text|");
      });

      it.each(HOSTILE)("types %s exactly", async (_, text) => {
        const opened = await harness.open();
        expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste(text)])).toEqual({
          kind: "sent",
        });
        expect((await opened.received(Buffer.byteLength(text))).toString()).toBe(text);
      });

      it.each([1024, 100 * 1024, 1024 * 1024])("types %i bytes without losing one", async (size) => {
        const opened = await harness.open();
        const text = longText(size);
        expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste(text)])).toEqual({
          kind: "sent",
        });
        const received = await opened.received(size);
        expect(received.length).toBe(size);
        expect(received.equals(Buffer.from(text))).toBe(true);
      });

      it("types for twenty callers at once, each in one piece", async () => {
        const opened = await harness.open();
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
          const opened = await harness.open();
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
          if (harness.without?.has(reason)) return;
          const opened = await harness.open();
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

      it("names every reason it has", async () => {
        const opened = await harness.open();
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
        const opened = await harness.open();
        const strokes: Stroke[] = [paste("never"), { kind: "key", name: "Entr" }];
        await expect(opened.terminal.gate({ panePid: opened.panePid }, strokes)).rejects.toMatchObject({
          code: "usage.invalid",
        });
        await onlyMarkerArrived(opened);
      });
    });

    it("says gone once the terminal is", async () => {
      const opened = await harness.open();
      await opened.destroy();
      await expect.poll(() => opened.terminal.read(), POLL).toEqual({ kind: "gone" });
      expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("never")])).toEqual({
        kind: "gone",
      });
      expect(await opened.terminal.announce("never")).toEqual({ kind: "gone" });
    });

    it("tells of a change on its screen, until told to stop", async () => {
      const opened = await harness.open();
      let changes = 0;
      const stop = opened.terminal.onChange(() => {
        changes += 1;
      });
      await expect
        .poll(async () => {
          await opened.show(["x"]);
          return changes;
        }, POLL)
        .toBeGreaterThan(0);
      stop();
      const before = changes;
      await opened.show(["marker"]);
      await sees(opened, (screen) => screen.lines.some((line) => line.text.includes("marker")));
      expect(changes).toBe(before);
    });

    describe("announce", () => {
      it("touches neither the screen nor the composer nor the next key", async () => {
        const opened = await harness.open();
        const person = await opened.attachPerson();
        person.press("first");
        await opened.received(5);
        await opened.show(["an answer", "> half a thought"], { x: 16, y: 1 });
        await sees(
          opened,
          (screen) => screen.cursor.x === 16 && screen.lines[1]?.text === "> half a thought",
        );
        const before = await screenOf(opened);
        expect(await opened.terminal.announce(ANNOUNCEMENT)).toEqual({ kind: "shown", to: 1 });
        expect(await screenOf(opened)).toEqual(before);
        // While it shows: as it would be without it.
        person.press("k\x1b[A");
        expect((await opened.received(9)).toString()).toBe("firstk\x1b[A");
        expect(await screenOf(opened)).toEqual(before);
        await onlyMarkerArrived(opened, 9);
      });

      it("loses no key of a person who types all along", async () => {
        const opened = await harness.open();
        const person = await opened.attachPerson();
        const text = "the quick brown fox jumps over the lazy dog, again and again";
        for (const [index, character] of [...text].entries()) {
          person.press(character);
          if (index % 3 === 0) await opened.terminal.announce(ANNOUNCEMENT);
        }
        expect((await opened.received(text.length)).toString()).toBe(text);
      });

      it("says when nobody was there to see it", async () => {
        const opened = await harness.open();
        expect(await opened.terminal.announce(ANNOUNCEMENT)).toEqual({ kind: "shown", to: 0 });
        await onlyMarkerArrived(opened);
      });

      it("tells everybody who looks", async () => {
        const opened = await harness.open();
        await opened.attachPerson();
        await opened.attachPerson();
        expect(await opened.terminal.announce("-N -t x")).toEqual({ kind: "shown", to: 2 });
      });
    });
  });
}

const POLL = { timeout: 15_000, interval: 20 };

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

const ANNOUNCEMENT = "Your text is back. #{pid} #(touch x) #[fg=red] 100%d $(id) ;\n\x1b[31m";

const paste = (text: string, bracketed = false): Stroke => ({ kind: "paste", text, bracketed });

/** Every place looks different, so that a lost or doubled stretch shows. */
function longText(bytes: number): string {
  const line = (index: number) => `${String(index).padStart(8, "0")} "$#;\\~é %end\n`;
  const length = Buffer.byteLength(line(0));
  const whole = Array.from({ length: Math.ceil(bytes / length) }, (_, index) => line(index)).join("");
  const cut = Buffer.from(whole).subarray(0, bytes);
  // The cut may go through a character; dots stand for what is left.
  return cut
    .toString("utf8")
    .replace(/\ufffd+$/, (rest) =>
      ".".repeat(bytes - Buffer.byteLength(cut.toString("utf8").slice(0, -rest.length))),
    );
}

async function screenOf(opened: OpenedTerminal): Promise<Screen> {
  const outcome = await opened.terminal.read();
  if (outcome.kind !== "screen") throw new Error(`no screen: ${JSON.stringify(outcome)}`);
  return outcome.screen;
}

/** What was refused would stand before the marker. */
async function onlyMarkerArrived(opened: OpenedTerminal, after = 0): Promise<void> {
  expect(await opened.terminal.gate({ panePid: opened.panePid }, [paste("marker")])).toEqual({
    kind: "sent",
  });
  expect((await opened.received(after + 6)).subarray(after).toString()).toBe("marker");
}
