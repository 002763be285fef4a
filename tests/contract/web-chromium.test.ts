/** The dashboard's login in a real browser. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { launchChromium, opened as openedIn } from "./chromium.ts";

/** What a page has, as far as these tests use it. */
interface Frame {
  src: string;
}
declare const document: {
  readonly cookie: string;
  readonly body: { append(frame: Frame): void };
  createElement(name: "iframe"): Frame;
};
declare const isSecureContext: boolean;
declare const localStorage: { readonly length: number };

let bellhop: Bellhop;
let browser: Browser;
/** What an agent serves on another port of the same name. */
let devServer: Server;
const devHeard: string[] = [];

beforeAll(async () => {
  bellhop = new Bellhop();
  await bellhop.start();
  browser = await launchChromium();
  devServer = createServer((request, response) => {
    devHeard.push(request.headers.cookie ?? "");
    response.writeHead(200, { "content-type": "text/html" }).end("<title>dev</title>");
  });
  devServer.listen(0, "127.0.0.1");
  await once(devServer, "listening");
});
afterAll(async () => {
  await browser.close();
  devServer.close();
  await bellhop.dispose();
});

const link = async () => (await bellhop.json<WebLink>(["open"])).url;

const opened = () => openedIn(browser);

describe("in Chromium", () => {
  it("a link logs in once; the code, the cookie and violations are nowhere to be seen", async () => {
    const { context, page, complaints } = await opened();
    const url = await link();
    await page.goto(url);
    await page.getByText("Live", { exact: true }).waitFor();
    expect(page.url()).toBe(new URL("/", url).href);
    expect(await page.evaluate(() => document.cookie)).toBe("");
    expect(await page.evaluate(() => isSecureContext)).toBe(true);
    expect(complaints).toEqual([]);
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });

    await page.reload();
    await page.getByText("Live", { exact: true }).waitFor();

    const other = await opened();
    await other.page.goto(url);
    await other.page.getByText("This link was already used").waitFor();
    expect(other.page.url()).not.toContain("#");
    await other.context.close();
    await context.close();
  });

  it("a page that an agent serves on the same name gets nothing, though it gets the cookie", async () => {
    const { context, page } = await opened();
    const url = await link();
    await page.goto(url);
    await page.getByText("Live", { exact: true }).waitFor();
    const { port } = devServer.address() as AddressInfo;
    await page.goto(`http://bellhop.localhost:${port}/`);
    expect(devHeard.at(-1)).toMatch(/^bellhop-\d+=/);
    expect(await page.evaluate(() => localStorage.length)).toBe(0);
    const home = new URL("/", url).href;
    const framed = page.waitForResponse((response) => response.url() === home);
    const tried = await page.evaluate(async (target) => {
      const fetched = (options: RequestInit) =>
        fetch(`${target}sessions`, { credentials: "include", ...options }).then(
          (response) => `${response.type} ${response.status}`,
          () => "refused",
        );
      const socket = new Promise<string>((resolve) => {
        const ws = new WebSocket(`${target.replace("http", "ws")}ws`);
        ws.addEventListener("open", () => resolve("open"));
        ws.addEventListener("error", () => resolve("refused"));
      });
      const frame = document.createElement("iframe");
      frame.src = target;
      document.body.append(frame);
      return {
        plain: await fetched({}),
        keyed: await fetched({ headers: { "x-bellhop-key": "guess" } }),
        blind: await fetched({ mode: "no-cors" }),
        socket: await socket,
      };
    }, home);
    expect(tried).toEqual({
      plain: "refused",
      keyed: "refused",
      // It may not even learn the status: the answer is opaque, or blocked by its own headers.
      blind: expect.stringMatching(/^(opaque 0|refused)$/),
      socket: "refused",
    });
    expect((await framed).status()).toBe(403);
    await context.close();
  });

  it("a link in vain leaves a browser logged in that is, and says what came of the link", async () => {
    const { context, page } = await opened();
    const url = await link();
    await page.goto(url);
    await page.getByText("Live", { exact: true }).waitFor();
    const note = page.getByText(
      "This link was already used: each works once. This browser is logged in anyway.",
    );

    const tab = await context.newPage();
    await tab.goto(url);
    await tab.getByText("This browser is logged in anyway").waitFor();
    await tab.getByText("Live", { exact: true }).waitFor();
    expect(await tab.getByText("You are not logged in").count()).toBe(0);
    expect(tab.url()).toBe(new URL("/", url).href);

    // In the page that is open already, only the end of the address changes.
    await page.goto(url);
    await note.waitFor();
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Close" }).click();
    await note.waitFor({ state: "hidden" });

    // Who is logged out is not let in by it, whatever the browser still keeps.
    await bellhop.json(["open", "revoke", "--all"]);
    await page.getByText("You are not logged in").waitFor();
    await page.getByLabel("Or paste the link here").fill(url);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText(/^This link /).waitFor();
    await page.getByText("You are not logged in").waitFor();
    expect(await note.count()).toBe(0);
    await context.close();
  });

  it("says so when it is logged out", async () => {
    const { context, page } = await opened();
    await page.goto(await link());
    await page.getByText("Live", { exact: true }).waitFor();
    await bellhop.json(["open", "revoke", "--all"]);
    await page.getByText("You are not logged in").waitFor();
    await page.getByText("This browser was logged out").waitFor();
    await context.close();
  });
});
