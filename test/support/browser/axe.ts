import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { waitInPage, waitUntilDrawn } from './wait-in-page.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** The rules of these tags whose outcome depends on colours. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];
/** The Content-Security-Policy of the page forbids a style element, but not this. */
const STOP_TRANSITIONS = `if (document.adoptedStyleSheets.length === 0) {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync('*, ::before, ::after { transition: none !important }');
  document.adoptedStyleSheets = [sheet];
}`;

/** The theme that the page shows. */
const SHOWN_THEME = 'document.documentElement.dataset.mantineColorScheme';

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: unknown[]; failureSummary: string }[] }[];
}

/** How many times axe checks a page that changes during each check. */
const MAX_CHECKS = 5;

/** What axe looks at: the whole page, or the dialog that was opened last if one is open. */
type Part = 'page' | 'dialog';
const PARTS: Record<Part, string> = {
  page: 'document',
  dialog: '[...document.querySelectorAll("[role=dialog]")].at(-1) ?? document',
};

type Rules = { type: 'tag' | 'rule'; values: readonly string[] };

/**
 * Lists the violations of a page that follows the system's colour scheme, in both schemes. All
 * rules run in the light scheme, and the rules about colours also in the dark one. Lists it as a
 * violation if the dark scheme shows other elements or names to assistive software.
 */
export async function findViolationsInBothSchemes(page: Page): Promise<string[]> {
  // A page may count minutes.
  const readShown = async () => (await page.locator('body').ariaSnapshot()).replaceAll(/\d+/g, '0');
  const found = await runAxe(page, { type: 'tag', values: TAGS }, 'page');
  const shown = await readShown();
  await page.evaluate(STOP_TRANSITIONS);
  await page.emulateMedia({ colorScheme: 'dark' });
  await waitUntilDrawn(page);
  if ((await readShown()) !== shown) found.push(`dark scheme: shows other elements than ${shown}`);
  const inDark = await runAxe(page, { type: 'rule', values: COLOR_RULES }, 'page');
  await page.emulateMedia({ colorScheme: 'light' });
  return [...found, ...inDark.map((text) => `dark scheme: ${text}`)];
}

/**
 * Lists the violations of a page of the dashboard, or of its open dialog, in both themes. All rules
 * run in the light theme. In the dark theme, only the rules about colours run, because the
 * dashboard shows the same elements with the same names there. Begins with the theme that the page
 * shows, and leaves the page in the other one, so that it changes its colours once and not twice.
 */
export async function findViolationsInBothThemes(page: Page, part: Part = 'page'): Promise<string[]> {
  const found: string[] = [];
  const checks = {
    light: async () => found.push(...(await runAxe(page, { type: 'tag', values: TAGS }, part))),
    dark: async () => {
      const inDark = await runAxe(page, { type: 'rule', values: COLOR_RULES }, part);
      found.push(...inDark.map((text) => `dark theme: ${text}`));
    },
  };
  const isDark = await page.evaluate<boolean>(`${SHOWN_THEME} === 'dark'`);
  const [first, second] = isDark ? (['dark', 'light'] as const) : (['light', 'dark'] as const);
  await checks[first]();
  await showTheme(page, second);
  await checks[second]();
  return found;
}

/** Waits for the dialog with this title, and lists its violations in both themes. */
export async function findViolationsInDialog(page: Page, title: string): Promise<string[]> {
  await page.getByRole('dialog', { name: title, exact: true }).waitFor();
  return findViolationsInBothThemes(page, 'dialog');
}

/**
 * Shows the page in a theme. Stops transitions first. With them, an element would take over its
 * parent's new colour one frame later, so texts would lack contrast for many frames.
 */
async function showTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.evaluate(STOP_TRANSITIONS);
  await page.emulateMedia({ colorScheme: theme });
  await waitUntilDrawn(page);
  await waitInPage(page, `${SHOWN_THEME} === '${theme}'`);
}

/**
 * Runs axe in the page. Axe reads a page over several frames, so a page that changes meanwhile can
 * look as it never did: the colour of a disabled label, whose field is now enabled. Therefore
 * checks such a page again.
 */
const CHECK_STILL_PAGE = `async (part, options, maxChecks) => {
  for (let check = 1; ; check += 1) {
    let changes = 0;
    const observer = new MutationObserver((records) => { changes += records.length; });
    observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
    const result = await axe.run(part, options);
    changes += observer.takeRecords().length;
    observer.disconnect();
    if (result.violations.length === 0 || changes === 0 || check === maxChecks) return result;
  }
}`;

async function runAxe(page: Page, runOnly: Rules, part: Part): Promise<string[]> {
  // The Content-Security-Policy of the page does not block code that the debugger evaluates.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  const { violations } = await page.evaluate<AxeResult>(
    `(${CHECK_STILL_PAGE})(${PARTS[part]}, ${options}, ${MAX_CHECKS})`,
  );
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}): ${target.join(' ')}: ${failureSummary}`),
  );
}
