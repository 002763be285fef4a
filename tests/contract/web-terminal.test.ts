/** Terminals in the page: a real browser over a real daemon, panes of real tmux, and a real host. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { type HostedAgent, runDetached, startHostedAgent } from "../rig/hosted-agent.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { launchChromium, type Opened, opened } from "./chromium.ts";
import { findings } from "./dashboard-stage.ts";

const PHONE = { viewport: { width: 412, height: 915 }, hasTouch: true, isMobile: true };

let tmux: TmuxServer;
let bellhop: Bellhop;
let browser: Browser;
let pane: ScriptedAgent;
let hosted: HostedAgent;

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\n` });
  [browser, pane] = await Promise.all([
    launchChromium(),
    startScriptedAgent({ tmux, name: "pane", cols: 100, rows: 30 }),
    bellhop.start(),
  ]);
  hosted = await startHostedAgent(bellhop, "hosted");
  const { http } = await bellhop.json<StatusResponse>(["status"]);
  const config = join(bellhop.home, "config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${http.port}`));
});
afterAll(async () => {
  await browser.close();
  await bellhop.dispose();
  await tmux.kill();
});

/** The page with the terminal of one agent, drawn. */
async function looking(name: string, options: Parameters<typeof opened>[1] = {}): Promise<Opened> {
  const browsing = await opened(browser, options);
  const { page } = browsing;
  await page.goto((await bellhop.json<WebLink>(["open"])).url);
  await page.getByText("Live", { exact: true }).waitFor();
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.locator(".line", { has: page.locator(`.name:text-is("${name}")`) }).click();
  expect(asked.filter((path) => path.includes("terminal"))).toEqual([]);
  await page.getByRole("link", { name: "Terminal" }).click();
  await page.locator(".xterm-rows").waitFor();
  return browsing;
}

/** Rows as the browser shows them, without the blanks at their ends. */
const drawn = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".xterm-rows > div")].map((row) =>
      (row.textContent ?? "").replaceAll("\u00a0", " ").trimEnd(),
    ),
  );

const paneRows = async () =>
  (await tmux.capture(pane.pane))
    .split("\n")
    .slice(0, -1)
    .map((row) => row.trimEnd());

async function becomesEqual(page: Page): Promise<void> {
  let seen: string[] = [];
  let real: string[] = [];
  await until(
    async () => {
      [seen, real] = [await drawn(page), await paneRows()];
      return JSON.stringify(seen) === JSON.stringify(real);
    },
    () => `the page to show what tmux has:\n${real.join("\n")}\n--- but it shows:\n${seen.join("\n")}`,
  );
}

const sees = (page: Page, text: string) =>
  until(async () => (await drawn(page)).some((row) => row.includes(text)), `“${text}” in the page`);

afterEach(async () => {
  await Promise.all(browser.contexts().map((context) => context.close()));
});

