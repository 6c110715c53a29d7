import { expect } from 'chai';
import type { Page } from 'playwright-core';
import {
  buildDraft,
  createAgentClient,
  expectHeld,
  setApprovalThreshold,
} from '../support/agents/approvals.js';
import { useDashboard } from '../support/browser/dashboard.js';
import type { TestClient } from '../support/client.js';
import { lineItem } from '../support/records/samples.js';
import { createUser } from '../support/records/sign-in.js';
import type { TestTenant } from '../support/stack.js';

describe('the screen Approvals', () => {
  const dashboard = useDashboard();
  const openAt = (page: Page, id: string) => page.goto(`${dashboard.stack.origin}/app/approvals/${id}`);

  it('a person approves a held draft after a dialog that restates amount, customer and effect', async () => {
    const { page, tenant } = await dashboard.open();
    const { approval, customer } = await holdDraft(tenant);
    await page.goto(`${dashboard.stack.origin}/app/approvals`);
    await page.getByRole('link', { name: `Create invoice ${approval.payload.invoice_number}` }).click();
    const drawer = page.getByRole('dialog', { name: /Create invoice/ });
    await drawer.getByText('Above the threshold by').waitFor();
    await drawer.getByRole('button', { name: 'Approve' }).click();
    const review = page.getByRole('dialog', { name: 'Approve this request?' });
    await review.getByText('$1,200.00').waitFor();
    await review.getByText(customer.company_name).waitFor();
    await review.getByText(/It stays a draft: nothing is approved, and nothing is sent/).waitFor();
    await review.getByRole('button', { name: 'Approve' }).click();
    await drawer.getByText(/Approved by Olive Operator/).waitFor();
    const { body } = await tenant.client.get(`/approvals/${approval.id}`);
    expect(body.status).to.equal('approved');
    expect((await tenant.client.get(`/invoices/${body.invoice_id}`)).body.status).to.equal('draft');
  });

  it('a proposal whose invoice has changed is approved only after the person has seen what changed', async () => {
    const { page, tenant } = await dashboard.open();
    const { approval, invoice } = await propose(tenant);
    await openAt(page, approval.id);
    await page.getByRole('button', { name: 'Approve' }).click();
    const review = page.getByRole('dialog', { name: 'Approve this request?' });
    await review.getByText('$100.00').waitFor();
    await tenant.client.patch(`/invoices/${invoice.id}`, {
      line_items: [lineItem({ unit_price_cents: 15_000 })],
    });
    await review.getByRole('button', { name: 'Approve' }).click();
    await review.getByText('What has changed').waitFor();
    await review.getByText('$150.00', { exact: true }).waitFor();
    expect((await tenant.client.get(`/invoices/${invoice.id}`)).body.status).to.equal('draft');
    await review.getByRole('button', { name: 'Approve' }).click();
    await review.waitFor({ state: 'detached' });
    const { body } = await tenant.client.get(`/invoices/${invoice.id}`);
    expect(body).to.include({ status: 'approved', total_cents: 15_000 });
  });

  it('the second of two decisions is refused with 409, and the first decision and its person replace the buttons', async () => {
    const { page, tenant } = await dashboard.open();
    const { approval, invoice } = await propose(tenant);
    const other = await createUser(dashboard.stack, tenant.id, { name: 'Uma Umbrella' });
    const second = await dashboard.open(`approvals/${approval.id}`, { tenant, user: other });
    await openAt(page, approval.id);
    await page.getByRole('button', { name: 'Reject' }).click();
    const review = page.getByRole('dialog', { name: 'Reject this request?' });
    await review.getByLabel('Reason').fill('The slip is not signed.');
    // The other decision must not reach this page before the click, so the approval is not read.
    const isOfApproval = (url: URL) => url.pathname.startsWith(`/v1/approvals/${approval.id}`);
    const answer = page.waitForResponse(
      (response) => isOfApproval(new URL(response.url())) && response.request().method() === 'POST',
    );
    await page.route(isOfApproval, async (route) => {
      if (route.request().method() === 'GET') await answer;
      await route.continue();
    });
    await second.page.getByRole('button', { name: 'Approve' }).click();
    const theirs = second.page.getByRole('dialog', { name: 'Approve this request?' });
    await theirs.getByRole('button', { name: 'Approve' }).click();
    await theirs.waitFor({ state: 'detached' });
    const reject = review.getByRole('button', { name: 'Reject' });
    await reject.click();
    expect((await answer).status()).to.equal(409);
    await review.getByText(/^Approved by Uma Umbrella /).waitFor();
    expect(await reject.count()).to.equal(0);
    expect((await tenant.client.get(`/approvals/${approval.id}`)).body.status).to.equal('approved');
    expect((await tenant.client.get(`/invoices/${invoice.id}`)).body.status).to.equal('approved');
  });

  it('a person without the right to decide reads who has decided', async () => {
    const { page, tenant } = await dashboard.open();
    const { approval } = await propose(tenant);
    const viewer = await createUser(dashboard.stack, tenant.id, { role: 'viewer' });
    const second = await dashboard.open(`approvals/${approval.id}`, { tenant, user: viewer });
    await second.page.getByText('People with the right approve decide.').waitFor();
    await openAt(page, approval.id);
    await page.getByRole('button', { name: 'Approve' }).click();
    const review = page.getByRole('dialog', { name: 'Approve this request?' });
    await review.getByRole('button', { name: 'Approve' }).click();
    await second.page.getByText(/Approved by Olive Operator/).waitFor();
  });

  it('rejecting needs a reason, which the agent can read, and leaves the invoice as it is', async () => {
    const { page, tenant } = await dashboard.open();
    const { approval, invoice, agent } = await propose(tenant);
    await openAt(page, approval.id);
    await page.getByRole('button', { name: 'Reject' }).click();
    const review = page.getByRole('dialog', { name: 'Reject this request?' });
    expect(await review.getByRole('button', { name: 'Reject' }).isDisabled()).to.equal(true);
    await review.getByLabel('Reason').fill('The slip is not signed.');
    await review.getByRole('button', { name: 'Reject' }).click();
    await page.getByText(/Rejected by Olive Operator/).waitFor();
    const { body } = await agent.get(`/approvals/${approval.id}`);
    expect(body).to.include({ status: 'rejected', note: 'The slip is not signed.' });
    expect((await tenant.client.get(`/invoices/${invoice.id}`)).body.status).to.equal('draft');
  });

  it('the screen opens with the pending approvals; a chosen status shows decided approvals, and stays in the URL', async () => {
    const { page, tenant } = await dashboard.open();
    const { approval } = await propose(tenant);
    await holdDraft(tenant);
    await openAt(page, approval.id);
    await page.getByRole('button', { name: 'Reject' }).click();
    const review = page.getByRole('dialog', { name: 'Reject this request?' });
    await review.getByLabel('Reason').fill('Not now.');
    await review.getByRole('button', { name: 'Reject' }).click();
    await page.getByText(/Rejected by/).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: /Create invoice/ }).waitFor();
    expect(await page.getByRole('link', { name: /Approve invoice/ }).count()).to.equal(0);
    await page.goto(`${dashboard.stack.origin}/app/approvals?status=rejected`);
    await page.getByRole('link', { name: /Approve invoice/ }).waitFor();
    expect(await page.getByRole('link', { name: /Create invoice/ }).count()).to.equal(0);
    expect(await page.getByRole('tab', { name: 'All' }).getAttribute('aria-selected')).to.equal('true');
  });

  async function holdDraft(tenant: TestTenant) {
    await setApprovalThreshold(tenant);
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Bay Street Garage' });
    const agent = await createAgentClient(dashboard.stack, tenant.id);
    const approval = expectHeld(
      await agent.post('/invoices', buildDraft(120_000, { customer_id: customer.id })),
    );
    return { approval, customer };
  }

  async function propose(tenant: TestTenant) {
    const agent: TestClient = await createAgentClient(dashboard.stack, tenant.id);
    const { body: invoice } = await tenant.client.post(
      '/invoices',
      buildDraft(10_000, { billing_email: 'payer@example.com' }),
    );
    const { body: approval } = await agent.post('/approvals', {
      kind: 'invoice_approval',
      invoice_id: invoice.id,
      justification: 'Lines match the signed tow slip.',
    });
    return { approval, invoice, agent };
  }
});
