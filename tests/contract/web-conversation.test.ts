/** The conversation of an agent in a real browser, over a real daemon and a scripted agent in real tmux. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { SendResponse, ShowResponse } from "../../src/wire/shapes/messages.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { launchChromium, type Opened, opened } from "./chromium.ts";
import { findings } from "./dashboard-stage.ts";

const PHONE = { viewport: { width: 412, height: 915 }, hasTouch: true, isMobile: true };

/** In the browser. */
declare const document: {
  readonly activeElement: unknown;
  readonly documentElement: { readonly scrollWidth: number };
};
declare const innerWidth: number;
declare const localStorage: { getItem(key: string): string | null };

let tmux: TmuxServer;
let bellhop: Bellhop;
let browser: Browser;
let api: ScriptedAgent;

beforeAll(async () => {
  tmux = startTmuxServer();
  // One message a prompt: the order of the prompts is the order of the deliveries.
  const config = `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\ndelivery: { max_batch_size: 1 }\n`;
  bellhop = new Bellhop({ config });
  [browser, api] = await Promise.all([
    launchChromium(),
    startScriptedAgent({ tmux, name: "api" }),
    bellhop.start(),
  ]);
  await bellhop.json(["agent", "add", "post"]);
});
afterAll(async () => {
  await browser.close();
  await bellhop.dispose();
  await tmux.kill();
});
beforeEach(async () => {
  await bellhop.json(["queue", "clear", "api"]);
  await bellhop.json(["queue", "unpause", "api"]);
});

async function atConversation(options: Parameters<typeof opened>[1] = {}, name = "api"): Promise<Opened> {
  const browsing = await opened(browser, options);
  await browsing.page.goto((await bellhop.json<WebLink>(["open"])).url);
  await browsing.page.getByText("Live", { exact: true }).waitFor();
  await browsing.page.goto(new URL(`/agents/${name}?see=conversation`, browsing.page.url()).href);
  await browsing.page.getByRole("region", { name: `Messages to and from ${name}` }).waitFor();
  return browsing;
}

async function said(text: string, ...more: readonly string[]): Promise<string> {
  return (await bellhop.json<SendResponse>(["send", "api", text, ...more])).shortId;
}

const post = (to: string, body: string) => bellhop.ask("send", { to, body, claims: { user: "dev" } });

const message = (page: Page, text: string) => page.locator(".message").filter({ hasText: text });
const waiting = (page: Page, text: string) => page.locator(".waiting li").filter({ hasText: text });
const inOrder = (page: Page) => page.locator(".waiting li .preview").allInnerTexts();
const press = (one: Locator, action: string) => one.locator(`[data-action="${action}"]`).click();

async function hasOrder(page: Page, ...texts: readonly string[]): Promise<void> {
  await until(async () => (await inOrder(page)).join() === texts.join(), `the order ${texts.join()}`);
}

/** The words of these that arrived, in the order in which they did. */
function arrived(...words: readonly string[]): readonly string[] {
  return api.prompts().flatMap((prompt) => words.find((word) => prompt.includes(word)) ?? []);
}

