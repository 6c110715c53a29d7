import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

interface AxeResult {
  violations: { id: string; help: string; nodes: { target: unknown[]; failureSummary: string }[] }[];
}

/** Lists what axe finds on the page, one entry per rule and element. */
export async function findAxeViolations(page: Page): Promise<string[]> {
  // The page's Content-Security-Policy does not apply to what the debugger evaluates.
  await page.evaluate(AXE);
  const run = `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(TAGS)} } })`;
  const { violations } = (await page.evaluate(run)) as AxeResult;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${help}): ${target.join(' ')}: ${failureSummary}`),
  );
}
