/** Who does not belong to the dashboard: other names, other pages, and what agents say to be shown. */
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, startScriptedAgent } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { launchChromium, opened } from "./chromium.ts";
import { findings } from "./dashboard-stage.ts";
import { type Login, WebStage } from "./web-stage.ts";

/** What a page has, as far as these tests use it. */
interface Part {
  src: string;
  action: string;
  method: string;
  enctype: string;
  target: string;
  name: string;
  value: string;
  onload: () => void;
  onerror: () => void;
  append(part: Part): void;
  submit(): void;
}
declare const document: {
  readonly body: { append(part: Part): void };
  createElement(name: string): Part;
  addEventListener(name: string, hear: (event: { readonly violatedDirective: string }) => void): void;
};
declare const localStorage: { readonly length: number; setItem(name: string, value: string): void };
declare const caches: { keys(): Promise<readonly string[]> };
declare const navigator: {
  sendBeacon(url: string, body: string): boolean;
  readonly serviceWorker: { register(url: string): Promise<unknown> };
};
declare function open(url: string): { readonly closed: boolean; readonly length: number } | null;

const TUNNEL = "laptop.example.ts.net";
/** Runs if anything takes it for more than text. */
const SCRIPT = `<img src=x onerror="globalThis.isTaken=1"><script>globalThis.isTaken=1</script>`;
const DESK = { viewport: { width: 1280, height: 800 } };
const PHONE = { viewport: { width: 412, height: 915 }, hasTouch: true, isMobile: true };

let tmux: TmuxServer;
let bellhop: Bellhop;
let web: WebStage;
let browser: Browser;
let login: Login;
/** A page of somebody else; it hears everything that is asked of its server. */
let foreign: Server;

beforeAll(async () => {
  tmux = startTmuxServer();
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}\ntmux: { servers: ["${tmux.socket}"] }\nweb: { name: ${TUNNEL} }\n`,
  });
  const [chromium, api] = await Promise.all([
    launchChromium(),
    startScriptedAgent({ tmux, name: "api" }),
    bellhop.start(),
  ]);
  browser = chromium;
  web = await WebStage.of(bellhop);
  login = await web.logIn();
  foreign = createServer((_request, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<title>foreign</title><body></body>");
  });
  foreign.listen(0, "127.0.0.1");
  await once(foreign, "listening");
  // Everything of an agent that a page shows, as hostile as it can be.
  await tmux.run("select-pane", "-t", api.pane, "-T", SCRIPT);
  await bellhop.json(["agent", "add", "post"]);
  await bellhop.run(["send", `shop/${SCRIPT.replaceAll("/", "")}`, SCRIPT, "--json"]);
  await bellhop.json(["send", "post", SCRIPT]);
  await bellhop.json(["send", "api", `[[menu echo ${SCRIPT}]]`]);
});
afterAll(async () => {
  await browser.close();
  foreign.close();
  await bellhop.dispose();
  await tmux.kill();
});

async function loggedIn(options: Parameters<typeof opened>[1] = {}) {
  const browsing = await opened(browser, options);
  await browsing.page.addInitScript(() => {
    Object.assign(globalThis, { violations: [] as string[] });
    document.addEventListener("securitypolicyviolation", ({ violatedDirective }) =>
      (globalThis as unknown as { readonly violations: string[] }).violations.push(violatedDirective),
    );
  });
  await browsing.page.goto((await bellhop.json<WebLink>(["open"])).url);
  await browsing.page.getByText("Live", { exact: true }).waitFor();
  return browsing;
}

describe("names and origins", () => {
  const hosts = (port: number) => ({
    own: [
      ...["bellhop.localhost", "127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${port}`),
      TUNNEL,
    ],
    others: [
      "bellhop.localhost",
      `bellhop.localhost:${port + 1}`,
      `bellhop.localhost.evil.example:${port}`,
      `evil.example:${port}`,
      "evil.example",
      `0.0.0.0:${port}`,
      `127.0.0.2:${port}`,
      `2130706433:${port}`,
      `127.0.0.1.nip.example:${port}`,
      `${TUNNEL}:${port}`,
      `user@bellhop.localhost:${port}`,
    ],
  });

  it("only a page that came from the very name that it asks gets in, over HTTP and over WebSocket", async () => {
    const { port } = web;
    const { own, others } = hosts(port);
    const originOf = (host: string) => `${host === TUNNEL ? "https" : "http"}://${host}`;
    const proof = web.proof(login);
    let pairs = 0;
    for (const host of [...own, ...others]) {
      const origins = [
        undefined,
        originOf(host),
        "null",
        `http://localhost:5173`,
        `http://evil.example`,
        originOf(host).replace(/^http(s?):/, (_, s: string) => (s === "" ? "https:" : "http:")),
        ...own.filter((one) => one !== host).map(originOf),
      ];
      for (const origin of origins) {
        pairs += 1;
        const isOwn = own.includes(host);
        const isSame = origin === undefined || origin === originOf(host);
        const expected = isOwn ? (isSame ? 200 : 403) : 421;
        const headers = { ...proof, host, ...(origin === undefined ? {} : { origin }) };
        expect([host, origin, await web.status(headers)]).toEqual([host, origin, expected]);
        if (expected === 200) {
          const caller = await web.socket(headers);
          expect(await caller.ask({ type: "auth", key: login.key })).toMatchObject({ type: "auth.ok" });
          caller.end();
        } else expect([host, origin, await web.socketRefused(headers)]).toEqual([host, origin, expected]);
      }
    }
    expect(pairs).toBeGreaterThanOrEqual(40);
  });

  it("no other name gets the page, its worker or its login either", async () => {
    for (const host of hosts(web.port).others)
      for (const path of ["/", "/worker.js", "/manifest.webmanifest"])
        expect([host, path, (await web.ask("GET", path, { host, accept: "text/html" })).status]).toEqual([
          host,
          path,
          421,
        ]);
  });
});

