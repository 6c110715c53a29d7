import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { findViolationsInBothSchemes } from '../../support/browser/axe.js';
import { useLinkPages } from '../../support/browser/link-pages.js';
import { eventually } from '../../support/poll.js';
import { NORTH_OF_PICKUP, TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { createRedPng } from '../../support/records/pictures.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

const MINUTE_MS = 60_000;

describe('the tracking page in a browser', () => {
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack, 'Hudson Towing');
  const pages = useLinkPages(stack);

  /** Lets the page's time pass until it shows the text. */
  const waitFor = (page: Page, text: string | RegExp) =>
    eventually(`the page shows: ${text}`, async () => {
      await pages.changeNetwork(page);
      await page.clock.runFor(20_000);
      return page.getByText(text, { exact: true }).isVisible();
    });
  /** Counts the requests that the page sends for its state. */
  const countReads = (page: Page) => {
    const counter = { reads: 0 };
    page.on('request', (request) => {
      if (request.url().endsWith('/state')) counter.reads += 1;
    });
    return counter;
  };

  it('the page follows a work order from the booking to its end, without being loaded again', async () => {
    const tow = await TrackedTow.book(tenant.client, { vehicle: { make: 'Honda', model: 'Accord' } });
    const { page } = await pages.open(tow.path);
    await page.getByRole('heading', { level: 1, name: 'Hello Dana' }).waitFor();
    await page.getByText('We have your request. No truck is assigned yet.').waitFor();
    await page.evaluate(`document.body.dataset.loaded = 'once'`);
    const current = page.getByRole('list', { name: 'Progress' }).locator('[aria-current=step]');
    await tow.assign(new Date(Date.now() + 30 * MINUTE_MS));
    await waitFor(page, 'A truck is assigned to you.');
    await page.getByText(/^Expected at (.+, )?\d/).waitFor();
    await tow.log('en_route');
    await tow.locate(NORTH_OF_PICKUP);
    await waitFor(page, 'The truck is about 6.9 miles north of your vehicle, in a straight line.');
    expect(await current.innerText()).to.match(/On the way to you\s+Now/);
    await page.locator('svg').waitFor();
    await tow.act('start');
    await tow.log('on_scene');
    await waitFor(page, 'The truck is at your vehicle.');
    expect(await page.locator('svg').isVisible()).to.equal(false);
    expect(
      await page.getByText(/Expected at|straight line/).count(),
      'what only a waiting motorist sees',
    ).to.equal(0);
    await tow.log('towing');
    await waitFor(page, 'Your vehicle is being towed.');
    await tow.act('complete');
    await waitFor(page, 'The work is done.');
    await page.getByText('Your vehicle: Honda Accord').waitFor();
    expect(await page.locator('body').getAttribute('data-loaded')).to.equal('once');
    const counter = countReads(page);
    await page.clock.runFor(10 * MINUTE_MS);
    expect(counter.reads, 'reads after the end').to.equal(0);
  });

  it('without JavaScript the page shows the same, and a link reads it again', async () => {
    const tow = await TrackedTow.book(tenant.client);
    const { page } = await pages.open(tow.path, { javaScriptEnabled: false });
    await page.getByText('We have your request. No truck is assigned yet.').waitFor();
    await tow.depart();
    await tow.locate(NORTH_OF_PICKUP);
    await eventually('the truck on the way', async () => {
      await page.getByRole('link', { name: 'Read again' }).click();
      return page.getByText(/6\.9 miles north/).isVisible();
    });
    expect(await page.locator('svg').isVisible()).to.equal(true);
    await tow.act('complete');
    await eventually('the end', async () => {
      await page.getByRole('link', { name: 'Read again' }).click();
      return page.getByText('The work is done.').isVisible();
    });
  });

  it('without a network the page keeps what it showed last and says so, until it can read again', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.assign(new Date(Date.now() + 30 * MINUTE_MS));
    const { page, context } = await pages.open(tow.path);
    const lost = page.getByText('No connection. This page shows what was known last.');
    expect(await lost.isVisible()).to.equal(false);
    await context.setOffline(true);
    await lost.waitFor();
    await page.clock.runFor(5 * MINUTE_MS);
    expect(await page.getByText('A truck is assigned to you.').isVisible()).to.equal(true);
    expect(await page.getByText(/^Expected at/).isVisible()).to.equal(true);
    // Without a network, the page hides the minutes until arrival, because it cannot update them.
    expect(await page.getByText(/^In about/).isVisible()).to.equal(false);
    await tow.log('en_route');
    await context.setOffline(false);
    await lost.waitFor({ state: 'hidden' });
    await waitFor(page, 'The truck is on the way to you.');
    expect(await page.getByText(/^In about/).isVisible()).to.equal(true);
    await tow.locate(NORTH_OF_PICKUP);
    await waitFor(page, /^Estimated arrival: about /);
    await context.setOffline(true);
    await lost.waitFor();
    expect(await page.getByText(/^Estimated arrival/).isVisible()).to.equal(false);
  });

  it('a screen reader hears each new state once, and nothing else', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.depart();
    const { page } = await pages.open(tow.path);
    expect(await page.locator('[role=status], [role=alert], [aria-live]').count()).to.equal(1);
    await page.evaluate(`
      window.heard = [];
      const region = document.querySelector('[role=status]');
      const observer = new MutationObserver(() => window.heard.push(region.textContent));
      observer.observe(region, { childList: true, characterData: true, subtree: true, attributes: true });
    `);
    await tow.locate(NORTH_OF_PICKUP);
    await waitFor(page, 'The truck is about 6.9 miles north of your vehicle, in a straight line.');
    await tow.locate({ lat: 40.7428, lng: -74.006 });
    await waitFor(page, 'The truck is about 2.1 miles north of your vehicle, in a straight line.');
    await tow.log('on_scene');
    await waitFor(page, 'The truck is at your vehicle.');
    expect(await page.evaluate('window.heard')).to.deep.equal(['The truck is at your vehicle.']);
  });

  it('the page sends one request at a time, none while hidden, and fewer after errors', async () => {
    const tow = await TrackedTow.book(tenant.client);
    const { page } = await pages.open(tow.path);
    const counter = countReads(page);
    let answer: () => void = () => undefined;
    await page.route('**/state', async (route) => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await route.fulfill({ status: 503, body: '' });
    });
    await page.clock.runFor(15_500);
    await eventually('the first read', () => counter.reads === 1);
    // Advance less than ten seconds, because the page then gives up the unanswered request.
    for (let second = 0; second < 4; second += 1) {
      await page.evaluate(`dispatchEvent(new Event('online'))`);
      await page.clock.runFor(1000);
    }
    expect(counter.reads, 'reads while one is unanswered').to.equal(1);
    answer();
    await page.getByText(/^No connection/).waitFor();
    await page.unroute('**/state');
    await page.route('**/state', (route) => route.fulfill({ status: 503, body: '' }));
    for (let minute = 0; minute < 10; minute += 1) await page.clock.runFor(MINUTE_MS);
    expect(counter.reads, 'reads in ten minutes of errors').to.be.within(2, 9);
    const setHidden = (isHidden: boolean) =>
      page.evaluate(`
        Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'));
      `);
    await setHidden(true);
    const before = counter.reads;
    await page.clock.runFor(20 * MINUTE_MS);
    expect(counter.reads, 'reads while hidden').to.equal(before);
    await page.unroute('**/state');
    await setHidden(false);
    await page.clock.runFor(1000);
    await page.getByText(/^No connection/).waitFor({ state: 'hidden' });
    expect(counter.reads).to.equal(before + 1);
  });

  it('while it shows a truck on its way, the page has a new position within two seconds, and asks less often otherwise', async () => {
    const tow = await TrackedTow.book(tenant.client);
    await tow.depart();
    await tow.locate(NORTH_OF_PICKUP);
    const { page } = await pages.open(tow.path);
    const miles = (count: string) =>
      page.getByText(`The truck is about ${count} miles north of your vehicle, in a straight line.`);
    await miles('6.9').waitFor();
    // From here on, the page's time passes only by `runFor`.
    await page.clock.pauseAt(Date.now() + MINUTE_MS);
    const counter = countReads(page);
    // The page plans its next read when it has shown the last one.
    await page.evaluate(`(() => {
      const { setTimeout } = window;
      window.plans = 0;
      window.setTimeout = (...args) => { window.plans += 1; return setTimeout(...args); };
    })()`);
    const countPlans = () => page.evaluate<number>('window.plans');
    const readNext = async (ms: number) => {
      const before = await countPlans();
      await page.clock.runFor(ms);
      await eventually('the page has read', async () => (await countPlans()) > before);
    };
    // For a quarter of a second, the server may answer with the last read.
    const outliveCache = () => new Promise((resolve) => setTimeout(resolve, 300));
    await readNext(2000);
    for (const [lat, count] of [
      [40.7428, '2.1'],
      [40.8128, '6.9'],
      [40.7428, '2.1'],
    ] as const) {
      await tow.locate({ lat, lng: NORTH_OF_PICKUP.lng });
      await outliveCache();
      await pages.changeNetwork(page);
      await readNext(1700);
      await miles(count).waitFor();
    }
    await tow.log('on_scene');
    await outliveCache();
    await readNext(2000);
    await page.getByText('The truck is at your vehicle.').waitFor();
    const before = counter.reads;
    for (let second = 0; second < 11; second += 1) await page.clock.runFor(1000);
    expect(counter.reads, 'reads in 11 seconds without a position').to.equal(before);
  });

  it('when the link of an open page ends, the page names the company to call', async () => {
    const tow = await TrackedTow.book(tenant.client);
    const { page } = await pages.open(tow.path);
    await stack.rows(
      tenant.id,
      `update work_orders set created_at = now() - interval '31 days' where tenant_id = $1 and id = $2`,
      [tenant.id, tow.id],
    );
    await waitFor(page, 'With questions, call Hudson Towing.');
  });

  it('the page has no barrier that axe finds and fits small phones, light and dark, also with long names', async () => {
    const account = await stack.createTenant(`Tow${'ing'.repeat(40)}`);
    const picture = { raw: createRedPng(480, 120), headers: { 'content-type': 'image/png' } };
    await account.client.call('PUT', '/settings/logo', picture);
    await account.client.patch('/settings', { phone: '+1 518 555 0142' });
    const vehicle = { make: 'M'.repeat(90), model: '<b>Model</b>' };
    const tow = await TrackedTow.book(account.client, { vehicle }, { unit_number: 'U'.repeat(32) });
    await tow.depart(new Date(Date.now() + 40 * MINUTE_MS));
    await tow.locate(NORTH_OF_PICKUP);
    const done = await TrackedTow.book(account.client);
    await done.depart();
    await done.act('complete');
    for (const path of [tow.path, done.path, '/t/unknown']) {
      const { page } = await pages.open(path, { width: 320 });
      expect(await findViolationsInBothSchemes(page), path).to.deep.equal([]);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
        expect(overflow, `pixels beyond the width: ${colorScheme} ${path}`).to.equal(0);
      }
    }
  });
});
