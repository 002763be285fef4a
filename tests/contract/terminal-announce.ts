import { describe, expect, it } from "vitest";
import { onlyMarkerArrived, screenOf, sees, type TerminalHarness } from "./terminal-harness.ts";

const ANNOUNCEMENT = "Your text is back. #{pid} #(touch x) #[fg=red] 100%d $(id) ;\n\x1b[31m";

export function describeAnnounce(harness: () => TerminalHarness): void {
  describe("announce", () => {
    it("touches neither the screen nor the composer nor the next key", async () => {
      const opened = await harness().open();
      const person = await opened.attachPerson();
      person.press("first");
      await opened.received(5);
      await opened.show(["an answer", "> half a thought"], { x: 16, y: 1 });
      await sees(opened, (screen) => screen.cursor.x === 16 && screen.lines[1]?.text === "> half a thought");
      const before = await screenOf(opened);
      expect(await opened.terminal.announce(ANNOUNCEMENT)).toEqual({ kind: "shown", to: 1 });
      expect(await screenOf(opened)).toEqual(before);
      // While the line shows, the screen is the same as without it.
      person.press("k\x1b[A");
      expect((await opened.received(9)).toString()).toBe("firstk\x1b[A");
      expect(await screenOf(opened)).toEqual(before);
      await onlyMarkerArrived(opened, 9);
    });

    it("loses no key of a person who types all along", async () => {
      const opened = await harness().open();
      const person = await opened.attachPerson();
      const text = "the quick brown fox jumps over the lazy dog, again and again";
      for (const [index, character] of [...text].entries()) {
        person.press(character);
        if (index % 3 === 0) await opened.terminal.announce(ANNOUNCEMENT);
      }
      expect((await opened.received(text.length)).toString()).toBe(text);
    });

    it("says when nobody was there to see it", async () => {
      const opened = await harness().open();
      expect(await opened.terminal.announce(ANNOUNCEMENT)).toEqual({ kind: "shown", to: 0 });
      await onlyMarkerArrived(opened);
    });

    it("tells everybody who looks", async () => {
      const opened = await harness().open();
      await opened.attachPerson();
      await opened.attachPerson();
      expect(await opened.terminal.announce("-N -t x")).toEqual({ kind: "shown", to: 2 });
    });
  });
}