describe("half of a login, in a browser", () => {
  it("shows nothing: neither to who has only the cookie, nor to who has only the key", async () => {
    const cookie = { name: `bellhop-${web.port}`, value: login.cookie, url: web.origin };
    for (const half of ["cookie", "key"] as const) {
      const { context, page } = await opened(browser);
      if (half === "cookie") await context.addCookies([cookie]);
      else await page.addInitScript((key) => localStorage.setItem("bellhop-key", key), login.key);
      await page.goto(web.origin);
      await page.getByText("You are not logged in").waitFor();
      expect(await page.getByText("api").count()).toBe(0);
      await context.close();
    }
  });
});

describe("a foreign page in the same browser", () => {
  // By the same name the browser even sends the cookie.
  it.each(["bellhop.localhost", "localhost", "127.0.0.1"])(
    "on another port of %s changes nothing and learns nothing",
    async (name) => {
      const { context, page } = await loggedIn();
      const before = JSON.stringify(
        await bellhop.ask("web_sessions", {}).then(({ sessions }) => sessions.length),
      );
      const there = await context.newPage();
      await there.goto(`http://${name}:${(foreign.address() as AddressInfo).port}/`);
      const tried = await there.evaluate(
        async ({ home, session }) => {
          const settled = (act: (done: (how: string) => void) => void) => new Promise<string>(act);
          const part = (kind: string, src: string) =>
            settled((done) => {
              const element = document.createElement(kind);
              element.onload = () => done("loaded");
              element.onerror = () => done("refused");
              element.src = src;
              document.body.append(element);
            });
          const body = JSON.stringify({ text: "from a foreign page" });
          const blind = (path: string, method: string, type: string) =>
            fetch(`${home}${path}`, {
              method,
              mode: "no-cors",
              credentials: "include",
              headers: { "content-type": type },
              body,
            }).then(
              () => "sent",
              () => "refused",
            );
          const posted = (path: string) =>
            settled((done) => {
              const frame = document.createElement("iframe");
              frame.name = `f${Math.random()}`;
              const form = document.createElement("form");
              Object.assign(form, { method: "post", action: `${home}${path}`, target: frame.name });
              form.enctype = "text/plain";
              const field = document.createElement("input");
              Object.assign(field, { name: '{"text":"from a form","x":"', value: '"}' });
              form.append(field);
              document.body.append(frame);
              document.body.append(form);
              frame.onload = () => done("answered");
              form.submit();
            });
          await blind("/sessions/post/send", "POST", "text/plain");
          await blind(`/web/sessions/${session}/revoke`, "POST", "text/plain");
          await posted("/sessions/post/send");
          await posted(`/web/sessions/${session}/revoke`);
          navigator.sendBeacon(`${home}/sessions/post/send`, body);
          return {
            image: await part("img", `${home}/icon-192.png`),
            picture: await part("img", `${home}/sessions`),
            script: await part("script", `${home}/worker.js`),
            worker: await navigator.serviceWorker.register(`${home}/worker.js`).then(
              () => "registered",
              () => "refused",
            ),
            caches: (await caches.keys().catch(() => [])).length,
          };
        },
        { home: web.origin, session: login.session },
      );
      expect(tried).toEqual({
        image: "refused",
        picture: "refused",
        script: "refused",
        worker: "refused",
        caches: 0,
      });
      const popup = context.waitForEvent("page");
      await there.evaluate((home) => Object.assign(globalThis, { opened: open(home) }), web.origin);
      await (await popup).getByText("Live", { exact: true }).waitFor();
      // The browser has cut it off from what it opened.
      const reach = await there.evaluate(
        () =>
          (globalThis as unknown as { readonly opened: { readonly closed: boolean } | null }).opened?.closed,
      );
      expect(reach).not.toBe(false);
      const queue = await bellhop.json<readonly { readonly messageId: string }[]>(["queue", "post"]);
      expect(queue).toHaveLength(1);
      expect(
        JSON.stringify(await bellhop.ask("web_sessions", {}).then(({ sessions }) => sessions.length)),
      ).toBe(before);
      // Ours does not mind.
      await page.getByText("Live", { exact: true }).waitFor();
      await context.close();
    },
  );
});

