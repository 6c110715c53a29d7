import { expect } from 'chai';
import type { Frame, Locator, Page } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';

describe('the PDF beside the form of an invoice', () => {
  const dashboard = useDashboard();

  interface OpenForm {
    page: Page;
    tenant: TestTenant;
    id: string;
    form: Locator;
    pdf: Locator;
    reads: string[];
  }

  /** Opens the form of a stored draft. `reads` has each read of the PDF. */
  async function openForm(width: number): Promise<OpenForm> {
    const { page, tenant } = await dashboard.open(undefined, { viewport: { width, height: 900 } });
    const { body } = await tenant.client.post('/invoices', invoiceInput());
    const reads: string[] = [];
    // Send the PDF as plain text, so that the frame shows its bytes.
    await page.route('**/v1/invoices/*/pdf', async (route) => {
      const response = await route.fetch();
      reads.push(route.request().url());
      await route.fulfill({ response, headers: { ...response.headers(), 'content-type': 'text/plain' } });
    });
    await page.goto(`${dashboard.stack.origin}/app/invoices/${body.id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Edit' }).click();
    const form = page.getByRole('dialog', { name: `Edit ${body.invoice_number}` });
    await form.getByLabel('PO').waitFor();
    const pdf = form.getByTitle(`PDF of ${body.invoice_number}`);
    return { page, tenant, id: body.id, form, pdf, reads };
  }

  async function waitForFrame(page: Page, isWanted: (frame: Frame) => boolean): Promise<Frame> {
    let found: Frame | undefined;
    await eventually('the frame shows a PDF', () => {
      found = page.frames().find((frame) => frame !== page.mainFrame() && isWanted(frame));
      return found !== undefined;
    });
    return found as Frame;
  }

  it('a wide form shows the stored PDF at its right, from a blob: URL, and reads it again after a write', async () => {
    const { page, tenant, id, form, pdf } = await openForm(1400);
    await pdf.waitFor();
    const frame = await waitForFrame(page, (one) => one.url().startsWith('blob:'));
    const first = frame.url();
    expect(first).to.equal(await pdf.getAttribute('src'));
    expect(await frame.locator('body').innerText()).to.match(/^%PDF-/);
    const [field, picture] = [await form.getByLabel('Due').boundingBox(), await pdf.boundingBox()];
    expect(picture?.x, 'the PDF begins where the fields end').to.be.above(
      (field?.x ?? 0) + (field?.width ?? 0),
    );
    expect(picture?.y, 'the PDF is in view').to.be.below(450);
    await tenant.client.patch(`/invoices/${id}`, { notes: 'by a colleague' });
    const next = await waitForFrame(page, (one) => one.url() !== first && one.url().startsWith('blob:'));
    expect(await next.locator('body').innerText()).to.match(/^%PDF-/);
  });

  it('Tab leads from Save past the PDF to its link, so that people without a mouse can open it', async () => {
    const { page, form, pdf } = await openForm(1400);
    await pdf.waitFor();
    await form.getByRole('button', { name: 'Save' }).focus();
    const link = form.getByRole('link', { name: 'Open in a new tab' });
    const reached = link.and(page.locator(':focus'));
    for (let stop = 0; stop < 3 && (await reached.count()) === 0; stop += 1) await page.keyboard.press('Tab');
    await reached.waitFor();
    expect(await link.getAttribute('href')).to.equal(await pdf.getAttribute('src'));
  });

  it('a narrow form has no PDF and reads none; widening the window adds it and keeps what was typed', async () => {
    const { page, form, pdf, reads } = await openForm(1100);
    await form.getByLabel('PO').fill('PO-7');
    expect([await pdf.count(), reads.length]).to.deep.equal([0, 0]);
    await page.setViewportSize({ width: 1400, height: 900 });
    await pdf.waitFor();
    expect(await form.getByLabel('PO').inputValue()).to.equal('PO-7');
  });
});
