/**
 * The service worker: shows notifications, and the page while the daemon cannot be reached. It keeps the files of the
 * build that it belongs to, and nothing that the daemon says.
 */
import { addressFor, noticeOf } from "./notice.ts";
import { cacheName, isKept, outdated, type Shell, wayOf } from "./shell.ts";

/** Set by the build: the first are what the page needs to be seen. */
declare const SHELL: {
  readonly version: string;
  readonly first: readonly string[];
  readonly files: readonly string[];
};

/** What a service worker has, as far as it is used here: the page's own types do not know it. */
interface Later extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Client {
  readonly url: string;
  postMessage(message: unknown): void;
  focus(): Promise<unknown>;
}
interface WorkerEvents {
  install: Later;
  activate: Later;
  fetch: Later & { readonly request: Request; respondWith(answer: Promise<Response>): void };
  push: Later & { readonly data: { json(): unknown } | null };
  notificationclick: Later & { readonly notification: { readonly data: unknown; close(): void } };
}
declare const self: {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: {
      readonly type: "window";
      readonly includeUncontrolled: true;
    }): Promise<readonly Client[]>;
    openWindow(address: string): Promise<unknown>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(
    name: Name,
    hear: (event: WorkerEvents[Name]) => void,
  ): void;
};

const PAGE = "/";
/** A daemon that is stopped accepts connections and says nothing. */
const PAGE_WITHIN_MS = 4_000;

// Taken apart once: the build puts it wherever it is named.
const { version, first, files } = SHELL;
const shell: Shell = { origin: self.location.origin, files };
const kept = () => caches.open(cacheName(version));

self.addEventListener("install", (event) => event.waitUntil(keepFirst()));

self.addEventListener("activate", (event) => event.waitUntil(takeOver()));

self.addEventListener("fetch", (event) => {
  const way = wayOf(event.request, shell);
  if (way.kind === "page") event.respondWith(page(event.request.url));
  if (way.kind === "file") event.respondWith(file(way.path, event.request));
});

self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data));
});

async function keepFirst(): Promise<void> {
  const cache = await kept();
  await cache.addAll([PAGE, ...first].map((path) => new Request(path, { cache: "no-cache" })));
  // An older one must not stay for as long as a page is open somewhere.
  await self.skipWaiting();
}

async function takeOver(): Promise<void> {
  for (const name of outdated(await caches.keys(), version)) await caches.delete(name);
  await self.clients.claim();
}

/**
 * As the daemon serves it, if it answers; else as it was. It is asked for anew: a page that another site has a link to
 * would otherwise be asked for in that site's name, and refused.
 */
async function page(url: string): Promise<Response> {
  const fetched = fetch(url, { headers: { accept: "text/html" }, cache: "no-cache" });
  const late = new Promise<undefined>((resolve) => {
    setTimeout(() => resolve(undefined), PAGE_WITHIN_MS);
  });
  const answer = await Promise.race([fetched.catch(() => undefined), late]);
  return answer ?? (await (await kept()).match(PAGE)) ?? fetched;
}

/** Its name changes with its content. */
async function file(path: string, request: Request): Promise<Response> {
  const cache = await kept();
  const known = await cache.match(path);
  if (known !== undefined) return known;
  const answer = await fetch(request);
  if (isKept(answer)) await cache.put(path, answer.clone());
  return answer;
}

function read(data: WorkerEvents["push"]["data"]): unknown {
  try {
    return data?.json();
  } catch {
    return undefined;
  }
}

async function show(payload: unknown): Promise<void> {
  const { title, body, tag, card } = noticeOf(payload);
  const options = { body, tag, renotify: true, icon: "/icon-192.png", badge: "/badge-96.png", data: card };
  await self.registration.showNotification(title, options);
}

/** A page that is open already shows the card itself: what is written in it stays. */
async function open(data: unknown): Promise<void> {
  const card = typeof data === "string" ? data : "";
  const [client] = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  if (client === undefined) {
    await self.clients.openWindow(addressFor(card));
    return;
  }
  client.postMessage({ type: "show-card", card });
  await client.focus();
}
