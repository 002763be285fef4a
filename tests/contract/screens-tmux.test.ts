/** Live copies of tmux panes, by the built daemon: equal to the pane, cell by cell. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paneSeen, type ScreenPage, type Seen, textOf, untilEqual } from "../rig/screen-page.ts";
import { startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { ScreensStage } from "./screens-stage.ts";

let stage: ScreensStage;
beforeEach(async () => {
  stage = await ScreensStage.open();
});
afterEach(() => stage.close());

interface Looked {
  readonly pane: string;
  readonly page: ScreenPage;
  readonly own: () => Promise<Seen>;
  press(...keys: string[]): Promise<string>;
}

async function lookAt(
  command: readonly string[],
  when: "at once" | ((screen: string) => boolean),
): Promise<Looked> {
  const pane = await stage.runs(command);
  if (when !== "at once") await stage.tmux.waitForScreen(pane, when);
  return lookInto(pane);
}

async function lookInto(pane: string): Promise<Looked> {
  const page = await stage.page();
  await page.look(1, await stage.found(pane));
  return {
    pane,
    page,
    own: () => paneSeen(stage.tmux, pane),
    press: (...keys) => stage.tmux.run("send-keys", "-t", pane, ...keys),
  };
}

const LINES = [
  "plain text",
  "wide: 日本語テキスト 🚀 é ü ñ ♥",
  ...Array.from({ length: 300 }, (_, index) => `line ${index} ${"x".repeat(index % 120)}`),
];
const COLOURS = [
  "\x1b[1;31mbold red\x1b[0m and \x1b[48;5;22mgreen ground   \x1b[0m",
  "\x1b[38;2;10;200;120mtrue colour\x1b[0m \x1b[3;4:3mcurly\x1b[0m \x1b[7minverse\x1b[0m \x1b[2mdim\x1b[0m",
  "\x1b(0lqqqqk\x1b(B drawn with lines",
];

function fileOf(lines: readonly string[]): string {
  const file = join(stage.tmux.folder, "text.txt");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Both sizes, in a window that only its owner changes. */
/** `isDrawn`: the program has drawn itself at this size. One that is told of it just then may lose the next key. */
async function atTwoSizes(
  { page: at, own, pane }: Looked,
  isDrawn: (seen: Seen) => boolean = () => true,
): Promise<void> {
  await stage.tmux.run("resize-window", "-t", pane, "-x", "64", "-y", "20");
  await untilEqual(at, 1, own, (seen) => seen.cols === 64 && isDrawn(seen));
  await stage.tmux.run("resize-window", "-t", pane, "-x", "132", "-y", "43");
  await untilEqual(at, 1, own, (seen) => seen.cols === 132 && isDrawn(seen));
}

const FIRST = ["opened before it has drawn", "opened while it runs"] as const;

