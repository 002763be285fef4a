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

describe("the page", () => {
  it("notices a daemon that says nothing more, takes nothing meanwhile, and goes on when it does", async () => {
    const { page, context } = await loggedIn();
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
    expect(answers()).toEqual([]);
    await page.clock.runFor(1_000);
    await asked.locator('button[aria-disabled="false"]').first().waitFor();
    await approve.click();
    await until(() => answers().length > 0, "the answer in the terminal");
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