describe("a terminal in the page", () => {
  it("is the pane's screen, as it changes, with wide characters, at any size, and never resizes it", async () => {
    const { page, context, complaints } = await looking("pane", PHONE);
    await becomesEqual(page);
    await bellhop.json(["send", "pane", "日本語 and ünïcode ✓ 🚀 done"]);
    await sees(page, "日本語");
    await becomesEqual(page);
    expect(await tmux.ask(pane.pane, "#{pane_width}x#{pane_height}")).toBe("100x30");
    await tmux.run("resize-window", "-t", "pane", "-x", "80", "-y", "24");
    await until(async () => (await drawn(page)).length === 24, "the new size");
    await becomesEqual(page);
    expect(await tmux.ask(pane.pane, "#{pane_width}x#{pane_height}")).toBe("80x24");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("takes keys only with the keyboard, which one person has, everybody sees, and messages respect", async () => {
    const [first, second] = [await looking("pane"), await looking("pane")];
    await becomesEqual(first.page);
    await first.page.locator(".glass").click();
    await first.page.keyboard.type("not for the program");
    await first.page.getByRole("button", { name: "Take the keyboard" }).click();
    await first.page.getByText("You have the keyboard").waitFor();
    await second.page.getByText("has the keyboard").waitFor();
    expect(await second.page.getByRole("button", { name: "Take the keyboard" }).isDisabled()).toBe(true);

    await first.page.keyboard.type("typed in the page");
    await sees(first.page, "typed in the page");
    await sees(second.page, "typed in the page");
    expect((await paneRows()).join("\n")).not.toContain("not for the program");

    const { shortId } = await bellhop.json<{ readonly shortId: string }>([
      "send",
      "pane",
      "after the person",
    ]);
    await second.page.getByRole("link", { name: "Facts" }).click();
    await second.page.locator("dd", { hasText: "somebody is attached" }).waitFor();
    await first.page.keyboard.press("Enter");
    await until(() => pane.prompts().includes("typed in the page"), "the prompt");
    expect(pane.prompts().some((prompt) => prompt.includes(shortId))).toBe(false);
    await first.page.keyboard.press("Control+\\");
    await first.page.getByText("You are looking").waitFor();
    await until(() => pane.prompts().some((prompt) => prompt.includes(shortId)), "the message");
    for (const { complaints, context } of [first, second]) {
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it("gives the keyboard back when its page goes", async () => {
    const first = await looking("pane");
    await first.page.getByRole("button", { name: "Take the keyboard" }).click();
    await first.page.getByText("You have the keyboard").waitFor();
    const second = await looking("pane");
    await second.page.getByText("has the keyboard").waitFor();
    await first.context.close();
    await second.page.getByText("You are looking").waitFor();
    await second.page.getByRole("button", { name: "Take the keyboard" }).click();
    await second.page.getByText("You have the keyboard").waitFor();
    await second.context.close();
  });

  it("has keys for phones, and a line for composed words", async () => {
    const { page, context } = await looking("pane", PHONE);
    await page.getByRole("button", { name: "Take the keyboard" }).click();
    await page.getByRole("toolbar", { name: "Keys" }).waitFor();
    await page.getByLabel("Text for the terminal").fill("from the phone ü");
    await page.getByRole("button", { name: "Type", exact: true }).click();
    await sees(page, "from the phone ü");
    await page.getByRole("button", { name: "Enter", exact: true }).click();
    await until(() => pane.prompts().includes("from the phone ü"), "the prompt");
    await context.close();
  });

  it("pastes several lines as one text, and refuses them if the program would take each for itself", async () => {
    const paste = (page: Page, text: string) =>
      page.evaluate((pasted) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", pasted);
        const event = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
        document.querySelector(".xterm-helper-textarea")?.dispatchEvent(event);
      }, text);
    const { page } = await looking("pane");
    await page.getByRole("button", { name: "Take the keyboard" }).click();
    await page.getByText("You have the keyboard").waitFor();
    await paste(page, "rm one\nrm two");
    await sees(page, "rm two");
    expect(pane.prompts().some((prompt) => prompt.includes("rm one"))).toBe(false);
    await page.keyboard.press("Enter");
    await until(() => pane.prompts().includes("rm one\nrm two"), "the prompt");

    await runDetached(bellhop, "plain", ["cat"]);
    const { page: other } = await looking("plain");
    await other.getByRole("button", { name: "Take the keyboard" }).click();
    await other.getByText("You have the keyboard").waitFor();
    await paste(other, "rm one\nrm two");
    await other.getByText("Nothing was pasted").waitFor();
    await paste(other, "one line");
    await sees(other, "one line");
    expect((await drawn(other)).join("\n")).not.toContain("rm");
  });

  it.each([
    [1280, 800],
    [1280, 560],
  ])("shows the row of the cursor, %d by %d", async (width, height) => {
    const { page, context } = await looking("hosted", { viewport: { width, height } });
    await until(async () => (await drawn(page)).some((row) => row.startsWith(">")), "its composer");
    const isSeen = () =>
      page.evaluate(() => {
        const rows = [...document.querySelectorAll(".xterm-rows > div")];
        const composer = rows.findLast((row) => row.textContent?.startsWith(">") === true);
        const [place, glass] = [composer, document.querySelector(".glass")].map((one) =>
          one?.getBoundingClientRect(),
        );
        if (place === undefined || glass === undefined) return false;
        return place.top >= glass.top && place.bottom <= glass.bottom && place.bottom <= innerHeight;
      });
    await until(isSeen, "the composer in view");
    await context.close();
  });

  it("is the screen of a hosted session, too, with its keyboard", async () => {
    const { page, context, complaints } = await looking("hosted");
    await sees(page, "hosted is ready.");
    await bellhop.json(["send", "hosted", "hello host"]);
    await sees(page, "hello host");
    await page.getByRole("button", { name: "Take the keyboard" }).click();
    await page.getByText("You have the keyboard").waitFor();
    await page.keyboard.type("typed into the host");
    await page.keyboard.press("Enter");
    await until(() => hosted.prompts().includes("typed into the host"), "the prompt");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is right again after a restart of the daemon, without the keyboard", async () => {
    const { page, context } = await looking("pane");
    await page.getByRole("button", { name: "Take the keyboard" }).click();
    await page.getByText("You have the keyboard").waitFor();
    await bellhop.stop();
    await page.getByText("Offline", { exact: true }).waitFor();
    await tmux.run("send-keys", "-t", pane.pane, "-l", "meanwhile");
    await bellhop.start();
    await page.getByText("Live", { exact: true }).waitFor();
    await sees(page, "meanwhile");
    await page.getByText("You are looking").waitFor();
    await tmux.run("send-keys", "-t", pane.pane, "C-u");
    await becomesEqual(page);
    await context.close();
  });

  it("shows what a hostile program writes, and does nothing of it", async () => {
    const { page, context, complaints } = await looking("pane");
    const opened: string[] = [];
    context.on("page", (other) => opened.push(other.url()));
    page.on("dialog", (dialog) => {
      opened.push(dialog.message());
      void dialog.dismiss();
    });
    // Its keys are what the page says on its connection: whatever the copy answered would be among them.
    const typed: string[] = [];
    page.on("websocket", (socket) =>
      socket.on("framesent", ({ payload }) => {
        const { type, keys } = JSON.parse(String(payload)) as {
          readonly type: string;
          readonly keys?: string;
        };
        if (type === "screen.keys") typed.push(keys ?? "");
      }),
    );
    await page.reload();
    await page.getByText("You are looking").waitFor();
    await becomesEqual(page);
    const tty = await tmux.ask(pane.pane, "#{pane_tty}");
    const links = [
      "\x1b]8;;javascript:alert(1)\x07EVIL-LINK\x1b]8;;\x07",
      "\x1b]52;c;ZXZpbA==\x07",
      "\x1b]0;<img src=x onerror=alert(1)>\x07",
      "<script>alert(1)</script>",
    ].join("");
    writeFileSync(tty, links);
    await sees(page, "EVIL-LINK");
    const { x = 0, y = 0 } = (await page.getByText("EVIL-LINK").first().boundingBox()) ?? {};
    await page.mouse.click(x + 5, y + 5);
    await page.getByRole("button", { name: "Take the keyboard" }).click();
    await page.getByText("You have the keyboard").waitFor();
    writeFileSync(tty, "\x1b[c\x1b[>c\x1b[6n\x1b[?1$p\x1bP$qm\x1b\\\x1b]11;?\x07\x1b[>q\x1b[18t");
    writeFileSync(tty, links);
    await page.keyboard.type("still mine");
    await sees(page, "still mine");
    expect(typed.join("")).toBe("still mine");
    expect(opened).toEqual([]);
    expect(complaints).toEqual([]);
    await tmux.run("send-keys", "-t", pane.pane, "C-u");
  });

  it("can be read as text, and hinders nobody", async () => {
    for (const options of [{}, PHONE]) {
      const { page, context } = await looking("pane", options);
      await becomesEqual(page);
      await page.getByRole("button", { name: "As text" }).click();
      await page
        .getByRole("region", { name: /Text of/ })
        .getByText("pane is ready.")
        .waitFor();
      await page.getByRole("button", { name: "As text" }).click();
      expect(await findings(page)).toEqual([]);
      await context.close();
    }
  });
});
