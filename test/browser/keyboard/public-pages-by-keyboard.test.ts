/** The pages of motorists and customers by keyboard alone: a followed tow, and a paid bill. */
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { KeyboardPerson } from '../../support/browser/keyboard-person.js';
import { useLinkPages } from '../../support/browser/link-pages.js';
import { eventually } from '../../support/poll.js';
import { TrackedTow } from '../../support/public-pages/tracked-tow.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { PROXIED_STACK, useStack, useTenant } from '../../support/use-stack.js';

const PHONE = '+1 518 555 0142';

describe('the pages behind links by keyboard alone', function () {
  this.timeout(120_000);
  const stack = useStack(PROXIED_STACK);
  const tenant = useTenant(stack, 'Hudson Towing');
  const pages = useLinkPages(stack);

  /** Presses Tab until the focus has left the page, and returns the texts of the stops. */
  async function listStops(page: Page, press: (key: string) => Promise<void>): Promise<string[]> {
    const stops: string[] = [];
    for (;;) {
      await press('Tab');
      const stop = await page.evaluate<string | null>(
        'document.activeElement === document.body ? null : document.activeElement.textContent.trim()',
      );
      if (stop === null || stops.length > 20) return stops;
      stops.push(stop);
    }
  }

  it('a motorist who follows a tow reaches the number to call, and sees the focus there', async () => {
    await tenant.client.patch('/settings', { phone: PHONE });
    const tow = await TrackedTow.book(tenant.client);
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page } = await pages.open(tow.path, { colorScheme });
      const person = new KeyboardPerson(page);
      expect(await listStops(page, (key) => person.press(key))).to.deep.equal([`Call ${PHONE}`]);
      person.expectFocusWasSeen();
    }
  });

  it('without scripts a motorist also reaches the link that reads the page again, and follows it', async () => {
    await tenant.client.patch('/settings', { phone: PHONE });
    const tow = await TrackedTow.book(tenant.client);
    const { page } = await pages.open(tow.path, { javaScriptEnabled: false });
    const press = (key: string) => page.keyboard.press(key);
    expect(await listStops(page, press)).to.deep.equal([`Call ${PHONE}`, 'Read again']);
    await tow.depart();
    const again = page.getByRole('link', { name: 'Read again' }).and(page.locator(':focus'));
    await eventually('the truck on the way', async () => {
      while ((await again.count()) === 0) await press('Tab');
      await Promise.all([page.waitForEvent('load'), press('Enter')]);
      return page.getByText('The truck is on the way to you.').isVisible();
    });
  });

  it('a customer opens the bill, chooses to pay it online, and pays on the page of the sandbox', async () => {
    const { sandbox } = tenant;
    const id = await createInvoiceAfter(sandbox, ['approve']);
    const { body } = await sandbox.post(`/invoices/${id}/send`, {});
    const { page } = await pages.open(new URL(body.view_url).pathname, { isPublic: true });
    const person = new KeyboardPerson(page);
    expect(await listStops(page, (key) => person.press(key))).to.deep.equal([
      'Pay $100.00 online',
      'Open as PDF',
    ]);
    await person.tabTo('button', 'Pay $100.00 online');
    await page.keyboard.press('Enter');
    await person.tabTo('button', 'Pay by card');
    await page.keyboard.press('Enter');
    await page.getByText('The payment is succeeded.').waitFor();
    expect((await sandbox.get(`/invoices/${id}`)).body).to.include({ status: 'paid' });
    person.expectFocusWasSeen();
  });
});
