import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** axe is a script from outside, which the policy of the pages would refuse. */
export const forAxe = { bypassCSP: true };

/** Returns the violations that axe finds, each with the element. With `only` it checks one rule, which is faster. */
export async function violationsOf(page: Page, only?: 'color-contrast'): Promise<string[]> {
  await page.evaluate(axe.source);
  const options: axe.RunOptions = { resultTypes: ['violations'], ...(only && { runOnly: [only] }) };
  const { violations } = await page.evaluate((chosen) => (globalThis as unknown as { axe: typeof axe }).axe.run(chosen), options);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** How far the page reaches beyond the right edge of the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
