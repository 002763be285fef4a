/** The pages of the broker, of turns and of bridges in a real browser, over a real daemon. */
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { telegram, writeSecrets } from "./bridges/channels.ts";
import { launchChromium, type Opened, opened } from "./chromium.ts";
import { findings } from "./dashboard-stage.ts";
import { TurnsStage } from "./turns-stage.ts";

const PHONE = { viewport: { width: 412, height: 915 }, hasTouch: true, isMobile: true };
const HOSTILE = 'x/<img src=x onerror="globalThis.isBroken=1">/"\'&amp;';

declare const document: {
  readonly activeElement: { readonly textContent: string } | null;
  readonly documentElement: { readonly scrollWidth: number; readonly clientWidth: number };
};

const claims = { user: userInfo().username };
let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

type PageName = "broker" | "turns" | "bridges";

async function see(bellhop: Bellhop, page: PageName, options: Parameters<typeof opened>[1] = {}) {
  const browsing = await opened(browser, options);
  await browsing.page.goto((await bellhop.json<WebLink>(["open"])).url);
  await browsing.page.getByText("Live", { exact: true }).waitFor();
  await browsing.page.locator(`nav a[href="/?see=${page}"]`).click();
  await browsing.page.locator("#page-title").waitFor();
  return browsing;
}

async function closed({ context, complaints }: Opened): Promise<void> {
  expect(complaints).toEqual([]);
  await context.close();
}

const panel = (page: Page, title: string) => page.getByRole("region", { name: title });
const item = (page: Page, text: string | RegExp) => page.getByRole("treeitem").filter({ hasText: text });

/** The numbers of the picture, as its table says them. */
async function talks(page: Page): Promise<Readonly<Record<string, number>>> {
  const rows = await panel(page, "Who writes to whom").locator("tbody tr").all();
  const cells = await Promise.all(rows.map((row) => row.locator("td").allInnerTexts()));
  return Object.fromEntries(cells.map(([from, to, messages]) => [`${from} → ${to}`, Number(messages)]));
}

async function settled<T>(found: () => Promise<T>, wanted: T): Promise<void> {
  await expect.poll(found, { timeout: 240_000 }).toEqual(wanted);
}

