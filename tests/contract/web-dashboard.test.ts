/** The dashboard in a real browser, over a real daemon and scripted agents in real tmux. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import {
  readScriptedLog,
  SCRIPTED_PROFILE,
  type ScriptedAgent,
  scriptedCommand,
  startScriptedAgent,
  until,
} from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { launchChromium, type Opened, opened } from "./chromium.ts";
import { findings } from "./dashboard-stage.ts";

const PHONE = { viewport: { width: 412, height: 915 }, hasTouch: true, isMobile: true };
/** Also of its folder, by which agents are grouped. */
const LONG_NAME = "a-name-as-long-as-the-folder-of-a-branch-often-has-0123456";
/** Over the wire, for all that the first view needs. */
const MOST_BYTES = 150_000;

/** What a page has, as far as these tests use it. */
declare const document: {
  readonly activeElement: unknown;
  readonly documentElement: { readonly scrollWidth: number };
};

let tmux: TmuxServer;
let bellhop: Bellhop;
let browser: Browser;
let api: ScriptedAgent;
const answers = () => api.log().flatMap(({ answered }) => answered ?? []);

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\n` });
  [browser, api] = await Promise.all([
    launchChromium(),
    startScriptedAgent({ tmux, name: "api" }),
    bellhop.start(),
  ]);
  await bellhop.json(["agent", "add", "post"]);
  // A page comes back to the address that it came from.
  const { http } = await bellhop.json<StatusResponse>(["status"]);
  const config = join(bellhop.home, "config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${http.port}`));
});
afterAll(async () => {
  await browser.close();
  await bellhop.dispose();
  await tmux.kill();
});

async function loggedIn(options: Parameters<typeof opened>[1] = {}): Promise<Opened> {
  const browsing = await opened(browser, options);
  await browsing.page.goto((await bellhop.json<WebLink>(["open"])).url);
  await browsing.page.getByText("Live", { exact: true }).waitFor();
  return browsing;
}

const row = (page: Page, name: string) =>
  page.locator(".line", { has: page.locator(`.name:text-is("${name}")`) });
const card = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });

/** It takes answers now. */
const settled = (one: Locator) => one.locator('button[aria-disabled="false"]').first().waitFor();

