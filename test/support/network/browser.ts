/** Starts a real Chromium without a window, for checks that only a browser can make. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

export function findChromium(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, 'chromium')).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The reason for skipping browser tests; undefined if they run. With CI=true they always run, and
 * fail if there is no Chromium.
 */
export const BROWSER_SKIP_REASON =
  findChromium() === undefined && process.env.CI !== 'true' ? 'there is no chromium on PATH' : undefined;

export function startBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (!executablePath) throw new Error('There is no chromium on PATH. Install it: apt-get install chromium');
  // If root runs the tests, Chromium starts only without its sandbox.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return chromium.launch({ executablePath, headless: true, args });
}
