/** Checks the layout of the invoice page and the invoice mail on a phone, in a real browser. */
import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { type Browser, chromium } from 'playwright-core';
import { createRedPng } from '../../support/records/pictures.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const BROWSER = process.env.CHROMIUM ?? '/usr/bin/chromium';
const PHONE = { width: 390, height: 844 };

/**
 * Runs in the browser. Returns the words that are broken across lines, and by how many pixels the
 * page is too wide.
 */
const FIND_LAYOUT_PROBLEMS = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const broken = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode())
    for (const match of node.data.matchAll(/[\\p{L}\\p{N}.$%,]+/gu)) {
      const range = document.createRange();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      const tops = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (tops.size > 1) broken.push(match[0]);
    }
  return { broken, overflow: document.documentElement.scrollWidth - innerWidth };
})()`;

describe('invoice page and mail on a phone 390 pixels wide', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing & Recovery');
  let browser: Browser;

  before(async function () {
    if (!existsSync(BROWSER)) {
      const problem = `no browser: ${BROWSER} is missing. Install the package chromium, or set CHROMIUM to another browser.\n`;
      if (process.env.CI) throw new Error(problem);
      process.stderr.write(`skipped, ${problem}`);
      this.skip();
    }
    browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox', '--disable-gpu'] });
    await tenant.client.patch('/settings', {
      address: '48 Warren Street',
      city: 'Hudson',
      phone: '(518) 555-0142',
      email: 'accounts.receivable@hudson-towing-and-recovery.example',
      remittance_text: 'Checks payable to Hudson Towing & Recovery',
      tax_rate_bps: 825,
    });
    await tenant.client.call('PUT', '/settings/logo', {
      raw: createRedPng(400, 100),
      headers: { 'content-type': 'image/png' },
    });
  });
  after(() => browser?.close());

  async function sendInvoice() {
    const { body: customer } = await tenant.client.post('/customers', {
      company_name: 'Northeastern Transportation & Refrigeration Services',
      billing_email: 'accounts.payable@northeastern-transportation.example.com',
    });
    const longLineItem = {
      unit_price_cents: 12_345_678,
      quantity: 12.5,
      unit_type: 'quarter_hour',
      taxable: true,
    };
    const { body: invoice } = await tenant.client.post(
      '/invoices',
      invoiceInput({
        customer_id: customer.id,
        billing_email: 'accounts.payable@northeastern-transportation.example.com',
        vehicle_description: '2019 Freightliner Cascadia 126 with refrigerated semitrailer',
        line_items: [
          lineItem({
            ...longLineItem,
            name: 'Heavy-duty recovery and decontamination',
            description: 'Environmental responsibilities',
          }),
        ],
      }),
    );
    await tenant.client.post(`/invoices/${invoice.id}/approve`, {});
    const { body } = await tenant.client.post(`/invoices/${invoice.id}/send`, {});
    const { items } = (await tenant.client.get(`/messages?invoice_id=${invoice.id}`)).body.data;
    const { body: message } = await tenant.client.get(`/messages/${items[0].id}`);
    return { path: new URL(body.view_url).pathname, html: message.body_html as string };
  }

  it('the invoice page breaks no word, needs no sideways scrolling and shows the logo despite its CSP', async () => {
    const { path } = await sendInvoice();
    const page = await browser.newPage({ viewport: PHONE });
    const refusals: string[] = [];
    page.on('console', (message) => refusals.push(message.text()));
    await page.goto(`${stack.origin}${path}`, { waitUntil: 'load' });
    expect(await page.evaluate(FIND_LAYOUT_PROBLEMS)).to.deep.equal({ broken: [], overflow: 0 });
    expect(await page.evaluate('document.querySelector("img.logo").naturalWidth'), 'the logo').to.equal(400);
    expect(refusals.filter((text) => text.includes('Content Security Policy'))).to.deep.equal([]);
    await page.close();
  });

  it('the invoice mail breaks no word except its link', async () => {
    const { html, path } = await sendInvoice();
    const page = await browser.newPage({ viewport: PHONE });
    await page.setContent(html);
    const { broken, overflow } = (await page.evaluate(FIND_LAYOUT_PROBLEMS)) as {
      broken: string[];
      overflow: number;
    };
    expect(broken.filter((word) => !path.includes(word))).to.deep.equal([]);
    expect(overflow, 'pixels wider than the screen').to.equal(0);
    await page.close();
  });
});
