/** Somebody looks and does not read, or not as fast: the program does not wait for them, and they get the newest picture. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { paneSeen, textOf, untilEqual } from "../rig/screen-page.ts";
import { until } from "../rig/scripted-agent.ts";
import { ScreensStage } from "./screens-stage.ts";

let stage: ScreensStage;
beforeEach(async () => {
  stage = await ScreensStage.open();
});
afterEach(() => stage.close());

/** Far more than every buffer on the way holds. */
const MEGABYTES = 20;
const FLOOD = `yes "$(printf '\\033[3%dmwords\\033[0m in colours ' 1 2 3 4 5)" | head -c ${MEGABYTES}000000`;

function flooding(): readonly string[] {
  const script = join(stage.tmux.folder, "flood.sh");
  writeFileSync(script, `read -r go\n${FLOOD}\nprintf '\\033[0m\\nall written\\n'\nread -r go\n`);
  return ["bash", script];
}

describe("a viewer who stops reading", () => {
  it("does not stop a program in tmux, and is right again when they read on", async () => {
    const pane = await stage.runs(flooding());
    const page = await stage.page();
    await page.look(1, await stage.found(pane));
    page.socket.pause();
    await stage.tmux.run("send-keys", "-t", pane, "Enter");
    await stage.tmux.waitForScreen(pane, (screen) => screen.includes("all written"));
    const before = page.told.length;
    page.socket.resume();
    await untilEqual(
      page,
      1,
      () => paneSeen(stage.tmux, pane),
      (seen) => textOf(seen).includes("all written"),
    );
    expect(page.count("screen.snapshot", 1)).toBeGreaterThan(1);
    const characters = page.told
      .slice(before)
      .reduce((sum, { data }) => sum + (typeof data === "string" ? data.length : 0), 0);
    expect(characters).toBeLessThan((MEGABYTES * 1_000_000) / 4);
  });

  it("does not stop a hosted program either", async () => {
    const id = await stage.hosts(flooding());
    const page = await stage.page();
    await page.look(1, id);
    await page.keyboard(1, true);
    page.keys(1, "\r");
    await page.hears("screen.output", 1);
    page.socket.pause();
    const shown = async () => (await stage.bellhop.ask("peek", { who: id })).screen;
    await until(async () => (await shown()).includes("all written"), "the end of the flood");
    page.socket.resume();
    await untilEqual(
      page,
      1,
      () => stage.freshlySeen(id),
      (seen) => textOf(seen).includes("all written"),
    );
    expect(page.count("screen.snapshot", 1)).toBeGreaterThan(1);
  });

  it("gets what others see, while they read on", async () => {
    const pane = await stage.runs(flooding());
    const id = await stage.found(pane);
    const [still, reading] = [await stage.page(), await stage.page()];
    await Promise.all([still.look(1, id), reading.look(1, id)]);
    still.socket.pause();
    await stage.tmux.run("send-keys", "-t", pane, "Enter");
    const own = () => paneSeen(stage.tmux, pane);
    await untilEqual(reading, 1, own, (seen) => textOf(seen).includes("all written"));
    still.socket.resume();
    await untilEqual(still, 1, own);
  });
});

describe("what a hostile program writes", () => {
  const HOSTILE = [
    "\x1b]8;;javascript:alert(1)\x1b\\a link\x1b]8;;\x1b\\",
    "\x1b]52;c;aGFja2Vk\x07",
    "\x1bPtmux;\x1b\x1b]2;passed through\x07\x1b\\",
    '\x1bP$q"p\x1b\\\x1b[c\x1b[6n\x1b]11;?\x07',
    "\x1bk<script>alert(2)</script>\x1b\\",
    "\n%end 1 1 1\n%exit\n%output %0 imitated\n%pause %0\n",
    "\x1b]2;a title of their own\x07all of it\n",
  ].join("");

  it("passes as data: it is copied, and nothing is done with it here", async () => {
    const file = join(stage.tmux.folder, "hostile");
    writeFileSync(file, Buffer.concat([Buffer.from(HOSTILE), Buffer.from([0xff, 0xfe, 0x20, 0xc3, 0x0a])]));
    const pane = await stage.runs(["sh", "-c", `clear; cat '${file}'; exec sleep 1000`]);
    await stage.tmux.waitForScreen(pane, (screen) => screen.includes("all of it"));
    const id = await stage.found(pane);
    const page = await stage.page();
    await page.look(1, id);
    await untilEqual(page, 1, () => paneSeen(stage.tmux, pane));
    // The same again, now as it is written.
    await stage.tmux.run("respawn-pane", "-k", "-t", pane, "true");
    await page.hears("screen.ended", 1);
  });

  it("is told byte for byte as it comes, but for the titles that only tmux knows", async () => {
    const file = join(stage.tmux.folder, "hostile");
    writeFileSync(file, Buffer.concat([Buffer.from(HOSTILE), Buffer.from([0xff, 0xfe, 0x20, 0xc3, 0x0a])]));
    const pane = await stage.runs(["sh", "-c", `read -r go; cat '${file}'; exec sleep 1000`]);
    const page = await stage.page();
    await page.look(1, await stage.found(pane));
    await stage.tmux.run("send-keys", "-t", pane, "Enter");
    await until(async () => (await page.text(1)).includes("all of it"), "all of it");
    expect(await page.text(1)).toContain("\n%output %0 imitated\n");
    expect(await page.text(1)).not.toContain("script");
    const told = page.told.map(({ data }) => data).join("");
    expect(told).toContain("\x1b]52;c;aGFja2Vk\x07");
    expect(told).toContain("\x1b]8;;javascript:alert(1)");
    // tmux has answered the questions; nobody else has, and nothing was typed.
    expect(page.count("screen.ended", 1)).toBe(0);
    expect(await page.ask({ type: "ping" })).toMatchObject({ type: "pong" });
  });
});

it("shows pictures while a pane writes more than can be followed, and follows it again when it writes little", async () => {
  const script = join(stage.tmux.folder, "ticking.sh");
  const ticks = "for i in $(seq 1 600); do echo tick $i; sleep 0.1; done";
  writeFileSync(script, `read -r go\n${FLOOD}\nprintf '\\033[0m\\n'\n${ticks}\n`);
  const pane = await stage.runs(["bash", script]);
  const page = await stage.page();
  await page.look(1, await stage.found(pane));
  await stage.tmux.run("send-keys", "-t", pane, "Enter");
  await page.hears("screen.output", 1, ({ data }) => String(data).includes("tick"));
  expect(page.count("screen.snapshot", 1)).toBeGreaterThan(2);
  expect((await page.history(1)).join("\n")).toContain("words in colours");
  await untilEqual(page, 1, () => paneSeen(stage.tmux, pane));
});
