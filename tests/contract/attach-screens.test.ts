import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import type { AttachedPerson } from "../rig/attached-person.ts";
import { until } from "../rig/scripted-agent.ts";
import { type AttachStage, attachStageForEach, type HostedProgram, requireProgram } from "./attach-stage.ts";

const COLOURS = fileURLToPath(new URL("./programs/colours.mjs", import.meta.url));
const WINDOW_SIZE = fileURLToPath(new URL("./programs/window-size.mjs", import.meta.url));
const SMALL = { cols: 80, rows: 24 };
const LARGE = { cols: 117, rows: 41 };

let stage: AttachStage;
attachStageForEach((fresh) => {
  stage = fresh;
});

/** Two people with windows of different sizes see what the program's own terminal has. */
async function bothSee(host: HostedProgram, people: readonly AttachedPerson[]): Promise<void> {
  for (const person of people) {
    const screen = await person.seesWhatTheHostSees(host);
    expect({ cols: screen.columns, rows: screen.rows }).toEqual({ cols: 80, rows: 22 });
  }
}

/** Two lines of the window belong to the bar. */
async function resized(person: AttachedPerson, window: typeof SMALL, host: HostedProgram): Promise<void> {
  person.resize(window);
  await until(
    async () => (await host.screen()).rows === window.rows - 2,
    () => person.text(),
  );
}

