/** Notifications: from a dialog in real tmux to a push service over TLS, and from there to a real browser. */
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StatusResponse } from "../../src/wire/shapes/daemon.ts";
import type { WebLink } from "../../src/wire/shapes/web.ts";
import { Bellhop } from "../rig/bellhop.ts";
import { SCRIPTED_PROFILE, type ScriptedAgent, startScriptedAgent, until } from "../rig/scripted-agent.ts";
import { startTmuxServer, type TmuxServer } from "../rig/tmux-server.ts";
import { launchChromium, opened } from "./chromium.ts";
import { findings } from "./dashboard-stage.ts";
import { PushService } from "./push-service.ts";
import { WebStage } from "./web-stage.ts";

interface Shown {
  readonly title: string;
  readonly data: unknown;
  close(): void;
}
/** What a page has, as far as these tests use it. */
declare const navigator: {
  readonly serviceWorker: {
    readonly ready: Promise<{
      readonly active: { readonly scriptURL: string } | null;
      getNotifications(): Promise<readonly Shown[]>;
    }>;
  };
};
declare const PushManager: { readonly prototype: Record<string, unknown> };
declare const caches: {
  keys(): Promise<readonly string[]>;
  open(name: string): Promise<{ keys(): Promise<readonly { readonly url: string }[]> }>;
};

let tmux: TmuxServer;
let service: PushService;
let bellhop: Bellhop;
let web: WebStage;
let browser: Browser;
let api: ScriptedAgent;

const trusting = () => ({ NODE_EXTRA_CA_CERTS: service.certificate });

