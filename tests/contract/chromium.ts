/** A real browser, and all that it complains about. */
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";
import { expect, onTestFailed } from "vitest";
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

/** Only ends what never comes, on the slowest machine. Shorter than a test may take, so that it says what never came. */
const PATIENCE_MS = 180_000;
const LAST_LOOK_MS = 5_000;

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
  if (isInTest()) onTestFailed(() => showAll(context, complaints));
  return { context, page, complaints };
}

function isInTest(): boolean {
  return expect.getState().currentTestName !== undefined;
}

/** What stood on its pages when the test failed. */
async function showAll(context: BrowserContext, complaints: readonly string[]): Promise<void> {
  for (const page of context.pages()) {
    const text = await page
      .locator("body")
      .innerText({ timeout: LAST_LOOK_MS })
      .catch((error: unknown) => String(error));
    console.error(`${page.url().split("#")[0]} showed:\n${text}`);
  }
  if (complaints.length > 0) console.error(`It complained:\n${complaints.join("\n")}`);
}
