/** Live copies of tmux panes, by the built daemon: equal to the pane, cell by cell. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Bellhop } from "../rig/bellhop.ts";
import { paneSeen, ScreenPage, type Seen, textOf, untilEqual } from "../rig/screen-page.ts";
import { SCRIPTED_PROFILE, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { WATCHED_PROFILE, watchedCommand } from "./watched-program.ts";

let tmux: TmuxServer;
let bellhop: Bellhop;
let page: ScreenPage | undefined;

beforeEach(() => {
  tmux = startTmuxServer();
  const servers = `tmux: { servers: ["${tmux.socket}"] }\n`;
  bellhop = new Bellhop({ config: `${servers}${SCRIPTED_PROFILE}${WATCHED_PROFILE}` });
});
afterEach(async () => {
  page?.close();
  await bellhop.dispose();
  await tmux.kill();
});

/** Its session, once Bellhop knows it. */
async function found(pane: string): Promise<string> {
  let id: string | undefined;
  await until(async () => {
    const { sessions } = await bellhop.ask("ls", {});
    id = sessions.find(({ terminal }) => terminal?.kind === "tmux" && terminal.pane === pane)?.id;
    return id !== undefined;
  }, "the program to be found");
  return id ?? "";
}

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
  await bellhop.start();
  const watched = watchedCommand(tmux.folder, command);
  const pane = await tmux.newSession({
    name: "work",
    command: watched,
    cwd: tmux.folder,
    cols: 100,
    rows: 30,
  });
  if (when !== "at once") await tmux.waitForScreen(pane, when);
  const id = await found(pane);
  page = await ScreenPage.of(bellhop);
  await page.look(1, id);
  return {
    pane,
    page,
    own: () => paneSeen(tmux, pane),
    press: (...keys) => tmux.run("send-keys", "-t", pane, ...keys),
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
  const file = join(tmux.folder, "text.txt");
  writeFileSync(file, `${lines.join("\n")}\n`);
  return file;
}

/** Both sizes, in a window that only its owner changes. */
async function atTwoSizes({ page: at, own, pane }: Looked): Promise<void> {
  await tmux.run("resize-window", "-t", pane, "-x", "64", "-y", "20");
  await untilEqual(at, 1, own, ({ cols }) => cols === 64);
  await tmux.run("resize-window", "-t", pane, "-x", "132", "-y", "43");
  await untilEqual(at, 1, own, ({ cols }) => cols === 132);
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
    await atTwoSizes(looked);
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
    await bellhop.start();
    const agent = await startScriptedAgent({ tmux, name: "coder", cols: 100, rows: 30 });
    page = await ScreenPage.of(bellhop);
    await page.look(1, await found(agent.pane));
    const own = () => paneSeen(tmux, agent.pane);
    await untilEqual(page, 1, own);
    await tmux.run("send-keys", "-t", agent.pane, "-l", "hello 日本 world");
    await untilEqual(page, 1, own, (seen) => textOf(seen).includes("world"));
    await atTwoSizes({ page, own, pane: agent.pane, press: async () => "" });
  });
});
