import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BAR_LIMITS } from "../../src/attach/keys/bar.ts";
import { HOST_LIMITS } from "../../src/terminals/pty/host/door.ts";
import type { AttachedPerson } from "../rig/attached-person.ts";
import { until } from "../rig/scripted-agent.ts";
import { type AttachStage, attachStageForEach } from "./attach-stage.ts";
import { echoProgram } from "./program-peer.ts";

const PREFIX = "\x1c";

let stage: AttachStage;
attachStageForEach((fresh) => {
  stage = fresh;
});

/** A program that records every byte it reads. */
class Keyboard {
  readonly log = join(stage.home, "keys");
  read(): Buffer {
    try {
      return readFileSync(this.log);
    } catch {
      return Buffer.alloc(0);
    }
  }

  async got(bytes: Buffer | string): Promise<void> {
    const wanted = Buffer.from(bytes as string);
    await until(
      () => this.read().length >= wanted.length,
      () => `${JSON.stringify(this.read().toString("latin1"))} is not all`,
    );
    expect(this.read().toString("latin1")).toBe(wanted.toString("latin1"));
  }
}

async function seat(options: { bracketed?: boolean } = {}, ...more: readonly string[]) {
  const keyboard = new Keyboard();
  const host = await stage.host(echoProgram({ log: keyboard.log, ...options }));
  const person = stage.person(undefined, ...more);
  await person.sees("1 viewer");
  return { host, keyboard, person };
}

async function takeKeyboard(person: AttachedPerson): Promise<void> {
  person.type(`${PREFIX}p`);
  await person.sees("keyboard: you");
}

describe("keys of an attached person", () => {
  it("arrive exactly in passthrough, all of them, pastes and mouse reports too", async () => {
    const { keyboard, person } = await seat();
    await takeKeyboard(person);
    const all = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x1c));
    const more = Buffer.from(
      "\x1b[A\x1bOB\x1b[<0;10;5M\x1b[<0;10;5m\x1b[M !!\x1b[200~a\x1cb\r\n\x1b[201~漢字\x1b\x1b\r",
    );
    person.type(all);
    person.type(more);
    person.type(`${PREFIX}${PREFIX}`);
    await keyboard.got(Buffer.concat([all, more, Buffer.from([0x1c])]));
  });

  it("that were typed while the keyboard was asked for are not lost and not taken for others", async () => {
    const { keyboard, person } = await seat();
    person.type(`${PREFIX}pabc\x1b[A${PREFIX}pin the bar`);
    await keyboard.got("abc\x1b[A");
    await person.sees("normal ❯ in the bar");
  });

  it("never reach the program outside passthrough", async () => {
    const { keyboard, person } = await seat();
    person.type("\x03\x04\x1a\x1b[A\x1b[B\x1bOP\x1b[15~\x1b[5~\x1bx\x0c");
    person.type("\x1b");
    await person.sees("passthrough only");
    person.type("left over\x15");
    await person.sees(/normal ❯ Enter types/);
    await takeKeyboard(person);
    person.type("!");
    await keyboard.got("!");
  });

  it("go to the bar, and its text to the program in one piece with Enter behind it", async () => {
    const { keyboard, person } = await seat();
    person.type("fix teh\x17the 漢字 tests");
    await person.sees("normal ❯ fix the 漢字 tests");
    person.type("\r");
    await person.sees("typed into the program");
    await keyboard.got("fix the 漢字 tests\r");
    person.type("\x1b[A");
    await person.sees("normal ❯ fix the 漢字 tests");
  });

  it("of a paste stay one text with its newlines", async () => {
    const { person } = await seat();
    person.type("\x1b[200~one\r\ntwo\rthree\x1b[201~");
    await person.sees("normal ❯ one↵two↵three");
    expect(stage.daemon.asked.filter(({ type }) => type === "send")).toEqual([]);
  });

  it("fit into what the host takes, however full the bar is", () => {
    expect(BAR_LIMITS.bytes).toBeLessThanOrEqual(HOST_LIMITS.submitBytes);
  });

  it("of a paste that is too much are left out whole, and what stood in the bar is sent as it was", async () => {
    const { keyboard, person } = await seat();
    person.type("short");
    await person.sees("normal ❯ short");
    person.type(`\x1b[200~${"long ".repeat(60_000)}\x1b[201~`);
    await person.sees("Too long for the bar, left out: use bellhop send --file.");
    await person.sees(/normal ❯ short *$/m);
    person.type("\r");
    await keyboard.got("short\r");
  });

  it("of one person only, while they have the keyboard; the other is told so and keeps their text", async () => {
    const { keyboard, person } = await seat();
    const other = stage.person({ cols: 100, rows: 30 });
    await other.sees("2 viewers");
    await takeKeyboard(person);
    await other.sees("keyboard: viewer 1");
    other.type(`${PREFIX}p`);
    await other.sees("Viewer 1 has the keyboard; wait until they give it back.");
    other.type("mine\r");
    await other.sees("normal ❯ mine");
    person.type("x");
    await keyboard.got("x");
    person.type(`${PREFIX}d`);
    expect(await person.exited).toBe(0);
    await other.sees("1 viewer");
    other.type("\r");
    await keyboard.got("xmine\r");
  });

  it("do nothing at all when one only watches", async () => {
    const { keyboard, person } = await seat({}, "--watch");
    await person.sees("watching");
    person.type(`hello\r${PREFIX}p`);
    await person.sees("You only watch");
    const other = stage.person({ cols: 100, rows: 30 });
    await other.sees("2 viewers");
    other.type("!\r");
    await keyboard.got("!\r");
    person.type(`${PREFIX}d`);
    expect(await person.exited).toBe(0);
  });

  it("may begin with another prefix", async () => {
    const { keyboard, person } = await seat({}, "--prefix", "C-b");
    person.type("\x02p");
    await person.sees("keyboard: you");
    person.type("\x1c\x02\x02");
    await keyboard.got("\x1c\x02");
    person.type("\x02d");
    expect(await person.exited).toBe(0);
  });

  it("are what the program asked its terminal for, in passthrough only", async () => {
    const modes = "\\033[?1002h\\033[?1006h\\033[?2004h\\033[?1004h\\033[?1h\\033[5 q\\033[?25l";
    await stage.host(["bash", "--norc", "-c", `read; printf '${modes}asked'; read`]);
    const person = stage.person();
    await person.sees("1 viewer");
    const wanted = ["?1002h", "?1006h", "?1004h", "?1h", "[5 q"];
    person.type("go\r");
    await person.sees("asked");
    for (const mode of wanted) expect(person.output()).not.toContain(mode);
    expect(person.window.terminal.modes).toMatchObject({
      bracketedPasteMode: true,
      mouseTrackingMode: "none",
    });
    await takeKeyboard(person);
    for (const mode of wanted) expect(person.output()).toContain(mode);
    expect(person.window.terminal.modes).toMatchObject({
      bracketedPasteMode: true,
      mouseTrackingMode: "drag",
      sendFocusMode: true,
      applicationCursorKeysMode: true,
    });
    expect(person.window.cursorVisible).toBe(false);
    person.type(`${PREFIX}p`);
    await person.sees("normal ❯");
    expect(person.window.terminal.modes).toMatchObject({
      mouseTrackingMode: "none",
      sendFocusMode: false,
      applicationCursorKeysMode: false,
    });
    expect(person.window.cursorVisible).toBe(true);
  });
});
