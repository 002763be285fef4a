/** A page whose daemon is killed, stopped, or out of reach, or that nobody has looked at for long: right again by itself. */
import type { ChildProcess } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { launchChromium, opened } from "./chromium.ts";

declare const document: { dispatchEvent(event: Event): void };
declare const isTheSame: boolean | undefined;

let tmux: TmuxServer;
let bellhop: Bellhop;
let daemon: ChildProcess;
let browser: Browser;
let api: ScriptedAgent;
const answers = () => api.log().flatMap(({ answered }) => answered ?? []);

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({ config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\n` });
  [browser, api, daemon] = await Promise.all([
    launchChromium(),
    startScriptedAgent({ tmux, name: "api" }),
    bellhop.start(),
  ]);
  // A page comes back to the address that it came from.
  const { http } = await bellhop.json<StatusResponse>(["status"]);
  const config = join(bellhop.home, "config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${http.port}`));
});
afterAll(async () => {
  daemon.kill("SIGCONT");
  await browser.close();
  await bellhop.dispose();
  await tmux.kill();
});

/** With a clock that the test can move. */
async function loggedIn() {
  const browsing = await opened(browser);
  await browsing.page.clock.install();
  await browsing.page.goto((await bellhop.json<WebLink>(["open"])).url);
  await browsing.page.getByText("Live", { exact: true }).waitFor();
  await browsing.page.evaluate(() => Object.assign(globalThis, { isTheSame: true }));
  return browsing;
}

const card = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });
const row = (page: Page, name: string) =>
  page.locator(".line", { has: page.locator(`.name:text-is("${name}")`) });

/** As when its tab is left, or the phone is put away. */
async function becomes(page: Page, visibility: "hidden" | "visible"): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperties(document, {
      hidden: { value: state === "hidden", configurable: true },
      visibilityState: { value: state, configurable: true },
    });
    document.dispatchEvent(new Event("visibilitychange"));
  }, visibility);
}

/** Every view that shows what agents say, do or are called, or who is logged in, and something that it shows. */
const VIEWS = [
  ["/", "article"],
  ["/agents/api", ".details"],
  ["/agents/api?see=conversation", ".talk li"],
  ["/agents/api?see=terminal", ".xterm"],
  ["/?see=broker", "[role=treeitem]"],
  ["/?see=settings", ".logins li"],
] as const;

describe("a page that is logged out", () => {
  it("shows nothing any more, seen or not, and everything again when it is logged in again", async () => {
    const { page, context } = await opened(browser);
    await page.goto((await bellhop.json<WebLink>(["open"])).url);
    await page.getByText("Live", { exact: true }).waitFor();
    await bellhop.json(["send", "api", "[[menu touch lost-phone]]"]);
    await card(page, "touch lost-phone").waitFor();
    const tabs = await Promise.all(
      VIEWS.map(async ([address, shown]) => {
        const tab = await context.newPage();
        await tab.goto(new URL(address, page.url()).href);
        await tab.locator(shown).first().waitFor();
        return { tab, shown };
      }),
    );
    const written = () => tabs[2]?.tab.getByRole("textbox", { name: "api" }).first();
    await written()?.fill("half written");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").waitFor();
    await becomes(page, "hidden");
    expect(await page.title()).toMatch(/^\(\d+\)/);

    await bellhop.json(["open", "revoke", "--all"]);
    for (const { tab, shown } of [...tabs, { tab: page, shown: "[role=dialog], dialog" }]) {
      await tab.getByText("You are not logged in").waitFor();
      expect(await tab.title()).toBe("Bellhop");
      expect(await tab.locator(shown).count()).toBe(0);
      expect(await tab.locator("nav, article, .line, .xterm, [data-card]").count()).toBe(0);
      expect(await tab.content()).not.toMatch(/\bapi\b|lost-phone|half written/);
    }

    const { url } = await bellhop.json<WebLink>(["open"]);
    await page.getByLabel("Or paste the link here").fill(url);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await becomes(page, "visible");
    await card(page, "touch lost-phone").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    for (const { tab, shown } of tabs) {
      await tab.getByLabel("Or paste the link here").fill((await bellhop.json<WebLink>(["open"])).url);
      await tab.getByRole("button", { name: "Log in" }).click();
      await tab.locator(shown).first().waitFor();
    }
    expect(tabs.map(({ tab }) => tab.url().replace(new URL(page.url()).origin, ""))).toEqual(
      VIEWS.map(([address]) => address),
    );
    expect(await written()?.inputValue()).toBe("half written");
    await tmux.run("send-keys", "-t", api.pane, "3");
    await card(page, "touch lost-phone").waitFor({ state: "detached" });
    await context.close();
  });
});

