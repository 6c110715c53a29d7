import type { Page } from 'playwright-core';
import { hashPassword } from '../shared/platform/crypto.js';
import { newId } from '../shared/platform/ids.js';
import { insertUsers } from '../shared/resources/users/handlers.js';
import { startBrowser, USUAL_CHROMIUM } from '../test/support/network/browser.js';
import { createTenant, openBenchDatabase, startProduct } from './support/product.js';
import { print, printMachine } from './support/report.js';
import { startStores } from './support/stores.js';

// Measures the dashboard in a real Chromium on this machine, as a person feels it. How soon does
// the page show a write of another person? How soon does a record open that was read before? How
// long does the dispatch board take to show its cards once they have arrived?
const SAMPLES = Number(process.env.BENCH_SAMPLES ?? 40);
const CARDS = Number(process.env.BENCH_CARDS ?? 200);
const PASSWORD = 'a password for the bench';
const EMAIL = 'person@bench.example';

printMachine();
const stores = await startStores({ redis: false });
const product = await startProduct(stores, 'all', {
  settings: { NODE_ENV: 'development', BASE_URL: '', DEMO: 'false' },
});
const db = openBenchDatabase(stores);
const { key, tenantId } = await createTenant(db);
const password_hash = await hashPassword(PASSWORD);
await db.transaction([tenantId], (tx) =>
  insertUsers(tx, [{ tenant_id: tenantId, id: newId(), name: 'Person', email: EMAIL, password_hash }]),
);

async function post(path: string, body: object): Promise<{ id: string }> {
  const response = await fetch(`${product.origin}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as { id: string };
}

function report(label: string, times: number[], bar: string): void {
  const sorted = [...times].sort((a, b) => a - b);
  const msAt = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0);
  print(`${label}: p50 ${msAt(0.5)} ms, p95 ${msAt(0.95)} ms (bar: ${bar})`);
}

/**
 * Measures the time from the response to an API write until another person's page shows the row.
 */
async function measureEvents(page: Page): Promise<number[]> {
  await page.goto(`${product.origin}/app/customers`);
  await page.getByText('Connected').waitFor();
  const times: number[] = [];
  for (let nth = 0; nth < SAMPLES; nth += 1) {
    const company_name = `Seen soon ${nth}.`;
    await post('/customers', { company_name });
    const startedAt = performance.now();
    await page.getByRole('link', { name: company_name, exact: true }).waitFor();
    times.push(performance.now() - startedAt);
    // Wait, so that the page reads each write separately. It reads the writes of a burst together,
    // once a second.
    await page.waitForTimeout(1100);
  }
  return times;
}

/**
 * Measures the time from the click on a row until its record is shown. The record was read before.
 */
async function measureDrawer(page: Page): Promise<number[]> {
  const times: number[] = [];
  const open = `new Promise((resolve) => {
    const startedAt = performance.now();
    const look = () => document.querySelector('[role="dialog"] dl')
      ? requestAnimationFrame(() => resolve(performance.now() - startedAt)) : requestAnimationFrame(look);
    document.querySelector('tbody a').click();
    look();
  })`;
  for (let nth = 0; nth < SAMPLES; nth += 1) {
    const time = Number(await page.evaluate(open));
    // Skip the first time, in which the browser also reads the record and the file of the screen.
    if (nth > 0) times.push(time);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  return times;
}

/** Measures the time from the arrival of the board's response until all cards are painted. */
async function measureBoard(page: Page): Promise<number[]> {
  for (let nth = 0; nth < CARDS; nth += 1) {
    const { id } = await post('/work-orders', { service_type: 'tow', pickup_location: `${nth} Main St` });
    // A column shows a hundred cards at first, so put every second work order into another column.
    if (nth % 2 === 0) continue;
    const truck = await post('/trucks', { unit_number: `T-${nth}`, duty_class: 'light' });
    await post(`/work-orders/${id}/assign`, { truck_id: truck.id });
  }
  const times: number[] = [];
  const watch = `new Promise((resolve) => {
    const look = () => document.querySelectorAll('article').length >= ${CARDS}
      ? requestAnimationFrame(() => {
          const [read] = performance.getEntriesByType('resource').filter(({ name }) => new URL(name).pathname.endsWith('/dispatch-board'));
          resolve(performance.now() - read.responseEnd);
        })
      : requestAnimationFrame(look);
    look();
  })`;
  for (let nth = 0; nth < SAMPLES; nth += 1) {
    await page.goto(`${product.origin}/app/dispatch`);
    times.push(Number(await page.evaluate(watch)));
  }
  return times;
}

const browser = await startBrowser(USUAL_CHROMIUM);
const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
await page.goto(`${product.origin}/app/customers`);
await page.getByLabel('E-mail').fill(EMAIL);
await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
await page.getByRole('button', { name: 'Sign in' }).click();
await page.getByRole('heading', { level: 1, name: 'Customers' }).waitFor();
report('event to pixel', await measureEvents(page), 'p95 at most 1000 ms');
report('drawer of a record that was read before', await measureDrawer(page), 'p95 at most 100 ms');
report(`board of ${CARDS} cards`, await measureBoard(page), 'p95 at most 100 ms');
await browser.close();
await db.close();
await product.stop();
await stores.stop();
