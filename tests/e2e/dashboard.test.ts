/** The dashboard in a real browser, over the real Claude Code and Codex. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { launchChromium, opened } from "../contract/chromium.ts";
import type { Bellhop } from "../rig/bellhop.ts";
import { showsClaudePermissionDialog } from "../rig/claude.ts";
import { assertInNamespace } from "../rig/namespace.ts";
import type { RunningAgent } from "../rig/running-agent.ts";
import { until } from "../rig/scripted-agent.ts";
import { PATIENCE_MS, Stage } from "./claude-stage.ts";
import { CodexDesk } from "./codex-desk.ts";

let browser: Browser;

beforeAll(assertInNamespace);
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser?.close());

async function loggedIn(bellhop: Bellhop): Promise<Page> {
  const { page } = await opened(browser);
  await page.goto((await bellhop.json<WebLink>(["open"])).url);
  await page.getByText("Live", { exact: true }).waitFor();
  return page;
}

const card = (page: Page, text: string) => page.getByRole("article").filter({ hasText: text });

/** The rows that the page's copy of a terminal has drawn. */
const drawn = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll(".xterm-rows > div")].map((row) =>
      (row.textContent ?? "").replaceAll("\u00a0", " ").trimEnd(),
    ),
  );

describe("Claude Code in the dashboard", () => {
  let stage: Stage;
  let coder: RunningAgent;
  let page: Page;

  beforeAll(async () => {
    stage = await Stage.set();
    coder = await stage.enter("coder");
    page = await loggedIn(stage.bellhop);
  });
  afterAll(() => stage?.strike());

  const made = (name: string) => existsSync(join(coder.repo, name));
  const closes = () =>
    coder.terminal.waitForScreen((screen) => !showsClaudePermissionDialog(screen), {
      timeoutMs: PATIENCE_MS,
    });

  /** Claude asks whether it may run this; resolves when its card takes answers. */
  async function asksFor(command: string, on = page) {
    await stage.untilIdle("coder");
    await stage.reaches(await stage.send("coder", `[[bash ${command}]]`), "delivered");
    const asked = card(on, command);
    await asked.getByRole("button", { name: "Approve", disabled: false }).waitFor();
    return asked;
  }

  it("asks for a permission on a card, with the whole command; approved there, the command runs", async () => {
    const asked = await asksFor("touch approved && echo a-long-command-that-is-shown-as-a-whole");
    await asked.getByText("touch approved && echo a-long-command-that-is-shown-as-a-whole").waitFor();
    await asked.locator('button[aria-disabled="false"]').first().waitFor();
    await asked.getByRole("button", { name: "Approve" }).click();
    await until(() => made("approved"), "the file", PATIENCE_MS);
    await asked.waitFor({ state: "detached" });
  });

  it("does not run what is denied on its card", async () => {
    const asked = await asksFor("touch denied");
    await asked.locator('button[aria-disabled="false"]').first().waitFor();
    await asked.getByRole("button", { name: "Deny" }).click();
    await closes();
    await asked.waitFor({ state: "detached" });
    await stage.untilIdle("coder");
    expect(made("denied")).toBe(false);
  });

  it("presses nothing if the dialog was replaced by another under the finger", async () => {
    const asked = await asksFor("touch first");
    await asked.locator('button[aria-disabled="false"]').first().waitFor();
    await page.route("**/answer", async (route) => {
      await stage.tmux.run("send-keys", "-t", coder.pane, "Escape");
      await closes();
      await asksFor("touch second");
      await route.continue();
    });
    await asked.getByRole("button", { name: "Approve" }).click();
    await asked.waitFor({ state: "detached" });
    await page.unroute("**/answer");
    expect(showsClaudePermissionDialog(await coder.terminal.screen())).toBe(true);
    expect([made("first"), made("second")]).toEqual([false, false]);
    const second = card(page, "touch second");
    await second.locator('button[aria-disabled="false"]').first().waitFor();
    await second.getByRole("button", { name: "Deny" }).click();
    await closes();
  });

  it("counts one answer of two people", async () => {
    const other = await loggedIn(stage.bellhop);
    const mine = await asksFor("touch once; echo ran >>times");
    const theirs = card(other, "touch once");
    for (const one of [mine, theirs]) await one.locator('button[aria-disabled="false"]').first().waitFor();
    const answered = [page, other].map((on) => on.waitForResponse("**/answer"));
    await Promise.all([
      mine.getByRole("button", { name: "Approve" }).click(),
      theirs.getByRole("button", { name: "Deny" }).click(),
    ]);
    const statuses = (await Promise.all(answered)).map((response) => response.status());
    expect(statuses.filter((status) => status < 300)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(1);
    await closes();
    for (const one of [mine, theirs]) await one.waitFor({ state: "detached" });
    await stage.untilIdle("coder");
    expect(made("once")).toBe((statuses[0] ?? 0) < 300);
    await other.context().close();
  });

  it("is seen in its terminal as it is, and gets what is typed there", async () => {
    await page.goto(new URL("/agents/coder?see=terminal", page.url()).href);
    const rows = async () =>
      (await stage.tmux.capture(coder.pane))
        .split("\n")
        .slice(0, -1)
        .map((row) => row.replaceAll("\u00a0", " ").trimEnd());
    let seen: readonly string[] = [];
    const equal = async () => {
      seen = await drawn(page);
      return JSON.stringify(seen) === JSON.stringify(await rows());
    };
    await until(equal, () => `the same screen, not:\n${seen.join("\n")}`, PATIENCE_MS);
    await page.getByRole("button", { name: "Take the keyboard" }).click();
    await page.getByText("You have the keyboard").waitFor();
    await page.keyboard.type("[[say FROM THE PAGE]]");
    await page.keyboard.press("Enter");
    await until(
      async () => (await drawn(page)).join("\n").includes("FROM THE PAGE"),
      "the answer",
      PATIENCE_MS,
    );
    await stage.model.waitForPrompt("[[say FROM THE PAGE]]", { timeoutMs: PATIENCE_MS });
    await page.getByRole("button", { name: "Give the keyboard back" }).click();
    await page.getByText("You are looking").waitFor();
    await stage.untilIdle("coder");
    await until(equal, () => `the same screen, not:\n${seen.join("\n")}`, PATIENCE_MS);
  });
});

describe("Codex in the dashboard", () => {
  let desk: CodexDesk;
  let window: RunningAgent;

  beforeAll(async () => {
    desk = await CodexDesk.open();
    window = await desk.seat("codex");
  });
  afterAll(() => desk?.close());

  it("gets a message from its page, and is seen answering in its conversation and terminal", async () => {
    const page = await loggedIn(desk.bellhop);
    await page.goto(new URL("/agents/codex?see=conversation", page.url()).href);
    await page.getByLabel("Message to codex").fill("[[say PLUM]] Which fruit?");
    await page.keyboard.press("Control+Enter");
    await desk.model.waitForRequest(({ userText }) => userText.includes("Which fruit?"), {
      timeoutMs: PATIENCE_MS,
    });
    await page
      .getByText(/delivered/u)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "Terminal" }).click();
    await until(async () => (await drawn(page)).join("\n").includes("PLUM"), "the answer", PATIENCE_MS);
    expect((await window.terminal.screen()).includes("PLUM")).toBe(true);
  });
});