describe("what an attached person sees", () => {
  it.each([
    ["256 colours, red, green and blue, every attribute", []],
    ["wide characters, marks and overwritten halves", ["--wide"]],
  ])("is what the program's own screen has: %s", async (_, options) => {
    const host = await stage.host([process.execPath, COLOURS, ...options]);
    const people = [stage.person(SMALL), stage.person(LARGE)];
    for (const person of people) await person.sees("drawn");
    await bothSee(host, people);
    // A late viewer sees the same.
    const late = stage.person({ cols: 100, rows: 30 });
    await late.sees("drawn");
    await bothSee(host, [...people, late]);
  });

  it("is what vim's own screen has, while it is used, and in the alternate screen", async () => {
    requireProgram("vim");
    const file = join(stage.home, "notes.txt");
    writeFileSync(
      file,
      Array.from({ length: 200 }, (_, line) => `line ${line} — 漢字 é 'quoted' // comment`).join("\n"),
    );
    const host = await stage.host([
      "vim",
      "-u",
      "NONE",
      "-N",
      "--cmd",
      "set nu hls cul",
      "-c",
      "syntax on",
      file,
    ]);
    const people = [stage.person(SMALL), stage.person(LARGE)];
    const [person] = people as [AttachedPerson, AttachedPerson];
    await person.sees("line 3");
    await bothSee(host, people);
    person.type("\x1cp");
    await person.sees("keyboard: you");
    for (const keys of ["\x06", "gg10jdd", "/quoted\r", "o漢字 typed\x1b", ":split\r", "\x17j50G", "ggVG>"]) {
      person.type(keys);
      await bothSee(host, people);
    }
    person.type("\x1cp");
    await person.sees("normal ❯");
    await bothSee(host, people);
    expect((await host.screen()).alternate).toBe(true);
  });

  it("is what less's own screen has, also after the window was made smaller and larger", async () => {
    requireProgram("less");
    const file = join(stage.home, "long.txt");
    writeFileSync(
      file,
      Array.from({ length: 300 }, (_, line) => `${line} ${"word ".repeat(line % 30)}`).join("\n"),
    );
    const host = await stage.host(["less", "-N", file]);
    const people = [stage.person(SMALL), stage.person(LARGE)];
    const [person, other] = people as [AttachedPerson, AttachedPerson];
    await other.sees("word word word");
    await bothSee(host, people);
    person.type("\x1cp");
    await person.sees("keyboard: you");
    for (const keys of [" ", "G", "g", "/word word\r", "5j"]) {
      person.type(keys);
      await bothSee(host, people);
    }
    await resized(person, { cols: 60, rows: 15 }, host);
    for (const one of people) await one.seesWhatTheHostSees(host);
    await resized(person, SMALL, host);
    await bothSee(host, people);
  });

  it("is what htop's own screen has", async () => {
    requireProgram("htop");
    const host = await stage.host(["htop", "-d", "100"]);
    const people = [stage.person(SMALL), stage.person(LARGE)];
    const [person] = people as [AttachedPerson, AttachedPerson];
    await person.sees("Load average");
    await bothSee(host, people);
    person.type("\x1cp");
    await person.sees("keyboard: you");
    for (const keys of ["\x1bOB\x1bOB", "\x1bOR", "\x1b"]) {
      person.type(keys);
      await bothSee(host, people);
    }
    await resized(person, { cols: 60, rows: 15 }, host);
    for (const one of people) await one.seesWhatTheHostSees(host);
  });

  it("is the whole screen again after it was flooded", async () => {
    const host = await stage.host([
      "bash",
      "--norc",
      "-c",
      'for i in $(seq 1 60000); do echo "$i 漢字 \\$x"; done; echo over; read',
    ]);
    const people = [stage.person(SMALL), stage.person(LARGE)];
    for (const person of people) await person.sees(/^over$/m);
    await bothSee(host, people);
  });

  it("is what has scrolled off, on request, and stays there while more comes", async () => {
    const host = await stage.host(["bash", "--norc", "-c", "seq 1 500; read; seq 501 510; read"]);
    const person = stage.person(SMALL);
    await person.sees(/^500$/m);
    person.type("\x1c[");
    await person.sees("0 of 479 lines back");
    person.type("\x1b[5~");
    await person.sees(/^459$/m);
    await person.sees("21 of 479 lines back");
    person.type("g");
    await person.sees(/^1$/m);
    expect(person.window.text()[0]).toBe("1");
    const other = stage.person(LARGE);
    await other.sees("2 viewers");
    other.type("go on\r");
    await other.sees(/^510$/m);
    await person.sees(/of 490 lines back/);
    expect(person.window.text()[0]).toBe("1");
    person.type("G");
    await person.sees(/^510$/m);
    person.type("gq");
    await person.sees("normal ❯");
    await person.seesWhatTheHostSees(host);
  });

  it("follows the window's size, and the smallest of several", async () => {
    const host = await stage.host([process.execPath, WINDOW_SIZE]);
    const person = stage.person({ cols: 90, rows: 30 });
    await person.sees(/^28 90$/m);
    person.resize({ cols: 100, rows: 33 });
    await person.sees(/^31 100$/m);
    const other = stage.person({ cols: 70, rows: 40 });
    await person.sees(/^31 70$/m);
    await person.sees("2 viewers");
    await person.seesWhatTheHostSees(host);
    other.type("\x1cd");
    await other.exited;
    await until(
      () =>
        person
          .text()
          .split("\n")
          .filter((line) => line === "31 100").length === 2,
      () => person.text(),
    );
    await person.sees("1 viewer");
  });

  it("has the program's title and its bell", async () => {
    const script = "printf ready; read; printf '\\033]2;at work\\007\\007rung'; read";
    await stage.host(["bash", "--norc", "-c", script]);
    const person = stage.person();
    await person.sees("ready");
    const titles: string[] = [];
    let bells = 0;
    person.window.terminal.onTitleChange((title) => titles.push(title));
    person.window.terminal.onBell(() => {
      bells += 1;
    });
    person.type("go\r");
    await person.sees("rung");
    await until(
      () => titles.includes("at work — coder"),
      () => titles.join("\n"),
    );
    expect(bells).toBe(1);
  });

  it("is a program that has its terminal answer its questions, once, however many look", async () => {
    const script = [
      "printf 'ready '; read go; stty raw -echo; printf '\\033[6n\\033[c'; sleep 1",
      "dd bs=64 count=1 2>/dev/null | tr '\\033' '^'; stty sane; read",
    ].join("; ");
    await stage.host(["bash", "--norc", "-c", script]);
    const people = [stage.person(SMALL), stage.person(LARGE)];
    for (const person of people) await person.sees("2 viewers");
    people[0]?.type("go\r");
    for (const person of people) await person.sees(/\^\[2;1R\^\[\?1;2c$/m);
  });

  it("has a title that was set before they came", async () => {
    await stage.host(["bash", "--norc", "-c", "printf '\\033]2;at work\\007ready'; read"]);
    const person = stage.person();
    await person.sees("ready");
    await until(
      () => person.output().includes("\x1b]2;at work — coder\x07"),
      () => person.output(),
    );
  });
});
