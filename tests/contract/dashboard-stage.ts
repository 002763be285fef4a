/** What tests of the page in a browser have in common. */
import axeCore from "axe-core";
import type { Page } from "playwright-core";

/** In the browser. */
declare const axe: {
  run(): Promise<{
    readonly violations: readonly {
      readonly id: string;
      readonly nodes: readonly { readonly html: string }[];
    }[];
  }>;
};

/** What keeps some people from using the page as it is now. */
export async function findings(page: Page): Promise<readonly string[]> {
  await page.evaluate(axeCore.source);
  const { violations } = await page.evaluate(() => axe.run());
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