describe("what agents say", () => {
  it.each([
    ["desk", "light"],
    ["desk", "dark"],
    ["phone", "light"],
    ["phone", "dark"],
  ] as const)(
    "is text in every view, on the %s in %s, and no view hinders anybody",
    async (where, colorScheme) => {
      const { context, page, complaints } = await loggedIn({
        ...(where === "desk" ? DESK : PHONE),
        colorScheme,
      });
      const asked = page.getByRole("article").filter({ hasText: "onerror" });
      await asked.first().waitFor();
      const views = [
        "/",
        "/?card=gone",
        "/agents/api",
        "/agents/api?see=conversation",
        "/agents/api?see=terminal",
        "/agents/post",
        "/agents/post?see=conversation",
        `/agents/${encodeURIComponent(SCRIPT)}`,
        "/?see=broker",
        "/?see=turns",
        "/?see=bridges",
        "/?see=settings",
        "/?see=start",
      ];
      for (const view of views) {
        await page.goto(`${web.origin}${view}`);
        await page.getByText("Live", { exact: true }).waitFor();
        await page.getByText("Loading…").waitFor({ state: "detached" });
        await page.getByText("Asking Bellhop…").first().waitFor({ state: "detached" });
        if (view.startsWith("/?card")) await page.getByText("no longer needs you").waitFor();
        const { isTaken, violations } = await page.evaluate(() => {
          const seen = globalThis as unknown as {
            readonly isTaken?: 1;
            readonly violations: readonly string[];
          };
          return { isTaken: seen.isTaken ?? 0, violations: seen.violations };
        });
        expect([view, isTaken, violations]).toEqual([view, 0, []]);
        expect([view, await findings(page)]).toEqual([view, []]);
      }
      expect(complaints).toEqual([]);
      await context.close();
    },
  );

  it("is there as it is: the permission, the dead letter, the title of a terminal", async () => {
    const { context, page } = await loggedIn();
    const hostile = '<img src=x onerror="globalThis.isTaken=1">';
    for (const kind of ["Permission", "No recipient"])
      expect([kind, await page.getByRole("article").filter({ hasText: kind }).innerText()]).toEqual([
        kind,
        expect.stringContaining(hostile),
      ]);
    await page.goto(`${web.origin}/agents/api`);
    await page.getByRole("complementary").getByText(hostile).first().waitFor();
    await context.close();
  });
});