describe("the messages of an agent", () => {
  it("appear as they come and go, on every page, with what became of them", async () => {
    const [first, second] = [await atConversation(), await atConversation()];
    await bellhop.json(["queue", "pause", "api"]);
    await said("tidy the imports");
    for (const { page } of [first, second])
      await message(page, "tidy the imports").getByText("waits: it is paused").waitFor();
    await bellhop.json(["queue", "unpause", "api"]);
    for (const { page } of [first, second])
      await message(page, "tidy the imports").getByText("delivered, seen on its screen").waitFor();
    await bellhop.json(["send", "post", "the imports are tidy", "--from", "api"]);
    const out = message(first.page, "the imports are tidy");
    await out.getByText("waits: nobody is there").waitFor();
    await message(first.page, "tidy the imports").locator(".summary").first().click();
    await first.page.getByText("What became of it").waitFor();
    await first.page.getByText("the screen showed it above an empty composer").waitFor();
    for (const { complaints, context } of [first, second]) {
      expect(complaints).toEqual([]);
      await context.close();
    }
  });

  it("are shown as text, whatever they hold, and folded if they are long", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    const { page, context, complaints } = await atConversation();
    await said('<img src=x onerror="document.title=1"><script>document.title=2</script>');
    await said("user\u202etxt.exe \u001b[31mred");
    await post("api", `long ${"x".repeat(200_000)} end`);
    await message(page, "<img src=x onerror=").waitFor();
    await message(page, "usertxt.exe red").waitFor();
    const long = message(page, "long xxxx");
    await long.locator(".summary").click();
    const body = page.locator(".opened .body");
    await body.waitFor();
    expect((await body.innerText()).length).toBe(2_000);
    await page.getByRole("button", { name: "Show all 200,009 characters" }).click();
    await until(async () => (await body.innerText()).endsWith(" end"), "the whole text");
    expect(await page.locator(".message img, .message script, .waiting img").count()).toBe(0);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
    expect(await page.title()).toContain("Bellhop");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("are as many as there are: ten thousand, of which a screenful is drawn", async () => {
    await bellhop.json(["agent", "add", "flood"]);
    for (let at = 0; at < 10_000; at += 500) {
      await Promise.all(Array.from({ length: 500 }, (_, one) => post("flood", `number ${at + one}`)));
    }
    const { page, context, complaints } = await atConversation({}, "flood");
    const list = page.locator(".timeline");
    await message(page, "number 9999").waitFor();
    await page.getByText("500 messages wait").waitFor();
    // It begins at the end, although what waits takes some of its place.
    await until(
      () => list.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 2),
      "the newest in view",
    );
    expect(await page.getByRole("button", { name: "To the newest" }).count()).toBe(0);
    for (let pages = 0; pages < 5; pages += 1) {
      const before = Number(await page.locator(".timeline li").first().getAttribute("aria-setsize"));
      await list.evaluate((one) => one.scrollTo({ top: 0 }));
      await until(
        async () => Number(await page.locator(".timeline li").first().getAttribute("aria-setsize")) > before,
        "an older page",
      );
    }
    expect(await page.locator(".timeline li").count()).toBeLessThan(60);
    // What is read stays in place while something new comes; the newest is one press away.
    await post("flood", "the very last");
    await page.getByRole("button", { name: "To the newest" }).click();
    await message(page, "the very last").waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });
});

describe("what gets no answer", () => {
  it("is asked for again by itself, until it is there and nothing is said of it any more", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    await said("said before");
    const { page, context } = await atConversation();
    await waiting(page, "said before").waitFor();
    let unanswered = 0;
    await page.route("**/timeline?*", async (route) => {
      unanswered += 1;
      await route.abort();
    });
    await page.route("**/sessions/**", (route) => route.abort());
    await said("said unheard");
    await page.getByRole("alert").getByText("Bellhop did not answer.").waitFor();
    // More than the events of one message can account for.
    await until(() => unanswered >= 5, "it to be asked again");
    expect(await message(page, "said unheard").count()).toBe(0);
    await page.getByText("Live", { exact: true }).waitFor();
    await page.unrouteAll({ behavior: "wait" });
    await message(page, "said unheard").waitFor();
    await waiting(page, "said unheard").waitFor();
    await page.getByRole("alert").waitFor({ state: "detached" });
    await context.close();
  });
});

