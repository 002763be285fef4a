/** A real browser, and all that it complains about. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { findOnPath } from "../../src/system/executables.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // Names of this machine need no proxy, whatever the environment says.
  "--proxy-server=direct://",
];

/** Only ends what never comes, on the slowest machine. */
const PATIENCE_MS = 240_000;

export function launchChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath: findOnPath("chromium", process.env.PATH ?? "") ?? "chromium",
    args: FLAGS,
  });
}

export interface Opened {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors and warnings, also of the page's security policy. */
  readonly complaints: string[];
}

/** A profile of its own. */
export async function opened(browser: Browser, options: BrowserContextOptions = {}): Promise<Opened> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  return { context, page, complaints };
}