describe("the dashboard in Chromium", () => {
  it("shows who is there as they come, and lets them be filtered and grouped", async () => {
    const { page, context, complaints } = await loggedIn();
    await row(page, "api").waitFor();
    await row(page, "post").waitFor();
    await startScriptedAgent({ tmux, name: "web" });
    await row(page, "web").getByText("Idle").waitFor();

    await page.keyboard.press("/");
    await page.keyboard.type("post");
    await page.getByText("1 of 3 agents").waitFor();
    await row(page, "api").waitFor({ state: "detached" });
    expect(await page.locator(".line").count()).toBe(1);
    await page.getByLabel("Filter agents").fill("");
    await page.getByLabel("Group by").selectOption("state");
    await page.getByRole("heading", { name: "Not running 1" }).waitFor();
    await page.reload();
    await page.getByRole("heading", { name: "Not running 1" }).waitFor();

    await page.keyboard.press("Control+k");
    await page.keyboard.type("pause post");
    await page.keyboard.press("Enter");
    await page.getByText("Paused: nothing but interrupts gets through.").waitFor();
    await row(page, "post").getByText("Paused").waitFor();
    await page.getByRole("button", { name: "Unpause" }).click();
    await row(page, "post").getByText("Paused").waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("answers a permission from its card, by a press or by a key, and it goes from every page", async () => {
    const [first, second] = [await loggedIn(), await loggedIn()];
    await bellhop.json(["send", "api", "[[menu touch a]]"]);
    const shown = card(first.page, "touch a");
    await shown.getByRole("button", { name: "Approve" }).waitFor();
    await card(second.page, "touch a").getByRole("button", { name: "Deny" }).waitFor();
    expect(answers()).toEqual([]);
    await settled(shown);
    await shown.getByRole("button", { name: "Approve" }).click();
    await until(() => answers().length > 0, "the answer in the terminal");
    expect(answers()).toEqual(["1"]);
    await shown.waitFor({ state: "detached" });
    await card(second.page, "touch a").waitFor({ state: "detached" });

    await bellhop.json(["send", "api", "[[menu touch b]]"]);
    const next = card(first.page, "touch b");
    await settled(next);
    await first.page.keyboard.press("j");
    await first.page.keyboard.press("d");
    await until(() => answers().length > 1, "the second answer in the terminal");
    expect(answers()).toEqual(["1", "3"]);
    for (const { complaints, context } of [first, second]) {
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it("says so if somebody was faster, and nothing is pressed", async () => {
    const { page, context } = await loggedIn();
    const before = answers().length;
    await bellhop.json(["send", "api", "[[menu touch c]]"]);
    const asked = card(page, "touch c");
    await settled(asked);
    await page.route("**/answer", async (route) => {
      await tmux.run("send-keys", "-t", api.pane, "3");
      await until(() => answers().length > before, "the answer in the terminal");
      await route.continue();
    });
    await asked.getByRole("button", { name: "Approve" }).click();
    await asked.getByText("answered").waitFor();
    await asked.waitFor({ state: "detached" });
    expect(answers().slice(before)).toEqual(["3"]);
    await context.close();
  });

  it("sends what is written to an agent", async () => {
    const { page, context } = await loggedIn();
    await row(page, "api").click();
    await page.getByLabel("Message to api").fill("hello from the page");
    await page.getByRole("button", { name: "Send" }).click();
    await until(() => api.prompts().some((prompt) => prompt.includes("hello from the page")), "the message");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.getByRole("complementary").waitFor({ state: "detached" });
    await context.close();
  });

  it("shows a refusal where it was asked for, with what to do next", async () => {
    const { page, context } = await loggedIn();
    await row(page, "api").click();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("New name").fill("a/b");
    await page.keyboard.press("Enter");
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("a/b");
    await page.getByLabel("New name").waitFor({ state: "detached" });
    await context.close();
  });

  it("starts an agent, shows its terminal, and ends it", async () => {
    const { page, context, complaints } = await loggedIn();
    await page.getByRole("link", { name: "Start an agent" }).click();
    const button = page.getByRole("button", { name: "Start", exact: true });
    const log = join(tmux.folder, "started.jsonl");
    await page.getByLabel("Folder").fill("/nowhere/at all");
    await page.getByLabel("Program").fill(
      scriptedCommand("started", log)
        .map((word) => `'${word}'`)
        .join(" "),
    );
    await page.getByLabel("Name").fill("started");
    await page.getByText("Still missing: a first message.").waitFor();
    await button.click({ force: true });
    await page.getByLabel("First message").fill("hello from the form");
    await page.getByText("Still missing").waitFor({ state: "detached" });
    expect(await findings(page)).toEqual([]);
    await button.click();
    await page.getByRole("alert").waitFor();
    expect(await page.getByRole("alert").innerText()).toContain("/nowhere/at all");
    expect(await page.getByLabel("First message").inputValue()).toBe("hello from the form");

    expect(await button.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.getByLabel("Folder").fill(tmux.folder);
    await page.getByRole("alert").waitFor({ state: "detached" });
    await button.click();
    await page.locator(".xterm").waitFor();
    expect(new URL(page.url()).pathname).toBe("/agents/started");
    const arrived = () =>
      readScriptedLog(log).some(({ prompt }) => prompt?.includes("hello from the form") === true);
    await until(arrived, "the first message");
    await page.getByRole("link", { name: "Facts" }).click();
    await page.getByRole("button", { name: "Stop", exact: true }).click();
    await page.locator(".question").getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    await row(page, "started").getByText("Ended").waitFor();
    expect(complaints).toEqual([expect.stringContaining("400")]);
    await context.close();
  });

  it("is right again after a restart of the daemon, without being loaded again", async () => {
    const { page, context } = await loggedIn();
    await page.evaluate(() => Object.assign(globalThis, { isTheSame: true }));
    await row(page, "api").click();
    const writing = page.getByLabel("Message to api");
    await writing.fill("half a sentence");
    await bellhop.stop();
    await page.getByText("The connection is lost").waitFor();
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
    await bellhop.start();
    await bellhop.json(["agent", "add", "late"]);
    await row(page, "late").waitFor();
    await page.getByText("The connection is lost").waitFor({ state: "hidden" });
    expect(await writing.inputValue()).toBe("half a sentence");
    expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(false);
    expect(await page.evaluate(() => "isTheSame" in globalThis)).toBe(true);
    await context.close();
  });

  it.each(["light", "dark"] as const)(
    "has nothing that hinders anybody, on a phone and in %s",
    async (colorScheme) => {
      await bellhop.json(["send", "api", `[[menu touch ${colorScheme}]]`]);
      if (colorScheme === "light") await startScriptedAgent({ tmux, name: LONG_NAME });
      const { page, context, complaints } = await loggedIn({ ...PHONE, colorScheme });
      await row(page, LONG_NAME).waitFor();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
      const asked = card(page, `touch ${colorScheme}`);
      await settled(asked);
      expect(await findings(page)).toEqual([]);
      await row(page, "api").click();
      await page.getByRole("complementary").waitFor();
      expect(await findings(page)).toEqual([]);
      await page.goBack();
      await settled(asked);
      await asked.getByRole("button", { name: "Deny" }).tap();
      await asked.waitFor({ state: "detached" });
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it("is small", async () => {
    const { context, page } = await opened(browser);
    let bytes = 0;
    page.on("requestfinished", (request) => {
      void request.sizes().then(({ responseBodySize, responseHeadersSize }) => {
        bytes += responseBodySize + responseHeadersSize;
      });
    });
    await page.goto((await bellhop.json<WebLink>(["open"])).url, { waitUntil: "networkidle" });
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
    await context.close();
  });
});