beforeAll(async () => {
  tmux = startTmuxServer();
  service = await PushService.open();
  bellhop = new Bellhop({
    config: `${SCRIPTED_PROFILE}
tmux: { servers: ["${tmux.socket}"] }
web: { push_services: ["${service.host}"] }
`,
  });
  [browser, api] = await Promise.all([
    launchChromium(),
    startScriptedAgent({ tmux, name: "api" }),
    bellhop.start(trusting()),
  ]);
  web = await WebStage.of(bellhop);
  await bellhop.json(["away", "on"]);
  const { http } = await bellhop.json<StatusResponse>(["status"]);
  const config = join(bellhop.home, "config.yaml");
  writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${http.port}`));
});
afterAll(async () => {
  await browser.close();
  await bellhop.dispose();
  service.close();
  await tmux.kill();
});

/** Logged in, and allowed to show notifications. A browser here cannot reach a push service: ours stands in for it. */
async function device() {
  const browsing = await opened(browser);
  await browsing.context.grantPermissions(["notifications"], { origin: web.origin });
  const { endpoint, public_key: p256dh, secret: auth } = service.subscription;
  await browsing.page.addInitScript(
    (given) => {
      const own = {
        endpoint: given.endpoint,
        options: {},
        toJSON: () => ({ endpoint: given.endpoint, keys: given.keys }),
        unsubscribe: async () => {
          localStorage.removeItem("stands-in");
          return true;
        },
      };
      Object.assign(PushManager.prototype, {
        subscribe: async () => {
          localStorage.setItem("stands-in", "subscribed");
          return own;
        },
        getSubscription: async () => (localStorage.getItem("stands-in") === null ? null : own),
      });
    },
    { endpoint, keys: { p256dh, auth } },
  );
  await browsing.page.goto((await bellhop.json<WebLink>(["open"])).url);
  await browsing.page.getByText("Live", { exact: true }).waitFor();
  return browsing;
}
declare const localStorage: {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
};

const settings = (page: Page) => page.getByRole("link", { name: "Settings" }).click();

/** Delivers it as the browser's own push service would. */
async function deliver(page: Page, data: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("ServiceWorker.enable");
  const registration = new Promise<string>((resolve) => {
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const [first] = registrations;
      if (first !== undefined) resolve(first.registrationId);
    });
  });
  await session.send("ServiceWorker.disable");
  await session.send("ServiceWorker.enable");
  await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
  await session.send("ServiceWorker.deliverPushMessage", {
    origin: web.origin,
    registrationId: await registration,
    data,
  });
}

const shown = (page: Page) =>
  page.evaluate(async () =>
    (await (await navigator.serviceWorker.ready).getNotifications()).map(({ title, data }) => ({
      title,
      data,
    })),
  );

async function titles(page: Page, count: number) {
  let found: Awaited<ReturnType<typeof shown>> = [];
  await until(
    async () => {
      found = await shown(page);
      return found.length >= count;
    },
    () => `${count} notifications; there are ${JSON.stringify(found)}`,
  );
  return found;
}

/** As the browser tells the worker, which may have been ended and started again meanwhile. */
async function tap(context: BrowserContext): Promise<void> {
  const tapped = async () => {
    const [worker] = context.serviceWorkers();
    const count = await worker?.evaluate(async () => {
      const all = await self.registration.getNotifications();
      for (const notification of all)
        self.dispatchEvent(new NotificationEvent("notificationclick", { notification }));
      return all.length;
    });
    return count !== undefined && count > 0;
  };
  await until(tapped, "a worker that can be told of the tap");
}
declare const self: {
  readonly registration: { getNotifications(): Promise<readonly Shown[]> };
  dispatchEvent(event: Event): void;
};
declare const NotificationEvent: new (name: string, facts: { readonly notification: Shown }) => Event;

async function focused(page: Page, card: string | undefined): Promise<void> {
  await page.locator(`[data-card="${card}"]:focus`).waitFor();
}

describe("notifications", () => {
  it("are wanted by a press, tested, and tell of a permission without saying which", async () => {
    const { page, context, complaints } = await device();
    await settings(page);
    await page.getByText("This device gets no notifications.").waitFor();
    await page.getByRole("button", { name: "Notify this device" }).click();
    await page.getByText(`This device gets notifications, through ${service.host}.`).waitFor();

    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText(`${service.host} took it`).waitFor();
    const [test] = await service.until(1);
    expect(test?.told).toEqual({ id: "", agent: null, kind: "test" });
    expect(test?.claims).toMatchObject({ aud: `https://${service.host}`, sub: "mailto:nobody@example.org" });
    expect(test?.claims.exp).toBeLessThan(Date.now() / 1_000 + 24 * 3_600);
    expect(test?.headers).toMatchObject({
      "content-encoding": "aes128gcm",
      ttl: "43200",
      urgency: "normal",
      topic: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    const key = join(bellhop.home, "push-key");
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(bellhop.log()).not.toContain(readFileSync(key, "utf8").trim());

    await bellhop.json(["send", "api", "[[menu touch secret-thing]]"]);
    const [, asked] = await service.until(2);
    expect(asked?.told).toEqual({ id: expect.any(String), agent: "api", kind: "permission" });
    expect(asked?.headers.urgency).toBe("high");
    expect(asked?.key).toBe(test?.key);
    expect(asked?.bytes.length).toBe(test?.bytes.length);

    // What came over the wire is what the browser shows; a tap leads to the card, and answers nothing.
    await deliver(page, JSON.stringify(asked?.told));
    expect(await titles(page, 1)).toEqual([{ title: "api asks for a permission", data: asked?.told.id }]);
    await tap(context);
    const card = page.getByRole("article").filter({ hasText: "touch secret-thing" });
    await card.waitFor();
    await focused(page, asked?.told.id);
    expect(await shown(page)).toEqual([]);
    expect(api.log().flatMap(({ answered }) => answered ?? [])).toEqual([]);

    // A second page, opened by the address that a tap opens where none is.
    const tapped = await context.newPage();
    await tapped.goto(`${web.origin}/?card=${asked?.told.id}`);
    await focused(tapped, asked?.told.id);
    await card.locator('button[aria-disabled="false"]').first().waitFor();
    await card.getByRole("button", { name: "Deny" }).click();
    await card.waitFor({ state: "detached" });
    await tapped.goto(`${web.origin}/?card=${asked?.told.id}`);
    await tapped.getByText("What the notification was about no longer needs you.").waitFor();
    expect(service.brought).toHaveLength(2);
    expect(complaints).toEqual([]);
    await context.close();
  });

  it("always show something, whatever arrives", async () => {
    const { page, context } = await device();
    await deliver(page, "no JSON <script>alert(1)</script>");
    expect(await titles(page, 1)).toEqual([{ title: "Something needs you", data: "" }]);
    await context.close();
  });

  it("come back by themselves when the browser and the daemon have lost each other", async () => {
    const { page, context } = await device();
    await settings(page);
    await page.getByRole("button", { name: "Notify this device" }).click();
    await page.getByText("This device gets notifications").waitFor();
    // The service says that it forgot the device, which the browser does not know.
    service.answers.push({ status: 410 });
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("no longer knows this device").waitFor();
    await page.getByRole("button", { name: "Notify this device" }).waitFor();
    await page.reload();
    await page.getByText("This device gets notifications").waitFor();

    service.answers.push({ status: 403 });
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("refused it; it answered 403").waitFor();
    service.answers.push({ status: 302, headers: { location: `https://${service.host}/elsewhere` } });
    const before = service.brought.length;
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("refused it; it answered 302").waitFor();
    expect(service.brought.length).toBe(before + 1);
    service.answers.push({ status: 503 });
    await page.getByRole("button", { name: "Send a test" }).click();
    await page.getByText("Try again later").waitFor();

    await page.getByRole("button", { name: "Stop notifying this device" }).click();
    await page.getByText("This device gets no notifications.").waitFor();
    await page.reload();
    await page.getByText("This device gets no notifications.").waitFor();
    await context.close();
  });

  it("stay away in quiet hours, which are set on the page and stand in the config", async () => {
    const { page, context, complaints } = await device();
    const config = join(bellhop.home, "config.yaml");
    const before = readFileSync(config, "utf8");
    writeFileSync(config, `# mine\n${before}`);
    await settings(page);
    await page.getByRole("button", { name: "Set quiet hours" }).click();
    await page.getByLabel("From").fill("21:30");
    await page.getByLabel("To", { exact: true }).fill("21:30");
    await page.getByText("Choose two different times.").waitFor();
    expect(await page.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    await page.getByLabel("To", { exact: true }).fill("06:15");
    await page.getByLabel("Permission").check();
    expect(await findings(page)).toEqual([]);
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("21:30-06:15, by the clock").waitFor();
    await page.getByText("Even then you are told of: permission.").waitFor();
    expect(readFileSync(config, "utf8")).toMatch(/^# mine\n[\s\S]*quiet: 21:30-06:15/u);
    // The daemon has read it, too.
    const quiet = async () =>
      (await bellhop.json<{ readonly [key: string]: unknown }>(["config"])) as Record<string, unknown>;
    await until(async () => JSON.stringify(await quiet()).includes("21:30-06:15"), "the config in force");
    await page.reload();
    await page.getByText("21:30-06:15, by the clock").waitFor();

    await page.getByRole("button", { name: "No quiet hours" }).click();
    await page.getByText("None. You are told at any hour.").waitFor();
    const now = readFileSync(config, "utf8");
    expect(now).not.toContain("21:30");
    writeFileSync(config, "web: [broken\n");
    await page.getByRole("button", { name: "Set quiet hours" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("alert").waitFor();
    expect(readFileSync(config, "utf8")).toBe("web: [broken\n");
    writeFileSync(config, before);
    expect(complaints).toEqual([expect.stringContaining("409")]);
    await context.close();
  });

  it("end with the login, which the page can end itself", async () => {
    const { page, context } = await device();
    await settings(page);
    await page.getByRole("button", { name: "Notify this device" }).click();
    await page.getByText("This device gets notifications").waitFor();
    const other = await web.logIn();
    await page.reload();
    const rows = page.getByRole("listitem");
    await rows.filter({ hasText: "This device" }).getByText("Gets notifications").waitFor();
    expect(await web.status(web.proof(other), "/web/sessions")).toBe(200);
    const others = rows.getByRole("button", { name: /^Log out: / });
    for (let left = await others.count(); left > 0; left -= 1) {
      await others.first().click();
      await until(async () => (await others.count()) < left, "one to be logged out");
    }
    await until(async () => (await web.status(web.proof(other))) === 401, "the other to be logged out");
    await page.getByRole("button", { name: "Log out here" }).click();
    await page.getByRole("button", { name: "Log out here" }).click();
    await page.getByText("bellhop open").first().waitFor();
    const { sessions } = await bellhop.ask("web_sessions", {});
    expect(sessions).toEqual([]);
    const before = service.brought.length;
    await bellhop.json(["send", "api", "[[menu touch b]]"]);
    await until(
      async () => (await bellhop.ask("attention", {})).attention.some(({ kind }) => kind === "permission"),
      "the permission",
    );
    expect(service.brought.length).toBe(before);
    // In an installed app there is no address bar: the link is pasted.
    await page.reload();
    await page.getByLabel("Or paste the link here").fill((await bellhop.json<WebLink>(["open"])).url);
    await page.getByRole("button", { name: "Log in" }).click();
    await page.getByText("Live", { exact: true }).waitFor();
    await context.close();
  });

  it("are only for browsers that are logged in, for themselves, and at services that are known", async () => {
    const login = await web.logIn();
    const proof = web.proof(login);
    const put = (headers: Readonly<Record<string, string>>, body: object) =>
      web.ask("PUT", "/web/push", headers, body);
    const own = service.subscription;
    expect((await put({}, own)).status).toBe(401);
    expect((await put({ ...proof, origin: "http://localhost:5173" }, own)).status).toBe(403);
    const { cookie = "", "x-bellhop-key": key = "" } = proof;
    expect((await put({ cookie }, own)).status).toBe(401);
    expect((await put({ "x-bellhop-key": key }, own)).status).toBe(401);
    const token = readFileSync(join(bellhop.home, "token"), "utf8").trim();
    const byToken = await put({ authorization: `Bearer ${token}` }, own);
    expect(byToken).toMatchObject({ status: 403, body: { error: { code: "request.forbidden" } } });
    for (const endpoint of [
      "http://fcm.googleapis.com/x",
      "https://127.0.0.1:1/x",
      "https://fcm.googleapis.com.evil.example/x",
      `https://${service.host}@evil.example/`,
    ])
      expect(await put(proof, { ...own, endpoint })).toMatchObject({
        status: 409,
        body: { error: { code: "push.unknown_service", next: expect.stringContaining("push_services") } },
      });
    for (const bad of [{ secret: "x" }, { public_key: "+".repeat(87) }, { endpoint: "" }, { more: 1 }])
      expect((await put(proof, { ...own, ...bad })).status).toBe(400);
    expect(await web.ask("GET", "/web/push", proof)).toMatchObject({ status: 200, body: { device: null } });
    expect((await put(proof, own)).status).toBe(200);
    expect(await web.ask("GET", "/web/push", proof)).toMatchObject({
      body: { device: { service: service.host }, quiet: null },
    });
    await web.ask("POST", `/web/sessions/${login.session}/revoke`, proof, {});
    expect((await put(proof, own)).status).toBe(401);
  });
});

describe("the installed page", () => {
  it("has a manifest and icons, and a worker that is asked for anew each time", async () => {
    const manifest = await web.ask("GET", "/manifest.webmanifest");
    expect(manifest.headers["content-type"]).toBe("application/manifest+json");
    const { icons } = JSON.parse(manifest.bytes.toString()) as {
      readonly icons: readonly { readonly src: string; readonly purpose: string }[];
    };
    expect(icons.map(({ purpose }) => purpose)).toEqual(["any", "any", "maskable"]);
    for (const { src } of icons)
      expect((await web.ask("GET", src)).headers).toMatchObject({ "content-type": "image/png" });
    expect((await web.ask("GET", "/worker.js")).headers).toMatchObject({
      "content-type": "text/javascript; charset=utf-8",
      "cache-control": "no-cache",
    });
    // Another page may not have it as its own.
    expect((await web.ask("GET", "/worker.js", { "sec-fetch-site": "same-site" })).status).toBe(403);
  });

  it("is there while the daemon is away, with nothing that it ever said, and right again when it is back", async () => {
    const { page, context, complaints } = await device();
    await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
    const files = Object.keys(JSON.parse(readFileSync("dist/web/files.json", "utf8")) as object);
    // All of the page's views were seen, and with them everything that it asks the daemon.
    for (const view of ["Broker", "Turns", "Bridges", "Settings"]) {
      await page.getByRole("link", { name: view, exact: true }).click();
      await page.getByRole("heading", { name: view, level: 2 }).waitFor();
    }
    const kept = await page.evaluate(async () => {
      const names = await caches.keys();
      const all = await Promise.all(names.map(async (name) => (await caches.open(name)).keys()));
      return { names, paths: all.flat().map(({ url }) => new URL(url).pathname) };
    });
    expect(kept.names).toEqual([expect.stringMatching(/^bellhop-shell-[0-9a-f]{16}$/)]);
    expect(kept.paths).toContain("/");
    expect(kept.paths.filter((path) => path !== "/" && !files.includes(path))).toEqual([]);

    await bellhop.stop("SIGKILL");
    await page.goto(`${web.origin}/agents/api`);
    await page.getByRole("heading", { name: "Bellhop" }).waitFor();
    await page.getByText("Connecting", { exact: true }).waitFor();
    // It knows nothing: no agent, no card.
    expect(await page.getByRole("article").count()).toBe(0);
    const answered = await page.evaluate(() =>
      fetch("/status").then(
        ({ status }) => status,
        () => "unreachable",
      ),
    );
    expect(answered).toBe("unreachable");
    await bellhop.start(trusting());
    await page.getByText("Live", { exact: true }).waitFor();
    await page.getByLabel("Message to api").waitFor();
    expect(complaints.filter((text) => !/Failed to (load|fetch)|WebSocket connection/.test(text))).toEqual(
      [],
    );
    await context.close();
  });

  it("gives way to a newer build at once, and leaves nothing of the old one behind", async () => {
    const folder = mkdtempSync(join(tmpdir(), "bh-build-"));
    for (const name of ["bin", "dist", "package.json"]) cpSync(name, join(folder, name), { recursive: true });
    symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
    const newer = new Bellhop({ build: folder });
    const pages = join(folder, "dist", "web");
    const versionIn = (script: string) => /version:[`"]([0-9a-f]{16})/.exec(script)?.[1] ?? "";
    try {
      await newer.start();
      const { http } = await newer.json<StatusResponse>(["status"]);
      const config = join(newer.home, "config.yaml");
      writeFileSync(config, readFileSync(config, "utf8").replace("port: 0", `port: ${http.port}`));
      const { page, context } = await opened(browser);
      await page.goto((await newer.json<WebLink>(["open"])).url);
      const kept = () => page.evaluate(() => caches.keys());
      const script = readFileSync(join(pages, "worker.js"), "utf8");
      const before = versionIn(script);
      await until(
        async () => (await kept()).includes(`bellhop-shell-${before}`),
        "the first build to be kept",
      );

      const after = "0123456789abcdef";
      writeFileSync(join(pages, "worker.js"), script.replace(before, after));
      const list = JSON.parse(readFileSync(join(pages, "files.json"), "utf8"));
      list["/worker.js"] = { ...list["/worker.js"], digest: after, codings: [] };
      writeFileSync(join(pages, "files.json"), JSON.stringify(list));
      await newer.stop();
      await newer.start();
      // The old page is still open elsewhere.
      const other = await context.newPage();
      await other.goto(`http://bellhop.localhost:${http.port}/`);
      await other.getByText("Live", { exact: true }).waitFor();
      await until(
        async () => JSON.stringify(await kept()) === JSON.stringify([`bellhop-shell-${after}`]),
        "the newer build to take over",
      );
      await context.close();
    } finally {
      await newer.dispose();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
