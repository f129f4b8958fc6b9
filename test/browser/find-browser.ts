import { accessSync, constants, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Chromium that `npx playwright install` has downloaded. */
function inPlaywrightCache(home: string): string[] {
  const cache = join(home, '.cache/ms-playwright');
  try {
    return readdirSync(cache)
      .filter((name) => name.startsWith('chromium-'))
      .map((name) => join(cache, name, 'chrome-linux/chrome'));
  } catch {
    return [];
  }
}

/** The headless shell of Chromium is the same engine without windows. It needs less of the processor, but has no camera. Null if there is none. */
export function findHeadlessShell({ TESSERA_BROWSER: given = '', PATH = '' }: NodeJS.ProcessEnv): string | null {
  if (given !== '' && given !== 'required') return null;
  return (
    PATH.split(delimiter)
      .map((folder) => join(folder, 'chromium-headless-shell'))
      .find(isProgram) ?? null
  );
}

/** Returns the path of Chromium: from TESSERA_BROWSER, the PATH, or the cache of Playwright. Null if there is none. */
export function findBrowser({ TESSERA_BROWSER: given = '', PATH = '' }: NodeJS.ProcessEnv): string | null {
  const isRequired = given === 'required';
  if (given !== '' && !isRequired) {
    if (isProgram(given)) return given;
    throw new Error(`TESSERA_BROWSER=${given} is not a program`);
  }
  const places = [...PATH.split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))), ...inPlaywrightCache(homedir())];
  const found = places.find(isProgram) ?? null;
  if (found === null && isRequired)
    throw new Error('TESSERA_BROWSER=required, but there is no Chromium (Debian: apt-get install chromium)');
  return found;
}
