import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import type { Locale } from '../../src/kernel/locale.ts';

/** The minified file is half the size, and each page reads it again. */
const axeScript = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

type Rules = 'all' | 'contrast' | 'none';

/** Each language once, and both colour schemes. They change texts and colours, but not the structure of a page, so one look needs all rules of axe. */
export const looks: readonly [locale: Locale, colorScheme: 'light' | 'dark', rules: Rules][] = [
  ['pt-BR', 'light', 'all'],
  ['en', 'dark', 'contrast'],
  ['es', 'light', 'none'],
];

/** Returns the rules of axe that the page breaks, each with the element. */
export async function violationsOf(page: Page, rules: Rules = 'all'): Promise<string[]> {
  if (rules === 'none') return [];
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeScript);
  // No rule that runs needs the style sheets, which axe would load and parse again.
  const options: axe.RunOptions = {
    resultTypes: ['violations'],
    preload: false,
    ...(rules === 'contrast' && { runOnly: ['color-contrast'] }),
  };
  const { violations } = await page.evaluate((chosen) => (globalThis as unknown as { axe: typeof axe }).axe.run(chosen), options);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
}

/** How far the page reaches beyond the right edge of the screen. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');

/** The controls that a box around them cuts off at the right. Those in a box that scrolls can be reached. */
export const cutOffIn = (page: Page): Promise<string[]> =>
  page.evaluate(`
    const isCutOff = (control) => {
      const { right, width } = control.getBoundingClientRect();
      for (let box = control.parentElement; width > 1 && box; box = box.parentElement) {
        const { overflowX } = getComputedStyle(box);
        if (overflowX === 'auto' || overflowX === 'scroll') return false;
        if (overflowX !== 'visible' && box.getBoundingClientRect().right < right - 1) return true;
      }
      return false;
    };
    [...document.querySelectorAll('main :is(a.button, button, input, select)')].filter(isCutOff).map((control) => control.outerHTML.slice(0, 200));
  `);

/** Collects what the browser refuses or fails to run. Pages with the status 4xx are no errors here. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text());
  });
  return errors;
}