describe.each(FIRST)("a copy of a tmux pane, %s", (first) => {
  const until1 = (text: string) =>
    first === FIRST[0] ? ("at once" as const) : (screen: string) => screen.includes(text);

  it("equals vim: it scrolls, splits its windows, writes, shows help", async () => {
    const command = ["vim", "-u", "NONE", "-c", "set number ruler nomore", fileOf(LINES)];
    const looked = await lookAt(command, until1("plain text"));
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("plain text"));
    for (const keys of [["C-f"], ["C-w", "v"], ["C-w", "s"], ["G"], ["i", "new 日本", "Escape"]]) {
      await looked.press(...keys);
      await untilEqual(looked.page, 1, looked.own);
    }
    await looked.press(":%s/line/row/g", "Enter");
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("row 299"));
    await atTwoSizes(looked);
    await looked.press("C-b");
    await untilEqual(looked.page, 1, looked.own);
  });

  it("equals htop", async () => {
    const looked = await lookAt(["htop", "-d", "100"], until1("CPU"));
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("CPU"));
    await looked.press("F2");
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("Setup"));
    await atTwoSizes(looked);
  });

  it("equals less, and what it was started over when it ends", async () => {
    const looked = await lookAt(["bash", "--norc", "-i"], until1("bash-"));
    await looked.press(`less ${fileOf(LINES)}`, "Enter");
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("plain text"));
    for (const keys of ["Space", "/line 77", "Enter", "G"]) await looked.press(keys);
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("(END)"));
    // It asks for the next command in the last row.
    await atTwoSizes(looked, (seen) => textOf(seen).split("\n").at(-1) !== "");
    await looked.press("q");
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("less"));
  });

  it("equals bash, with every kind of colour, wide characters and what scrolled off", async () => {
    const looked = await lookAt(["bash", "--norc", "-i"], until1("bash-"));
    await looked.press(`clear; cat ${fileOf([...LINES, ...COLOURS])}`, "Enter");
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("┌────┐ drawn with lines"));
    await looked.press("printf '\\033ktitle\\033\\\\shown\\033]2;another\\007\\n'", "Enter");
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("\nshown"));
    expect(await looked.page.history(1)).toContain("plain text");
    await atTwoSizes(looked);
    // The cursor waits behind the last column.
    await looked.press("C-u", "x".repeat(132 - 10));
    await untilEqual(looked.page, 1, looked.own);
  });

  it("equals the scripted agent", async () => {
    const agent = await startScriptedAgent({ tmux: stage.tmux, name: "coder", cols: 100, rows: 30 });
    const looked = await lookInto(agent.pane);
    await untilEqual(looked.page, 1, looked.own);
    await looked.press("-l", "hello 日本 world");
    await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("world"));
    await atTwoSizes(looked);
  });
});

it("follows a window that is moved to another session, where its own goes on", async () => {
  const looked = await lookAt(["bash", "--norc", "-i"], (screen) => screen.includes("bash-"));
  await stage.tmux.run("new-window", "-d", "-t", "work:", "sleep", "1000");
  await stage.tmux.run("new-session", "-d", "-s", "other", "sleep", "1000");
  await stage.tmux.run("move-window", "-s", looked.pane, "-t", "other:7");
  await looked.press("echo moved-$((40+2))", "Enter");
  await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("moved-42"));
});

it("follows a pane into another session, and ends with it", async () => {
  const looked = await lookAt(["bash", "--norc", "-i"], (screen) => screen.includes("bash-"));
  await stage.tmux.run("new-session", "-d", "-s", "other", "-x", "100", "-y", "30");
  await stage.tmux.run("move-window", "-s", "work:", "-t", "other:7");
  await looked.press("echo moved", "Enter");
  await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("\nmoved"));
  await looked.press("echo again", "Enter");
  await untilEqual(looked.page, 1, looked.own, (seen) => textOf(seen).includes("\nagain"));
  await stage.tmux.run("kill-pane", "-t", looked.pane);
  expect(await looked.page.hears("screen.ended", 1)).toMatchObject({ why: expect.any(String) });
});

it("has one client for any number of viewers, and none when nobody looks", async () => {
  const pane = await stage.runs(["bash", "--norc", "-i"]);
  const id = await stage.found(pane);
  const clients = async () =>
    (await stage.tmux.run("list-clients", "-F", "#{client_flags}"))
      .split("\n")
      .filter((flags) => flags.includes("pause-after")).length;
  expect(await clients()).toBe(0);
  const [one, other] = [await stage.page(), await stage.page()];
  await Promise.all([one.look(1, id), one.look(2, id), other.look(1, id)]);
  expect(await clients()).toBe(1);
  await one.hears("screen.state", 1, ({ viewers }) => viewers === 3);
  other.close();
  await one.hears("screen.state", 1, ({ viewers }) => viewers === 2);
  expect(await one.ask({ type: "screen.close", screen: 2 })).toMatchObject({ type: "screen.close.ok" });
  expect(await clients()).toBe(1);
  expect(await one.ask({ type: "screen.close", screen: 1 })).toMatchObject({ type: "screen.close.ok" });
  await until(async () => (await clients()) === 0, "the client to leave");
});