describe("the page", () => {
  it("notices a daemon that says nothing more, takes nothing meanwhile, and goes on when it does", async () => {
    const { page, context } = await loggedIn();
    const answered = answers().length;
    await bellhop.json(["send", "api", "[[menu touch asleep]]"]);
    const asked = card(page, "touch asleep");
    const approve = asked.getByRole("button", { name: "Approve" });
    await asked.locator('button[aria-disabled="false"]').first().waitFor();
    // The connection stands, and nothing comes through it, as when a laptop was asleep.
    daemon.kill("SIGSTOP");
    await page.clock.fastForward(31_000);
    await page.getByText("Waiting for Bellhop to answer").waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await page.clock.fastForward(6_000);
    await page.getByText("The connection is lost").waitFor();
    expect(await approve.isDisabled()).toBe(true);
    await asked.focus();
    await page.keyboard.press("a");
    daemon.kill("SIGCONT");
    for (let tries = 0; !(await page.getByText("Live", { exact: true }).isVisible()); tries += 1) {
      expect(tries).toBeLessThan(1_000);
      await page.clock.runFor(500);
    }
    await page.getByText("The connection is lost").waitFor({ state: "hidden" });
    expect(answers()).toHaveLength(answered);
    await page.clock.runFor(1_000);
    await asked.locator('button[aria-disabled="false"]').first().waitFor();
    await approve.click();
    await until(() => answers().length > answered, "the answer in the terminal");
    await asked.waitFor({ state: "detached" });
    expect(await page.evaluate(() => isTheSame)).toBe(true);
    await context.close();
  });

  it("is right again after half an hour in which nobody looked, and the daemon was killed and everything changed", async () => {
    const { page, context } = await loggedIn();
    const answered = answers().length;
    await bellhop.json(["send", "api", "[[menu touch before]]"]);
    const before = card(page, "touch before");
    await before.locator('button[aria-disabled="false"]').first().waitFor();
    await becomes(page, "hidden");
    await bellhop.stop("SIGKILL");
    daemon = await bellhop.start();
    await tmux.run("send-keys", "-t", api.pane, "3");
    await until(() => answers().length > answered, "the answer in the terminal");
    await bellhop.json(["agent", "add", "newcomer"]);
    await bellhop.json(["send", "api", "[[menu touch after]]"]);
    await until(
      async () =>
        (await bellhop.ask("attention", {})).attention.some(({ text }) => text.includes("touch after")),
      "the second permission",
    );
    let dialled = 0;
    page.on("websocket", () => {
      dialled += 1;
    });
    await page.clock.fastForward("30:00");
    // A phone in a pocket stays asleep: nothing was tried, and what is shown is how it was.
    expect(dialled).toBe(0);
    expect(await before.getByRole("button", { name: "Approve" }).isDisabled()).toBe(true);
    await becomes(page, "visible");
    await row(page, "newcomer").waitFor();
    await card(page, "touch after").waitFor();
    await before.waitFor({ state: "detached" });
    await page.getByText("Live", { exact: true }).waitFor();
    expect(await page.evaluate(() => isTheSame)).toBe(true);
    await context.close();
  });

  it("is back within three seconds on the same machine, however often it has tried in vain", async () => {
    const { page, context } = await loggedIn();
    let triedInVain = 0;
    page.on("requestfailed", (request) => {
      if (new URL(request.url()).pathname === "/status") triedInVain += 1;
    });
    await bellhop.stop("SIGKILL");
    await page.getByText("The connection is lost").waitFor();
    // From here on, time passes only when the test says so.
    await page.clock.pauseAt(Date.now() + 60 * 60_000);
    for (let steps = 0; triedInVain < 8; steps += 1) {
      expect(steps).toBeLessThan(1_000);
      await page.clock.runFor(500);
    }
    daemon = await bellhop.start();
    await page.clock.runFor(3_000);
    await page.getByText("Live", { exact: true }).waitFor();
    await context.close();
  });

  it("asks once more when it is seen again, although its connection stands", async () => {
    const { page, context } = await loggedIn();
    await becomes(page, "hidden");
    await page.clock.fastForward("30:00");
    daemon.kill("SIGSTOP");
    await becomes(page, "visible");
    await page.clock.fastForward(200);
    await page.getByText("Waiting for Bellhop to answer").waitFor();
    daemon.kill("SIGCONT");
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByText("Waiting for Bellhop to answer").waitFor({ state: "hidden" });
    await context.close();
  });
});