describe("the page of the broker", () => {
  let bellhop: Bellhop;
  beforeAll(async () => {
    bellhop = new Bellhop({ config: "tmux: { servers: [] }\n" });
    bellhop.env.TMUX_TMPDIR = bellhop.home;
    await bellhop.start();
    for (const name of ["api", "web", "docs"]) await bellhop.json(["agent", "add", name]);
    // A page comes back to the address that it came from.
    const { http } = await bellhop.json<StatusResponse>(["status"]);
    const config = join(bellhop.home, "config.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${http.port}`));
  });
  afterAll(() => bellhop.dispose());

  const send = (from: string, path: string, body = "hello") =>
    bellhop.ask("route", { path, body, from, claims });

  it("teaches how to subscribe, and shows who is subscribed as it happens, with what was said there", async () => {
    const browsing = await see(bellhop, "broker");
    const { page } = browsing;
    await page.getByText("bellhop sub add NAME").waitFor();
    await item(page, /^api\s*its own address$/).waitFor();

    await bellhop.json(["sub", "add", "web", "slack/team/*"]);
    await item(page, "subscribed").filter({ hasText: "web" }).waitFor();
    await page.getByText("bellhop sub add NAME").waitFor({ state: "detached" });
    await bellhop.json(["sub", "add", "docs", "slack/**", "--session", "night"]);
    await item(page, "docs, session night").waitFor();

    await send("api", "slack/team/#general");
    await send("api", "slack/other/#general");
    await item(page, /^▾\s*\*\*\s*2 messages$/).waitFor();
    await item(page, /^▾\s*\*\s*1 message$/).waitFor();

    const { http, tokenFile } = await bellhop.json<StatusResponse>(["status"]);
    const authorization = `Bearer ${readFileSync(tokenFile, "utf8").trim()}`;
    const listener = new WebSocket(`ws://${http.host}:${http.port}/ws`, { headers: { authorization } });
    await once(listener, "open");
    listener.send(JSON.stringify({ type: "msg.listen", agentId: "api" }));
    await item(page, "1 program listens now").waitFor();
    listener.close();
    await item(page, "1 program listens now").waitFor({ state: "detached" });

    await bellhop.json(["sub", "remove", "web", "slack/team/*"]);
    await item(page, "subscribed").filter({ hasText: "web" }).waitFor({ state: "detached" });
    await closed(browsing);
  });

  it("is walked with the arrows, and filtered", async () => {
    const browsing = await see(bellhop, "broker");
    const { page } = browsing;
    await item(page, "docs, session night").waitFor();
    await item(page, /^▾\s*agent/).focus();
    const focus = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await page.keyboard.press("ArrowDown");
    await settled(focus, "apiits own address");
    await page.keyboard.press("ArrowLeft");
    await settled(focus, "▾agent");
    await page.keyboard.press("ArrowLeft");
    await settled(focus, "▸agent");
    await item(page, "api").waitFor({ state: "detached" });
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await settled(focus, "apiits own address");
    await page.keyboard.press("End");
    await settled(focus, "docs, session nightsubscribed");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    await settled(focus, "▸**1 hears it");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("/");
    await page.keyboard.type("nobody here");
    await page.getByText("No path has these words.").waitFor();
    await page.getByLabel("Filter paths and agents").fill("slack night");
    await item(page, "docs, session night").click();
    await page.getByRole("complementary").waitFor();
    expect(new URL(page.url()).pathname).toBe("/agents/docs");
    await closed(browsing);
  });

  it("says who would get a message and why, and sends nothing", async () => {
    const browsing = await see(bellhop, "broker");
    const { page } = browsing;
    const attempt = panel(page, "Try a path");
    await attempt.getByLabel("Path").fill("slack/team/#general");
    await page.keyboard.press("Enter");
    await attempt.getByText('because the session subscribes to "slack/**".').waitFor();
    await attempt.getByLabel("Path").fill("agent/**");
    await attempt.getByLabel("From").fill("api");
    await page.getByRole("button", { name: "Who would get this?" }).click();
    await attempt.getByText("Its sender would not get it").waitFor();
    expect(await attempt.getByRole("link").allInnerTexts()).toEqual(["docs", "web"]);
    await attempt.getByLabel("Path").fill("nobody/hears");
    await page.keyboard.press("Enter");
    await attempt.getByText("nobody subscribes to this path").waitFor();
    await attempt.getByLabel("Path").fill("a/**/b/**/c/**");
    await page.keyboard.press("Enter");
    await attempt.getByRole("alert").getByText("at most twice").waitFor();
    const { messages } = await bellhop.ask("unmatched", {});
    expect(messages).toEqual([]);
    // The browser itself notes every refusal.
    expect(browsing.complaints.splice(0)).toEqual([expect.stringContaining("400")]);
    await closed(browsing);
  });

  it("sends dead letters again once somebody hears them, and deletes the rest", async () => {
    const browsing = await see(bellhop, "broker");
    const { page } = browsing;
    const letters = panel(page, "Dead letters");
    await letters.getByText("None. A message that nobody gets").waitFor();
    await send("api", "late/news", "read all about it");
    await letters.getByText("read all about it").waitFor();
    await letters.getByRole("button", { name: /^Send #/ }).click();
    await letters.getByText("1 still has no recipient.").waitFor();
    await bellhop.json(["sub", "add", "web", "late/*"]);
    await letters.getByRole("button", { name: /^Send #/ }).click();
    await letters.getByText("1 sent again.").waitFor();
    await letters.getByText("read all about it").waitFor({ state: "detached" });
    const { entries } = await bellhop.ask("inbox", { who: "web", claims });
    expect(entries.map(({ message }) => message.body)).toContain("read all about it");

    await send("api", HOSTILE, "<script>globalThis.isBroken = 1</script>");
    await letters.getByText("<script>").waitFor();
    await letters.getByText(HOSTILE).waitFor();
    await bellhop.json(["sub", "add", "web", `${HOSTILE}/heard`]);
    await item(page, "<img src=x").waitFor();
    await panel(page, "Try a path").getByLabel("Path").fill(`${HOSTILE}/heard`);
    await page.keyboard.press("Enter");
    await panel(page, "Try a path").getByText("because it subscribes to").getByText("<img src=x").waitFor();
    await letters.getByRole("button", { name: "Delete all" }).click();
    await letters.getByText("Delete the dead letter for good?").waitFor();
    await letters.getByRole("button", { name: "Delete all" }).last().click();
    await letters.getByText("1 deleted.").waitFor();
    await letters.getByText("<script>").waitFor({ state: "detached" });
    expect(await page.evaluate(() => "isBroken" in globalThis)).toBe(false);
    await closed(browsing);
  });

  it("draws who writes to whom with the right numbers: past, live, and after a restart", async () => {
    const before = new Bellhop({ config: "tmux: { servers: [] }\n" });
    before.env.TMUX_TMPDIR = before.home;
    await before.start();
    const { http } = await before.json<StatusResponse>(["status"]);
    const config = join(before.home, "config.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${http.port}`));
    for (const name of ["api", "web", "docs"]) await before.json(["agent", "add", name]);
    const say = (from: string, path: string) => before.ask("route", { path, body: "hello", from, claims });
    try {
      for (let count = 0; count < 5; count += 1) await say("api", "agent/web");
      await say("web", "agent/api");
      const browsing = await see(before, "broker");
      const { page } = browsing;
      await settled(() => talks(page), { "api → web": 5, "web → api": 1 });
      await Promise.all(Array.from({ length: 40 }, () => say("docs", "agent/**")));
      await before.json(["send", "docs", "from me"]);
      await say("api", "nobody/there");
      const all = {
        "api → web": 5,
        "web → api": 1,
        "docs → api": 40,
        "docs → web": 40,
        "you → docs": 1,
        "api → Dead letters": 1,
      };
      await settled(() => talks(page), all);

      await before.stop();
      await page.getByText("The connection is lost").waitFor();
      await before.start();
      await page.getByText("The connection is lost").waitFor({ state: "hidden" });
      // It tried meanwhile.
      for (const one of browsing.complaints.splice(0)) expect(one).toContain("ERR_CONNECTION_REFUSED");
      await say("web", "agent/api");
      await settled(() => talks(page), { ...all, "web → api": 2 });

      await page.getByRole("button", { name: "1: show those from you to docs" }).click();
      await panel(page, "From you to docs").getByText("from me").waitFor();
      await page.locator("svg .node.agent", { hasText: "docs" }).locator("circle").click();
      await page.getByRole("complementary").waitFor();
      expect(new URL(page.url()).pathname).toBe("/agents/docs");
      await closed(browsing);
    } finally {
      await before.dispose();
    }
  });

  it("says what could not be asked, until it is answered", async () => {
    // What goes past a service worker cannot be made to fail.
    const browsing = await opened(browser, { serviceWorkers: "block" });
    const { page } = browsing;
    page.setDefaultTimeout(20_000);
    await page.goto((await bellhop.json<WebLink>(["open"])).url);
    await page.getByText("Live", { exact: true }).waitFor();
    let isFailing = true;
    const asked = ({ pathname }: URL) => pathname === "/subscriptions" || pathname === "/turns";
    await page.route(asked, (route) => (isFailing ? route.abort() : route.continue()));
    const error = page.locator(".page").getByRole("alert");
    const see = (name: PageName) => page.locator(`nav a[href="/?see=${name}"]`).click();
    await see("turns");
    await error.waitFor();
    isFailing = false;
    await bellhop.json(["agent", "auto-run", "docs", "on", "--set", `cwd=${bellhop.home}`]);
    await error.waitFor({ state: "detached" });
    await bellhop.json(["agent", "auto-run", "docs", "off"]);

    isFailing = true;
    await see("broker");
    await error.waitFor();
    isFailing = false;
    await bellhop.json(["sub", "add", "web", "asked/again"]);
    await error.waitFor({ state: "detached" });
    await page.getByText(/^\d+ messages since \d\d:\d\d$/).waitFor();
    for (const one of browsing.complaints.splice(0))
      expect(one).toMatch(/ERR_FAILED|Service Worker registration blocked/);
    await closed(browsing);
  });

  it.each([
    ["on a desk", { viewport: { width: 1280, height: 800 } }],
    ["on a phone", PHONE],
  ] as const)("hinders nobody %s, in light and dark", async (_, options) => {
    for (const colorScheme of ["light", "dark"] as const) {
      const browsing = await see(bellhop, "broker", { ...options, colorScheme });
      const { page } = browsing;
      await item(page, "docs, session night").waitFor();
      await page.locator("svg .edge").first().waitFor();
      expect(await findings(page)).toEqual([]);
      const isTooWide = () => document.documentElement.scrollWidth > document.documentElement.clientWidth;
      expect(await page.evaluate(isTooWide)).toBe(false);
      await closed(browsing);
    }
  });
});

describe("the page of turns", () => {
  let stage: TurnsStage;
  beforeAll(async () => {
    const script = `cat > /dev/null
while [ -e gate ]; do sleep 0.05; done
echo "the answer"`;
    stage = await TurnsStage.open({ agents: ["night"], script, turns: "budget: { turns_per_hour: 2 }" });
  });
  afterAll(() => stage.close());
  afterEach(() => stage.open("gate"));

  it("shows what runs, what was spent, and stops it all", async () => {
    const { bellhop } = stage;
    const browsing = await see(bellhop, "turns");
    const { page } = browsing;
    await page.getByText("No turn runs.").waitFor();
    stage.shut("gate");
    await bellhop.json(["send", "night", "look"]);
    const running = panel(page, "Running now");
    await running.getByText("Running", { exact: true }).waitFor();
    const budgets = panel(page, "Spent, and what may be spent");
    await budgets.getByText("1 of 2").waitFor();
    stage.open("gate");
    await panel(page, "Last turns").getByText("the answer").waitFor();
    await running.getByText("No turn runs.").waitFor();

    await bellhop.json(["send", "night", "look again"]);
    await budgets.getByText("2 of 2").waitFor();
    await budgets.getByText(/^spent until /).waitFor();
    await bellhop.json(["send", "night", "and again"]);
    const waiting = panel(page, "Waiting for a turn");
    await waiting.getByText("1 waits").waitFor();
    stage.shut("gate");
    await waiting.getByRole("button", { name: "Run now: night" }).click();
    await page.getByText("A turn starts now.").waitFor();
    await running.getByText("Running", { exact: true }).waitFor();

    await page.getByRole("button", { name: "Stop all turns" }).click();
    await page.getByText("1 turn runs now and is ended too.").waitFor();
    await page.getByRole("button", { name: "Stop all turns" }).last().click();
    await page.getByRole("heading", { name: "Automatic turns are stopped" }).waitFor();
    await page.getByText("Stopped. 1 turn was ended.").waitFor();
    await panel(page, "Last turns").getByText("Stopped", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Let them start again" }).click();
    await page.getByRole("heading", { name: "Automatic turns are allowed" }).waitFor();

    await page.getByRole("button", { name: "Turn off automatic turns of night" }).click();
    await page.getByText("night takes no turns by itself now.").waitFor();
    await page.getByRole("button", { name: "Turn on automatic turns of night" }).click();
    await budgets.getByText("This hour").waitFor();
    await closed(browsing);
  });

  it.each([
    ["on a desk", {}],
    ["on a phone", PHONE],
  ] as const)("hinders nobody %s", async (_, options) => {
    await stage.bellhop.json(["turn", "trigger", "night", "--message", "look"]);
    const browsing = await see(stage.bellhop, "turns", options);
    await panel(browsing.page, "Last turns").getByText("the answer").first().waitFor();
    expect(await findings(browsing.page)).toEqual([]);
    await closed(browsing);
  });
});

describe("the page of bridges", () => {
  it("teaches the first commands, and how to turn on turns", async () => {
    const bellhop = new Bellhop({ config: "tmux: { servers: [] }\n" });
    bellhop.env.TMUX_TMPDIR = bellhop.home;
    try {
      await bellhop.start();
      const browsing = await see(bellhop, "bridges", PHONE);
      const { page } = browsing;
      await page.getByText("bellhop bridge rehearse telegram").waitFor();
      expect(await findings(page)).toEqual([]);
      await page.locator('nav a[href="/?see=turns"]').click();
      await page.getByText("bellhop agent auto-run NAME on").waitFor();
      expect(await findings(page)).toEqual([]);
      await closed(browsing);
    } finally {
      await bellhop.dispose();
    }
  });

  it("shows each bridge, its trouble as it comes and goes, and what went there", async () => {
    const channel = await telegram();
    const secret = join(mkdtempSync("/tmp/bh-"), "nothing-there");
    const webhook = `webhook: { shop: { kind: token, secret_file: ${JSON.stringify(secret)} } }`;
    const bellhop = new Bellhop({
      config: `tmux: { servers: [] }\nbridges:\n  ${channel.section}\n  ${webhook}\n`,
    });
    bellhop.env.TMUX_TMPDIR = bellhop.home;
    writeSecrets(channel, bellhop.home);
    try {
      await bellhop.start();
      const browsing = await see(bellhop, "bridges");
      const { page } = browsing;
      const bridge = panel(page, "telegram");
      await bridge.getByText(/^Connected/).waitFor();
      await panel(page, "webhook").getByText("until you do something").waitFor();
      await channel.outage(true);
      await bridge.getByText("Bellhop tries again by itself.").waitFor();
      expect(await findings(page)).toEqual([]);
      await channel.outage(false);
      await bridge.getByText(/^Connected/).waitFor();

      await bellhop.json(["send", channel.path, "are you there?"]);
      await page.locator('nav a[href="/?see=broker"]').click();
      await page.getByRole("button", { name: "1: show those from you to telegram" }).click();
      await panel(page, "From you to telegram").getByText("are you there?").waitFor();
      await closed(browsing);
    } finally {
      await bellhop.dispose();
      await channel.close();
    }
  });
});
