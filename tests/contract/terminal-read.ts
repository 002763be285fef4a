import { describe, expect, it } from "vitest";
import { screenOf, sees, type TerminalHarness } from "./terminal-harness.ts";

const QUIET_MS = 2_000;

export function describeRead(harness: () => TerminalHarness): void {
  describe("read", () => {
    it("shows text, cursor, size and the program in front", async () => {
      const opened = await harness().open();
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
      const opened = await harness().open();
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
      const opened = await harness().open();
      await opened.show(["漢字é 👩 end"]);
      await sees(opened, (screen) => screen.lines[0]?.text === "漢字é 👩 end");
    });

    it("shows the other screen and a hidden cursor", async () => {
      const opened = await harness().open({ alternate: true, hideCursor: true });
      await opened.show(["here"]);
      await sees(opened, (screen) => screen.lines[0]?.text === "here");
      expect(await screenOf(opened)).toMatchObject({ alternate: true, cursor: { visible: false } });
    });

    it("shows text that looks like a protocol as text", async () => {
      const opened = await harness().open();
      const lines = ["%end 1700000000 1 1", "%error 1 2 3", "%begin 1 2 1", "%exit", "SENT", "HELD "];
      await opened.show(lines);
      await sees(opened, (screen) => screen.lines[4]?.text === "SENT");
      const shown = (await screenOf(opened)).lines.slice(0, 6).map((line) => line.text.trimEnd());
      expect(shown).toEqual(lines.map((line) => line.trimEnd()));
    });

    it("tells for how long nobody has pressed a key, as the gate counts it", async () => {
      const opened = await harness().open();
      const quietForMs = async (): Promise<number> => {
        const outcome = await opened.terminal.read();
        if (outcome.kind !== "screen" || outcome.quietForMs === undefined)
          throw new Error("it does not tell");
        return outcome.quietForMs;
      };
      expect(await quietForMs()).toBeGreaterThanOrEqual(QUIET_MS);
      const { undo } = await opened.provoke("typing");
      expect(await quietForMs()).toBeLessThan(QUIET_MS);
      await undo();
    });

    it("answers fifty at once", async () => {
      const opened = await harness().open();
      await opened.show(["still"]);
      await sees(opened, (screen) => screen.lines[0]?.text === "still");
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => opened.terminal.read()));
      expect(outcomes.map((outcome) => outcome.kind === "screen" && outcome.screen.lines[0]?.text)).toEqual(
        Array.from({ length: 50 }, () => "still"),
      );
    });
  });
}
