/** Starts a real Chromium without a window, for checks that only a browser can make. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';

/** The Chromium that people use. Benches measure with it. */
export const USUAL_CHROMIUM = ['chromium'];
/** Tests prefer Chromium without windows, because it needs 40 % less CPU time. */
const PROGRAMS = ['chromium-headless-shell', ...USUAL_CHROMIUM];

/**
 * How long tests wait for a page. Long, because other tests may keep the processor busy: this time
 * is no limit for the speed of a page.
 */
export const PAGE_TIMEOUT_MS = 30_000;

/** Returns the path of the first of the programs that is installed. */
export function findChromium(programs: readonly string[] = PROGRAMS): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return programs.flatMap((program) => folders.map((folder) => join(folder, program))).find(isExecutable);
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

/**
 * Starts a browser.
 * @param programs the names of the programs that may be started, the preferred one first
 */
export function startBrowser(programs: readonly string[] = PROGRAMS): Promise<Browser> {
  const executablePath = findChromium(programs);
  if (!executablePath)
    throw new Error(`There is no browser on PATH. Install it: apt-get install ${programs[0]}`);
  // If root runs the tests, Chromium starts only without its sandbox.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return chromium.launch({ executablePath, headless: true, args });
}
