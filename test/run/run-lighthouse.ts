/**
 * `npm run lighthouse`: starts the product with its demo, and prints what Lighthouse finds on the
 * sign-in page and on screens of a signed-in person: the median of several runs.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DemoFile } from '../../bin/demo/demo-file.js';
import { PROJECT } from '../support/load/processes.js';
import { findChromium, USUAL_CHROMIUM } from '../support/network/browser.js';
import { readCookie, requestSession } from '../support/records/sign-in.js';
import { useDemoProduct } from './demo-product.js';

const CLI = join(PROJECT, 'test/lighthouse/node_modules/lighthouse/cli/index.js');
const RUNS = Number(process.env.LIGHTHOUSE_RUNS ?? 5);
const MAX_LOAD_MS = 10_000;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
const PAGES = [
  { name: 'Sign in', path: '', isSignedIn: false },
  { name: 'Overview', path: '', isSignedIn: true },
  { name: 'Dispatch', path: 'dispatch', isSignedIn: true },
  { name: 'Invoices', path: 'invoices', isSignedIn: true },
];

interface Audit {
  score: number | null;
  numericValue?: number;
  title: string;
  details?: { items?: { description?: string; sourceLocation?: { url?: string } }[] };
}

interface Report {
  categories: Record<(typeof CATEGORIES)[number], { score: number }>;
  audits: Record<string, Audit>;
}

await useDemoProduct(async (demo) => {
  const folder = await mkdtemp(join(tmpdir(), 'tow-lighthouse-'));
  try {
    const headers = join(folder, 'headers.json');
    await writeFile(headers, JSON.stringify({ Cookie: await signIn(demo) }));
    print('page | performance | accessibility | best practices | LCP | CLS | bytes');
    for (const { name, path, isSignedIn } of PAGES) {
      const url = `${demo.dashboard_url}${path}`;
      const options = isSignedIn ? [`--extra-headers=${headers}`] : [];
      const reports: Report[] = [];
      for (let run = 0; run < RUNS; run += 1) reports.push(await measure(url, folder, options));
      printMedians(name, reports);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

async function signIn({ dashboard_url: url, tenants: [person] }: DemoFile): Promise<string> {
  const { origin } = new URL(url);
  return readCookie(await requestSession(origin, { email: person?.email, password: person?.password }));
}

async function measure(url: string, folder: string, options: string[]): Promise<Report> {
  const file = join(folder, 'report.json');
  const args = [
    CLI,
    url,
    '--preset=desktop',
    `--only-categories=${CATEGORIES.join(',')}`,
    '--chrome-flags=--headless=new --no-sandbox --disable-gpu --disable-background-networking',
    // The stream stays open, so the page of a signed-in person is never without a request.
    `--max-wait-for-load=${MAX_LOAD_MS}`,
    '--no-enable-error-reporting',
    '--output=json',
    `--output-path=${file}`,
    '--quiet',
    ...options,
  ];
  const env = { ...process.env, CHROME_PATH: findChromium(USUAL_CHROMIUM) ?? '' };
  await promisify(execFile)('node', args, { env, maxBuffer: 64 * 1024 * 1024 });
  return JSON.parse(await readFile(file, 'utf8')) as Report;
}

function printMedians(name: string, reports: readonly Report[]): void {
  const medianOf = (read: (report: Report) => number): number => {
    const sorted = reports.map(read).sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  };
  const value = (audit: string) => medianOf(({ audits }) => audits[audit]?.numericValue ?? Number.NaN);
  const scores = CATEGORIES.map((category) =>
    Math.round(100 * medianOf(({ categories }) => categories[category].score)),
  );
  const lcp = `${Math.round(value('largest-contentful-paint'))} ms`;
  const bytes = `${Math.round(value('total-byte-weight') / 1024)} KiB`;
  print([name, ...scores, lcp, value('cumulative-layout-shift').toFixed(3), bytes].join(' | '));
  const failed = Object.values(reports[0]?.audits ?? {}).filter(({ score }) => score === 0);
  for (const { title } of failed) print(`  failed: ${title}`);
  const errors = reports.flatMap(({ audits }) => audits['errors-in-console']?.details?.items ?? []);
  const texts = errors.map(({ description, sourceLocation }) => `${description} ${sourceLocation?.url}`);
  for (const text of new Set(texts)) print(`  error in the console: ${text}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
