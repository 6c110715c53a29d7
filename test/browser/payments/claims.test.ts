/** The tab Claims of an invoice. */
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { useDashboard } from '../../support/browser/dashboard.js';
import { createClaimAfter, createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { createUser } from '../../support/records/sign-in.js';

const CLUB = 'Interstate Motor Club';

describe('the tab Claims of an invoice', () => {
  const dashboard = useDashboard();

  async function openClaims(page: Page, invoiceId: string): Promise<Locator> {
    await page.goto(`${dashboard.stack.origin}/app/invoices/${invoiceId}?tab=claims`);
    return page.getByRole('dialog', { name: /^INV-/ });
  }

  it('a person claims an invoice, submits the claim, and records what the club paid', async () => {
    const { page, tenant } = await dashboard.open();
    const id = await createInvoiceAfter(tenant.client, ['approve'], { po_number: 'PO-41' });
    const drawer = await openClaims(page, id);
    await drawer.getByText('No motor club is billed for this invoice.').waitFor();
    await drawer.getByRole('button', { name: 'New claim' }).click();
    const form = page.getByRole('dialog', { name: /^New claim for INV-/ });
    await form.getByText('The club gets nothing yet.').waitFor();
    expect(await form.getByLabel('PO number').inputValue()).to.equal('PO-41');
    expect(await form.getByLabel('Expected amount').inputValue()).to.equal('100.00');
    await form.getByLabel('Your provider number').fill('P-20417');
    await form.getByRole('button', { name: 'Create claim' }).click();
    await form.getByText(/^club /).waitFor();
    expect(await form.getByLabel('Motor club').getAttribute('aria-invalid')).to.equal('true');
    await form.getByLabel('Motor club').fill(CLUB);
    await form.getByRole('button', { name: 'Create claim' }).click();
    const claim = drawer.getByRole('region', { name: `Claim on ${CLUB}` });
    await claim.getByText('Queued').waitFor();
    expect(await drawer.getByRole('button', { name: 'New claim' }).count(), 'a second claim').to.equal(0);

    await claim.getByRole('button', { name: 'Submit claim' }).click();
    const sending = page.getByRole('dialog', { name: `Send the claim on ${CLUB}` });
    await sending.getByText('$100.00').waitFor();
    await sending.getByText('1 of 3').waitFor();
    await sending.getByText(`count as sent to ${CLUB}. The service sends nothing`).waitFor();
    await sending.getByRole('button', { name: 'Submit claim' }).click();
    await claim.getByText('Submitted', { exact: true }).nth(1).waitFor();

    await claim.getByRole('button', { name: "Record the club's decision" }).click();
    const decision = page.getByRole('dialog', { name: `Record the decision of ${CLUB}` });
    await decision.getByLabel('It has paid').check();
    await decision.getByLabel('Amount').fill('');
    await decision.getByRole('button', { name: 'Record decision' }).click();
    await decision.getByText('amount_cents is required when the club has paid').waitFor();
    expect(await decision.getByLabel('Amount').getAttribute('aria-invalid')).to.equal('true');
    await decision.getByLabel('Amount').fill('40');
    await decision.getByText('The claim stays short paid by $60.00.').waitFor();
    await decision.getByLabel('Check or transfer number').fill('EFT 5521');
    await decision.getByRole('button', { name: 'Record decision' }).click();
    await claim.getByText('Short paid').waitFor();
    await claim.getByRole('button', { name: "Record the club's decision" }).click();
    await decision.getByText('$60.00 becomes a payment of the invoice, and the claim is paid.').waitFor();
    await decision.getByRole('button', { name: 'Record decision' }).click();
    // The word is also the name of a fact.
    await claim.getByText('Paid', { exact: true }).nth(1).waitFor();
    const [stored] = (await tenant.client.get(`/claims?invoice_id=${id}`)).body.data.items;
    expect(stored).to.include({ status: 'paid', paid_cents: 10_000, provider_id: 'P-20417' });
    const { body } = await tenant.client.get(`/invoices/${id}/payments`);
    const references = body.data.items.map(({ reference }: { reference: string | null }) => reference);
    expect(references).to.have.members(['EFT 5521', null]);
  });

  it('a denial is shown in plain words, and a person corrects the claim, adds evidence and bills again', async () => {
    const { page, tenant } = await dashboard.open();
    const { id, invoice_id: invoiceId } = await createClaimAfter(tenant.client, ['submit']);
    const drawer = await openClaims(page, invoiceId);
    const claim = drawer.getByRole('region', { name: `Claim on ${CLUB}` });
    await claim.getByRole('button', { name: "Record the club's decision" }).click();
    const decision = page.getByRole('dialog', { name: `Record the decision of ${CLUB}` });
    await decision.getByLabel('It denies the claim').check();
    await decision.getByRole('combobox', { name: 'Why' }).click();
    await page.getByRole('option', { name: 'Photos are missing' }).click();
    await decision.getByLabel("The club's own words").fill('No pictures of the hook-up');
    await decision.getByRole('button', { name: 'Record decision' }).click();
    const denial = claim.getByRole('alert');
    await denial.getByText('Denied: Photos are missing').waitFor();
    await denial.getByText('The club wrote: “No pictures of the hook-up”').waitFor();
    await denial.getByText(/^Add photos from before hook-up/).waitFor();
    await denial.getByText('Approve it before you bill again.', { exact: false }).waitFor();

    await claim.getByRole('button', { name: 'Correct claim' }).click();
    const form = page.getByRole('dialog', { name: `Correct the claim on ${CLUB}` });
    await form.getByRole('button', { name: 'Add evidence' }).click();
    const piece = form.getByRole('group', { name: 'Evidence 1' });
    await piece.getByLabel('Link').fill('the gate');
    await piece.getByLabel('Note').fill('Before hook-up');
    await form.getByRole('button', { name: 'Save' }).click();
    await piece.getByText(/^evidence\[0\].url /).waitFor();
    expect(await piece.getByLabel('Link').getAttribute('aria-invalid')).to.equal('true');
    await piece.getByLabel('Link').fill('https://files.example.com/gate.jpg');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await claim.getByRole('link', { name: 'Before hook-up' }).waitFor();

    await claim.getByRole('button', { name: 'Bill again' }).click();
    const sending = page.getByRole('dialog', { name: `Send the claim on ${CLUB}` });
    await sending.getByText('2 of 3').waitFor();
    await sending.getByRole('button', { name: 'Bill again' }).click();
    await sending.getByText(/approve it first/).waitFor();
    await sending.getByRole('button', { name: 'Cancel' }).click();
    await drawer.getByRole('button', { name: 'Approve' }).click();
    const approving = page.getByRole('dialog', { name: /^Approve INV-/ });
    await approving.getByRole('button', { name: 'Approve' }).click();
    await approving.waitFor({ state: 'detached' });
    await claim.getByRole('button', { name: 'Bill again' }).click();
    await sending.getByRole('button', { name: 'Bill again' }).click();
    await claim.getByText('Submitted', { exact: true }).nth(1).waitFor();
    const { body } = await tenant.client.get(`/claims/${id}`);
    expect(body).to.deep.include({
      status: 'submitted',
      attempt: 2,
      evidence: [{ kind: 'photo', url: 'https://files.example.com/gate.jpg', note: 'Before hook-up' }],
    });
  });

  it('a person withdraws a claim that a colleague has just changed, after seeing the change', async () => {
    const { page, tenant } = await dashboard.open();
    const { id, invoice_id: invoiceId } = await createClaimAfter(tenant.client);
    const drawer = await openClaims(page, invoiceId);
    const claim = drawer.getByRole('region', { name: `Claim on ${CLUB}` });
    await claim.getByRole('button', { name: 'Withdraw claim' }).click();
    const question = page.getByRole('dialog', { name: `Withdraw the claim on ${CLUB}` });
    await question.getByText('The invoice keeps its status, and can be billed to another payer.').waitFor();
    const button = question.getByRole('button', { name: 'Withdraw claim' });
    expect(await button.isDisabled(), 'without a reason').to.equal(true);
    await question.getByLabel('Reason').fill('The motorist paid');
    await tenant.client.patch(`/claims/${id}`, { po_number: 'PO-77' });
    await button.click();
    await question.getByRole('alert').getByText(/PO-77/).waitFor();
    await question.getByText('PO-77', { exact: true }).waitFor();
    expect((await tenant.client.get(`/claims/${id}`)).body.status, 'before the second press').to.equal(
      'queued',
    );
    await button.click();
    await claim.getByText('Withdrawn').waitFor();
    await claim.getByText('The motorist paid').waitFor();
    await drawer.getByRole('button', { name: 'New claim' }).waitFor();
    expect(await claim.getByRole('button').count(), 'buttons of an ended claim').to.equal(0);
  });

  it('a denial that a payment has overtaken records nothing, until the person chooses anew', async () => {
    const { page, tenant } = await dashboard.open();
    const { id, invoice_id: invoiceId } = await createClaimAfter(tenant.client, [
      'submit',
      'outcome:accepted',
    ]);
    const drawer = await openClaims(page, invoiceId);
    const claim = drawer.getByRole('region', { name: `Claim on ${CLUB}` });
    await claim.getByRole('button', { name: "Record the club's decision" }).click();
    const decision = page.getByRole('dialog', { name: `Record the decision of ${CLUB}` });
    await decision.getByLabel('It denies the claim').check();
    const payment = { outcome: 'paid', amount_cents: 6_000, reference: 'EFT 60' };
    await tenant.client.post(`/claims/${id}/outcome`, payment);
    const send = decision.getByRole('button', { name: 'Record decision' });
    await send.click();
    await decision
      .getByRole('alert')
      .getByText(/short_paid/)
      .waitFor();
    await decision.getByText(/^“It denies the claim” cannot be recorded/).waitFor();
    expect(await send.isDisabled(), 'without a new choice').to.equal(true);
    // A browser extension, for example, can send a form without its button.
    await decision.evaluate((dialog) =>
      (dialog as unknown as { querySelector: (name: string) => { requestSubmit: () => void } })
        .querySelector('form')
        .requestSubmit(),
    );
    const readPayments = async (): Promise<number[]> =>
      (await tenant.client.get(`/invoices/${invoiceId}/payments`)).body.data.items.map(
        ({ amount_cents: cents }: { amount_cents: number }) => cents,
      );
    expect(await readPayments()).to.deep.equal([6_000]);
    const paid = decision.getByLabel('It has paid');
    expect(await paid.isChecked()).to.equal(false);
    await paid.check();
    expect(await decision.getByLabel('Amount').inputValue(), 'what is still missing').to.equal('40.00');
    await send.click();
    await decision.waitFor({ state: 'detached' });
    expect(await readPayments()).to.have.members([6_000, 4_000]);
    expect((await tenant.client.get(`/claims/${id}`)).body).to.include({
      status: 'paid',
      paid_cents: 10_000,
    });
  });

  it('a person who corrects the evidence of a claim keeps the link that a colleague has just added', async () => {
    const { page, tenant } = await dashboard.open();
    const before = [
      { kind: 'photo', url: 'https://files.example.com/1.jpg', note: null },
      { kind: 'photo', url: 'https://files.example.com/2.jpg', note: null },
    ];
    const { id, invoice_id: invoiceId } = await createClaimAfter(tenant.client, [], { evidence: before });
    const drawer = await openClaims(page, invoiceId);
    await drawer.getByRole('button', { name: 'Correct claim' }).click();
    const form = page.getByRole('dialog', { name: `Correct the claim on ${CLUB}` });
    await form.getByRole('button', { name: 'Remove evidence 1' }).click();
    const note = form.getByRole('group', { name: 'Evidence 1' }).getByLabel('Note');
    await note.fill('At drop-off');
    const added = { kind: 'document', url: 'https://files.example.com/gate.pdf', note: 'Gate log' };
    await tenant.client.patch(`/claims/${id}`, { evidence: [...before, added] });
    const save = form.getByRole('button', { name: 'Save' });
    await save.click();
    await form.getByRole('alert').waitFor();
    const piece = form.getByRole('group', { name: 'Evidence 2' });
    await piece.waitFor();
    expect(await piece.getByLabel('Link').inputValue()).to.equal(added.url);
    expect(await note.inputValue()).to.equal('At drop-off');
    await save.click();
    await form.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get(`/claims/${id}`);
    expect(body.evidence).to.deep.equal([{ ...before[1], note: 'At drop-off' }, added]);
  });

  it('removing a piece of evidence removes its fault too, and focuses Add evidence even at the maximum', async () => {
    const { page, tenant } = await dashboard.open();
    const evidence = Array.from({ length: 50 }, (_, index) => ({
      kind: 'photo',
      url: `https://files.example.com/${index + 1}.jpg`,
    }));
    const { invoice_id: invoiceId } = await createClaimAfter(tenant.client, [], { evidence });
    const drawer = await openClaims(page, invoiceId);
    await drawer.getByRole('button', { name: 'Correct claim' }).click();
    const form = page.getByRole('dialog', { name: `Correct the claim on ${CLUB}` });
    const link = form.getByRole('group', { name: 'Evidence 1', exact: true }).getByLabel('Link');
    await link.fill('the gate');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText(/^evidence\[0\].url /).waitFor();
    const add = form.getByRole('button', { name: 'Add evidence' });
    expect(await add.isDisabled(), 'at the maximum').to.equal(true);
    await form.getByRole('button', { name: 'Remove evidence 1', exact: true }).click();
    await form.locator('button:focus', { hasText: 'Add evidence' }).waitFor();
    expect(await link.inputValue()).to.equal('https://files.example.com/2.jpg');
    expect(await form.locator('[aria-invalid="true"]').count(), 'faults').to.equal(0);
  });

  it('the form of a short-paid claim promises no sending, and any code of a denial is shown in words', async () => {
    const { page, tenant } = await dashboard.open();
    const { invoice_id: paidId } = await createClaimAfter(tenant.client, ['submit', 'outcome:paid']);
    const paid = await openClaims(page, paidId);
    await paid.getByRole('button', { name: 'Correct claim' }).click();
    await page.getByText('The club keeps what it got. The change is only stored here.').waitFor();
    const { id, invoice_id: deniedId } = await createClaimAfter(tenant.client, ['submit']);
    // Every object has a member of this name.
    await tenant.client.post(`/claims/${id}/outcome`, { outcome: 'denied', code: 'constructor' });
    const denied = await openClaims(page, deniedId);
    await denied.getByText('Denied: Constructor').waitFor();
    await denied.getByText("Read the club's reason, correct what it names, then bill again.").waitFor();
  });

  it('the tab Claims of a work order leads to the claim, with the denial in plain words', async () => {
    const { page, tenant } = await dashboard.open();
    const { body: order } = await tenant.client.post('/work-orders', { service_type: 'tow' });
    await createClaimAfter(tenant.client, ['submit', 'outcome:denied'], {
      invoice: { work_order_id: order.id },
    });
    await page.goto(`${dashboard.stack.origin}/app/work-orders/${order.id}?tab=claims`);
    await page.getByRole('row', { name: /Denied The club does not cover this service/ }).waitFor();
    await page.getByRole('link', { name: CLUB }).click();
    const claim = page.getByRole('region', { name: `Claim on ${CLUB}` });
    await claim.getByText('Withdraw the claim, and bill the motorist or another payer.').waitFor();
  });

  it('a person who may only read sees a denied claim without buttons, and a narrow phone shows all of it', async () => {
    const tenant = await dashboard.stack.createTenant('Hudson Towing');
    const { invoice_id: invoiceId } = await createClaimAfter(tenant.client, ['submit', 'outcome:denied'], {
      evidence: [{ kind: 'photo', url: 'https://files.example.com/photo.jpg', note: 'Before hook-up' }],
    });
    const user = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const { page } = await dashboard.open(undefined, { tenant, user, viewport: { width: 320, height: 740 } });
    const drawer = await openClaims(page, invoiceId);
    const claim = drawer.getByRole('region', { name: `Claim on ${CLUB}` });
    await claim.getByText('Denied: The club does not cover this service').waitFor();
    const overflow = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect(overflow, 'px that the page scrolls sideways').to.equal(0);
    expect(await claim.getByRole('button').count()).to.equal(0);
    expect(await drawer.getByRole('button', { name: 'New claim' }).count()).to.equal(0);
  });
});