describe("what waits", () => {
  it("is put into another order by keys, which is announced, and is delivered in that order", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    for (const word of ["alpha-key", "beta-key", "gamma-key"]) await said(word);
    const { page, context, complaints } = await atConversation();
    await hasOrder(page, "alpha-key", "beta-key", "gamma-key");
    const up = waiting(page, "gamma-key").locator('[data-action="up"]');
    await up.focus();
    await page.keyboard.press("Enter");
    await hasOrder(page, "alpha-key", "gamma-key", "beta-key");
    await page.locator(".waiting [role=status]", { hasText: "is number 2 of 3 now" }).waitFor();
    // The focus went along.
    await until(() => up.evaluate((one) => one === document.activeElement), "the focus");
    await page.keyboard.press("Enter");
    await hasOrder(page, "gamma-key", "alpha-key", "beta-key");
    await waiting(page, "alpha-key").locator('[data-action="down"]').focus();
    await page.keyboard.press("Enter");
    await hasOrder(page, "gamma-key", "beta-key", "alpha-key");
    await bellhop.json(["queue", "unpause", "api"]);
    const words = ["alpha-key", "beta-key", "gamma-key"];
    await until(() => arrived(...words).length === 3, "three prompts");
    expect(arrived(...words)).toEqual(["gamma-key", "beta-key", "alpha-key"]);
    await page.locator(".waiting li").first().waitFor({ state: "detached" });
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is put into another order by dragging, seen on another page too, and delivered in that order", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    for (const word of ["alpha-drag", "beta-drag", "gamma-drag"]) await said(word);
    // High enough that nothing scrolls under the pointer.
    const desk = { viewport: { width: 1280, height: 1200 } };
    const [first, second] = [await atConversation(desk), await atConversation(desk)];
    await hasOrder(first.page, "alpha-drag", "beta-drag", "gamma-drag");
    await waiting(first.page, "alpha-drag").dragTo(waiting(first.page, "gamma-drag"));
    for (const { page } of [first, second]) await hasOrder(page, "beta-drag", "gamma-drag", "alpha-drag");
    await waiting(second.page, "gamma-drag").dragTo(waiting(second.page, "beta-drag"));
    for (const { page } of [first, second]) await hasOrder(page, "gamma-drag", "beta-drag", "alpha-drag");
    await bellhop.json(["queue", "unpause", "api"]);
    const words = ["alpha-drag", "beta-drag", "gamma-drag"];
    await until(() => arrived(...words).length === 3, "three prompts");
    expect(arrived(...words)).toEqual(["gamma-drag", "beta-drag", "alpha-drag"]);
    for (const { context } of [first, second]) await context.close();
  });

  it("keeps its order over a kill of the daemon right after the answer", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    const ids = [];
    for (const word of ["alpha-kill", "beta-kill", "gamma-kill"]) ids.push(await said(word));
    const [alpha = "", beta = "", gamma = ""] = ids;
    await bellhop.ask("queue_change", { id: gamma, change: "move", before: alpha });
    await bellhop.ask("queue_change", { id: alpha, change: "move", after: beta });
    await bellhop.stop("SIGKILL");
    await bellhop.start();
    const listed = await bellhop.json<readonly { readonly preview: string }[]>(["queue", "api"]);
    expect(listed.map(({ preview }) => preview)).toEqual(["gamma-kill", "beta-kill", "alpha-kill"]);
    await bellhop.json(["queue", "unpause", "api"]);
    const words = ["alpha-kill", "beta-kill", "gamma-kill"];
    await until(() => arrived(...words).length === 3, "three prompts");
    expect(arrived(...words)).toEqual(["gamma-kill", "beta-kill", "alpha-kill"]);
  });

  it("is held back, let go on, sent now, ranked and cancelled from its row", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    const cancelled = await said("row-cancelled");
    for (const word of ["row-held", "row-now", "row-ranked"]) await said(word);
    const { page, context, complaints } = await atConversation();
    await waiting(page, "row-cancelled").waitFor();
    await press(waiting(page, "row-cancelled"), "cancel");
    await waiting(page, "row-cancelled").waitFor({ state: "detached" });
    const { deliveries } = await bellhop.json<ShowResponse>(["show", cancelled]);
    expect(deliveries[0]?.state).toBe("cancelled");
    await press(waiting(page, "row-held"), "hold");
    await waiting(page, "row-held").getByText("held back", { exact: true }).waitFor();
    await page
      .getByLabel(/^Priority of #/)
      .last()
      .selectOption("interrupt");
    await until(() => arrived("row-ranked").length === 1, "the interrupt, in spite of the pause");
    await press(waiting(page, "row-now"), "now");
    await until(() => arrived("row-now").length === 1, "the one that goes now, in spite of the pause");
    await bellhop.json(["queue", "unpause", "api"]);
    await press(waiting(page, "row-held"), "unhold");
    await until(() => arrived("row-held").length === 1, "the one that was held back");
    expect(arrived("row-cancelled", "row-held", "row-now", "row-ranked")).toEqual([
      "row-ranked",
      "row-now",
      "row-held",
    ]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("is changed as often as somebody presses, one after the other, however late the answers come", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    for (const word of ["late-one", "late-two", "late-three"]) await said(word);
    const { page, context } = await atConversation();
    await waiting(page, "late-three").waitFor();
    await page.route("**/messages/*/queue", async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    await press(waiting(page, "late-three"), "up");
    await press(waiting(page, "late-three"), "up");
    await press(waiting(page, "late-one"), "hold");
    await waiting(page, "late-one").getByText("held back", { exact: true }).waitFor();
    const listed = await bellhop.json<readonly { readonly preview: string }[]>(["queue", "api"]);
    expect(listed.map(({ preview }) => preview)).toEqual(["late-three", "late-one", "late-two"]);
    for (const word of ["late-one", "late-two", "late-three"]) await press(waiting(page, word), "cancel");
    await waiting(page, "late-three").waitFor({ state: "detached" });
    await bellhop.json(["queue", "unpause", "api"]);
    await context.close();
  });

  it("says so if somebody was faster, with what to do next", async () => {
    await bellhop.json(["queue", "pause", "api"]);
    const id = await said("too-late");
    const { page, context } = await atConversation();
    await waiting(page, "too-late").waitFor();
    await page.route("**/messages/*/queue", async (route) => {
      await bellhop.json(["queue", "cancel", id]);
      await route.continue();
    });
    await press(waiting(page, "too-late"), "hold");
    await page.getByRole("alert").getByText("is no longer waiting: it is cancelled").waitFor();
    await context.close();
  });
});

describe("texts that could not be put back", () => {
  /** As an earlier daemon left them: how that comes about, `keep-drafts.test.ts` tells. */
  async function leave(...texts: readonly string[]): Promise<void> {
    const sessions = await bellhop.json<readonly { readonly id: string; readonly agent: string }[]>(["ls"]);
    const { id = "" } = sessions.find(({ agent }) => agent === "api") ?? {};
    await bellhop.stop();
    const database = new DatabaseSync(join(bellhop.home, "bellhop.db"));
    for (const [index, text] of texts.entries()) {
      database
        .prepare(
          "INSERT INTO kept_drafts VALUES (?, ?, CAST(? AS BLOB), 1, 'retype', 'left-to-person', ?, ?, NULL)",
        )
        .run(`left-${text}`, id, text, Date.now() + index, Date.now() + index);
    }
    database.close();
    await bellhop.start();
    // What was delivered before may still be worked on.
    await until(async () => {
      const { readiness, composer } = await bellhop.ask("session", { who: "api" });
      return readiness === "idle" && composer === "empty";
    }, "an idle agent with an empty composer");
  }

  it("are shown, put back into the composer, and discarded", async () => {
    await leave("an older thought", "half a thought");
    const { page, context, complaints } = await atConversation();
    await page.getByText("2 texts of yours are kept").waitFor();
    const draft = (text: string) => page.locator(".draft").filter({ hasText: text });
    await draft("half a thought").getByRole("button", { name: "Put it back" }).click();
    await page.getByText("It stands in its composer again.").waitFor();
    await draft("half a thought").waitFor({ state: "detached" });
    await until(
      async () => (await tmux.run("capture-pane", "-p", "-t", api.pane)).includes("> half a thought"),
      "the text in the composer",
    );
    // It is not empty any more.
    await draft("an older thought").getByRole("button", { name: "Put it back" }).click();
    await page.getByRole("alert").getByText("Its composer is not empty.").waitFor();
    expect(await findings(page)).toEqual([]);
    await draft("an older thought").getByRole("button", { name: "Discard" }).click();
    await page.getByText("Discarded.").waitFor();
    await page.locator(".draft").waitFor({ state: "detached" });
    expect(await bellhop.json(["draft", "show", "api"])).toEqual([]);
    await tmux.run("send-keys", "-t", api.pane, "C-u");
    expect(complaints.filter((one) => !one.includes("409"))).toEqual([]);
    await context.close();
  });
});

describe("writing", () => {
  it("keeps what is half written over a reload, and forgets it once it is sent", async () => {
    const { page, context, complaints } = await atConversation();
    const box = page.getByLabel("Message to api");
    await box.fill("half a sentence");
    await page.getByLabel("Priority", { exact: true }).selectOption("idle");
    await page.reload();
    expect(await box.inputValue()).toBe("half a sentence");
    expect(await page.getByLabel("Priority", { exact: true }).inputValue()).toBe("idle");
    await box.press("Control+End");
    await box.pressSequentially(", and the rest");
    await box.press("Control+Enter");
    await until(() => arrived("half a sentence, and the rest").length === 1, "the message");
    await until(async () => (await box.inputValue()) === "", "an empty box");
    expect(await page.evaluate(() => localStorage.getItem("bellhop-writing/api"))).toBe(null);
    await page.reload();
    await box.waitFor();
    expect(await box.inputValue()).toBe("");
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("goes along with an agent that gets another name, elsewhere and on the page", async () => {
    await startScriptedAgent({ tmux, name: "docs" });
    const { page, context, complaints } = await atConversation({}, "docs");
    await page.getByLabel("Message to docs").fill("half a sentence");
    await page
      .locator(".composer input[type=file]")
      .setInputFiles([{ name: "kept.txt", mimeType: "text/plain", buffer: Buffer.from("kept") }]);
    await page.getByLabel("Message to docs").focus();
    await bellhop.json(["name", "docs", "manual"]);
    const box = page.getByLabel("Message to manual");
    await box.waitFor();
    await page.getByRole("region", { name: "Messages to and from manual" }).waitFor();
    // Whoever is writing goes on writing.
    await page.keyboard.type(", and more");
    expect(await box.inputValue()).toBe("half a sentence, and more");
    await page.getByText("kept.txt").waitFor();
    expect(new URL(page.url()).pathname).toBe("/agents/manual");
    await page.getByRole("link", { name: "Facts" }).click();
    await bellhop.json(["name", "manual", "guide"]);
    await page.getByRole("heading", { name: "guide", exact: true }).waitFor();
    await page.getByRole("button", { name: "Rename" }).click();
    await page.getByLabel("New name").fill("handbook");
    await page.getByLabel("New name").press("Enter");
    await page.getByRole("heading", { name: "handbook", exact: true }).waitFor();
    await page.getByRole("link", { name: "Conversation" }).click();
    const renamed = page.getByLabel("Message to handbook");
    await until(async () => (await renamed.inputValue()) === "half a sentence, and more", "what was written");
    expect(await page.evaluate(() => localStorage.getItem("bellhop-writing/docs"))).toBe(null);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("does not write over what is kept for the new name", async () => {
    await startScriptedAgent({ tmux, name: "left" });
    await bellhop.json(["agent", "add", "right"]);
    const { page, context } = await atConversation({}, "right");
    await page.getByLabel("Message to right").fill("to the right");
    await page.goto(new URL("/agents/left?see=conversation", page.url()).href);
    await page.getByLabel("Message to left").fill("to the left");
    await bellhop.json(["name", "left", "right"]);
    await page.getByLabel("Message to right").waitFor();
    expect(await page.getByLabel("Message to right").inputValue()).toBe("to the right");
    expect(await page.evaluate(() => localStorage.getItem("bellhop-writing/left"))).toContain("to the left");
    await context.close();
  });

  it("completes names by keys", async () => {
    const { page, context } = await atConversation();
    const box = page.getByLabel("Message to api");
    await box.pressSequentially("ask @p");
    await page.getByRole("listbox", { name: "Names" }).waitFor();
    await box.press("Enter");
    expect(await box.inputValue()).toBe("ask @post ");
    await box.pressSequentially("or @");
    await page.locator(".offers [role=option]").first().waitFor();
    await box.press("ArrowDown");
    await box.press("ArrowUp");
    await box.press("Tab");
    expect(await box.inputValue()).toBe("ask @post or @api ");
    await box.pressSequentially("@");
    await page.locator(".offers").waitFor();
    await box.press("Escape");
    await page.locator(".offers").waitFor({ state: "detached" });
    // Only the names were closed.
    expect(await box.inputValue()).toBe("ask @post or @api @");
    await context.close();
  });

  it("answers a message, and brings files that the agent is told of", async () => {
    const { shortId } = await bellhop.json<SendResponse>([
      ...["send", "person/dev", "which colour shall it have?", "--from", "api"],
    ]);
    const { page, context, complaints } = await atConversation();
    await message(page, "which colour").locator(".summary").click();
    await page.getByRole("button", { name: "Answer", exact: true }).click();
    await page.getByText(`Answers #${shortId}`).waitFor();
    const bytes = Buffer.from([137, 80, 78, 71, 0, 255, 10]);
    await page
      .locator(".composer input[type=file]")
      .setInputFiles([{ name: "../blue sky.png", mimeType: "image/png", buffer: bytes }]);
    await page.getByText("7 B").waitFor();
    await page.getByLabel("Message to api").fill("this colour");
    await page.getByRole("button", { name: "Send" }).click();
    await until(() => arrived("this colour").length === 1, "the message");
    const prompt = api.prompts().find((one) => one.includes("this colour")) ?? "";
    const path = /\[attached: (\S+)\]/.exec(prompt)?.[1] ?? "";
    expect(path.startsWith(bellhop.home)).toBe(true);
    expect(path.endsWith("/blue-sky.png")).toBe(true);
    expect(readFileSync(path)).toEqual(bytes);
    const entry = message(page, "this colour");
    await entry.getByText(`answers #${shortId}`).waitFor();
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("refuses what is too much before it is sent", async () => {
    const { page, context } = await atConversation();
    const buffer = Buffer.alloc(4 * 1024 * 1024 + 1);
    await page
      .locator(".composer input[type=file]")
      .setInputFiles([{ name: "big.bin", mimeType: "application/octet-stream", buffer }]);
    await page.getByRole("alert").getByText("Files may have 4.0 MB together.").waitFor();
    expect(await page.locator(".attached li").count()).toBe(0);
    await context.close();
  });
});

describe("the conversation", () => {
  it.each([
    ["on a desk", { viewport: { width: 1280, height: 800 }, colorScheme: "dark" }],
    ["on a phone", { ...PHONE, colorScheme: "light" }],
  ] as const)("has nothing that hinders anybody, %s", async (where, options) => {
    await bellhop.json(["queue", "pause", "api"]);
    const [one, other] = [`one waits ${where}`, `another waits ${where}`];
    for (const word of [one, other]) await said(word);
    const { page, context, complaints } = await atConversation(options);
    await waiting(page, other).waitFor();
    expect(await findings(page)).toEqual([]);
    await message(page, one).locator(".summary").click();
    await page.getByText("Why it waits").waitFor();
    await page.getByLabel("Message to api").pressSequentially("ask @");
    await page.locator(".offers").waitFor();
    expect(await findings(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await context.close();
  });
});
