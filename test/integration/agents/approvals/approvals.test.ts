import { expect } from 'chai';
import { hashBody } from '../../../../shared/contracts/json/canonical-json.js';
import { newId } from '../../../../shared/platform/ids.js';
import {
  APPROVAL_THRESHOLD_CENTS,
  buildDraft,
  createAgentClient,
  expectHeld,
  setApprovalThreshold,
} from '../../../support/agents/approvals.js';
import type { TestClient, TestResponse } from '../../../support/client.js';
import { expectError } from '../../../support/expect-error.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import { lineItem } from '../../../support/records/samples.js';
import { createUser, openSession, type TestUser } from '../../../support/records/sign-in.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const taxedLineItems = (cents: number) => ({
  line_items: [lineItem({ unit_price_cents: cents, taxable: true })],
});

describe('approvals of held writes', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;
  let user: TestUser;
  let person: TestClient;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await createAgentClient(stack, tenant.id);
    user = await createUser(stack, tenant.id, { name: 'Olive' });
    person = await openSession(stack, user);
    await setApprovalThreshold(tenant);
  });

  const holdDraft = async (overrides: Record<string, unknown> = {}) =>
    expectHeld(await agent.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS, overrides)));
  const approve = (id: string, body: unknown = {}, by = person): Promise<TestResponse> =>
    by.post(`/approvals/${id}/approve`, body);
  const listAuditEntries = (entity: string) =>
    stack.rows(
      tenant.id,
      `select action, outcome, actor_type, actor_name, source, changes from audit_entries
       where entity_id = $1 order by occurred_at, id`,
      [entity],
    );
  const countInvoices = async () => (await tenant.client.get('/invoices')).body.data.count;

  it('approving a held draft creates it as the agent, with one event and an audit entry naming agent and approver', async () => {
    const held = await holdDraft();
    expect(held.hash).to.equal(
      hashBody({ payload: held.payload, amount_cents: APPROVAL_THRESHOLD_CENTS, record_version: null }),
    );
    const response = await approve(held.id, { hash: held.hash, note: 'slip is on file' });
    expect(response.status, response.text).to.equal(200);
    const { decided_at, invoice_id, ...rest } = response.body;
    expect(rest).to.deep.include({
      status: 'approved',
      decided_by: user.id,
      decided_by_name: 'Olive',
      note: 'slip is on file',
    });
    expect(Date.parse(decided_at)).to.be.closeTo(Date.now(), 60_000);
    const invoice = (await agent.get(`/invoices/${invoice_id}`)).body;
    expect(invoice).to.include({
      status: 'draft',
      total_cents: APPROVAL_THRESHOLD_CENTS,
      invoice_number: held.payload.invoice_number,
    });
    const refused = await tenant.client.post(`/invoices/${invoice_id}/approve`, {});
    expect(refused.status, 'a draft priced by an agent').to.equal(409);
    const [entry] = (await listAuditEntries(invoice_id)).filter(({ outcome }) => outcome === 'ok') as [
      Record<string, unknown>,
    ];
    expect(entry).to.include({
      action: 'invoice.created',
      actor_type: 'agent',
      actor_name: 'test key',
      source: 'rest',
    });
    expect(entry.changes).to.deep.include.members([
      { field: 'approved_by', from: null, to: 'Olive' },
      { field: 'approval_id', from: null, to: held.id },
    ]);
    const [decision] = await listAuditEntries(held.id);
    expect(decision).to.include({ action: 'approval.approved', actor_type: 'user', actor_name: 'Olive' });
    const events = (await tenant.client.get('/events')).body.data.items;
    expect(events.map((event: { type: string }) => event.type)).to.deep.equal(['invoice.created']);
    expect(events[0].data.object).to.deep.include({ id: invoice_id, total_cents: APPROVAL_THRESHOLD_CENTS });
  });

  it('ten concurrent approvals of one held draft create one invoice, and a later rejection gets 409', async () => {
    const held = await holdDraft();
    const colleague = await openSession(stack, { tenantId: tenant.id });
    const responses = await Promise.all(
      Array.from({ length: 10 }, (_, index) => approve(held.id, {}, index % 2 ? person : colleague)),
    );
    const done = responses.filter(({ status }) => status === 200);
    expect(done).to.have.length(1);
    for (const response of responses.filter((one) => one !== done[0])) {
      const details = expectError(response, 409, 'invalid_status_transition');
      expect(details[0]).to.deep.include({ from: 'approved', to: 'approved', allowed: [] });
    }
    expect(await countInvoices()).to.equal(1);
    expectError(
      await person.post(`/approvals/${held.id}/reject`, { reason: 'too late' }),
      409,
      'invalid_status_transition',
    );
    expect((await agent.get(`/invoices/${done[0]?.body.invoice_id}`)).status).to.equal(200);
  });

  it('a decision repeated with its Idempotency-Key returns the stored response', async () => {
    const held = await holdDraft();
    const headers = { 'Idempotency-Key': newId() };
    const first = await person.post(`/approvals/${held.id}/approve`, {}, { headers });
    const again = await person.post(`/approvals/${held.id}/approve`, {}, { headers });
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    expect([again.status, again.text]).to.deep.equal([200, first.text]);
    expect(await countInvoices()).to.equal(1);
  });

  it('a dry run of an approval previews the decision and stores nothing', async () => {
    const held = await holdDraft();
    const preview = await person.post(
      `/approvals/${held.id}/approve`,
      {},
      { headers: { 'X-Service-Dry-Run': 'true' } },
    );
    expect(preview.body.data, preview.text).to.include({ status: 'approved', decided_by: user.id });
    expect((await person.get(`/approvals/${held.id}`)).body).to.deep.equal(held);
    expect(await countInvoices()).to.equal(0);
  });

  it('an approval gets 409 when the price changed since it was shown, and stays pending with the new price', async () => {
    const held = await holdDraft(taxedLineItems(APPROVAL_THRESHOLD_CENTS));
    await tenant.client.patch('/settings', { tax_rate_bps: 1_000 });
    const details = expectError(await approve(held.id, { hash: held.hash }), 409, 'conflict');
    const change = { field: 'amount_cents', from: APPROVAL_THRESHOLD_CENTS, to: 110_000 };
    expect(details).to.deep.equal([change]);
    expect(await countInvoices()).to.equal(0);
    const now = (await person.get(`/approvals/${held.id}`)).body;
    expect(now).to.deep.include({ status: 'pending', amount_cents: 110_000, changes: [change] });
    expect(now.hash).to.equal(
      hashBody({ payload: now.payload, amount_cents: 110_000, record_version: null }),
    );
    // Approving with the old hash or without a hash now gets 409.
    for (const body of [{ hash: held.hash }, {}])
      expect(expectError(await approve(held.id, body), 409, 'conflict')).to.deep.equal([change]);
    const approved = await approve(held.id, { hash: now.hash });
    expect(approved.status, approved.text).to.equal(200);
    expect((await agent.get(`/invoices/${approved.body.invoice_id}`)).body.total_cents).to.equal(110_000);
  });

  it('approving a held PATCH gets 409 when its draft changed, with each change and its author', async () => {
    const draft = (await agent.post('/invoices', buildDraft(1))).body;
    const patch = { notes: 'mine', line_items: [lineItem({ unit_price_cents: APPROVAL_THRESHOLD_CENTS })] };
    const held = expectHeld(await agent.patch(`/invoices/${draft.id}`, patch));
    const changed = (await tenant.client.patch(`/invoices/${draft.id}`, { notes: 'theirs' })).body;
    const details = expectError(await approve(held.id, { hash: held.hash }), 409, 'conflict');
    expect(details).to.have.length(1);
    expect(details[0]).to.include({ field: 'notes', from: null, to: 'theirs', changed_by: 'test key' });
    const now = (await person.get(`/approvals/${held.id}`)).body;
    expect(now).to.include({ status: 'pending', record_version: changed.updated_at });
    const approved = await approve(held.id, { hash: now.hash });
    expect(approved.body, approved.text).to.include({ status: 'approved', invoice_id: draft.id });
    const invoice = (await agent.get(`/invoices/${draft.id}`)).body;
    expect(invoice).to.include({ status: 'draft', notes: 'mine', total_cents: APPROVAL_THRESHOLD_CENTS });
    const last = (await listAuditEntries(draft.id)).at(-1);
    expect(last).to.include({ action: 'invoice.updated', actor_type: 'agent' });
    expect(last?.changes).to.deep.include({ field: 'approved_by', from: null, to: 'Olive' });
  });

  it('an approval with another hash than the one shown gets 409', async () => {
    const held = await holdDraft();
    const details = expectError(await approve(held.id, { hash: 'ab'.repeat(32) }), 409, 'conflict');
    expect(details[0]).to.include({ field: 'hash', to: held.hash });
    expectError(await approve(held.id, { hash: 'x' }), 400, 'validation_error');
    expect((await person.get(`/approvals/${held.id}`)).body).to.deep.equal(held);
  });

  it('approving a held write runs every check again: a failed check gives the reason, and the write stays held', async () => {
    const held = await holdDraft();
    await tenant.client.post('/invoices', { invoice_number: held.payload.invoice_number });
    expectError(await approve(held.id, { hash: held.hash }), 409, 'duplicate_invoice_number');
    const draft = (await agent.post('/invoices', buildDraft(1))).body;
    const raisedPrice = { line_items: [lineItem({ unit_price_cents: APPROVAL_THRESHOLD_CENTS })] };
    const patch = expectHeld(await agent.patch(`/invoices/${draft.id}`, raisedPrice));
    await tenant.client.patch(`/invoices/${draft.id}`, { status: 'needs_review' });
    expectError(await approve(patch.id, { hash: patch.hash }), 409, 'conflict');
    const { hash } = (await person.get(`/approvals/${patch.id}`)).body;
    const refused = await approve(patch.id, { hash });
    expectError(refused, 409, 'conflict');
    expect(refused.body.error.message).to.include('needs_review');
    for (const { id } of [held, patch])
      expect((await person.get(`/approvals/${id}`)).body.status).to.equal('pending');
  });

  it('rejecting a held write requires a reason, is final and creates nothing', async () => {
    const held = await holdDraft();
    expectError(await person.post(`/approvals/${held.id}/reject`, {}), 400, 'validation_error');
    const response = await person.post(`/approvals/${held.id}/reject`, { reason: 'not on the slip' });
    expect(response.body, response.text).to.include({
      status: 'rejected',
      note: 'not on the slip',
      decided_by: user.id,
      invoice_id: null,
    });
    const details = expectError(await approve(held.id), 409, 'invalid_status_transition');
    expect(details[0]).to.deep.include({ from: 'rejected', to: 'approved', allowed: [] });
    expect(await countInvoices()).to.equal(0);
    const [decision] = await listAuditEntries(held.id);
    expect(decision).to.include({ action: 'approval.rejected', actor_type: 'user' });
  });

  it('a held write whose line items have no totals shows the totals that the service computes', async () => {
    const { total_cents: _total, ...untotalled } = lineItem({ quantity: 2, unit_price_cents: 75_000 });
    const held = await holdDraft({ line_items: [untotalled] });
    expect(held.payload.line_items[0].total_cents).to.equal(150_000);
    expect(held.amount_cents).to.equal(150_000);
    expect((await approve(held.id, { hash: held.hash })).status).to.equal(200);
  });

  it('an approval shows the name of the person who decided to keys and agents, in the sandbox too', async () => {
    const held = await holdDraft();
    expect(held.decided_by_name).to.equal(null);
    await person.post(`/approvals/${held.id}/reject`, { reason: 'not on the slip' });
    for (const reader of [tenant.client, agent]) {
      expect((await reader.get(`/approvals/${held.id}`)).body.decided_by_name).to.equal('Olive');
      const { body: page } = await reader.get('/approvals?status=rejected');
      expect(page.data.items[0].decided_by_name).to.equal('Olive');
    }
    await setApprovalThreshold({ ...tenant, client: tenant.sandbox });
    const sandboxAgent = await createAgentClient(stack, tenant.sandboxId);
    const inSandbox = expectHeld(await sandboxAgent.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS)));
    const decided = await approve(inSandbox.id, {}, await openSession(stack, user, 'sandbox'));
    expect(decided.body, decided.text).to.include({ status: 'approved', decided_by_name: 'Olive' });
  });

  it('an approval that an earlier release decided shows the name that the person has now', async () => {
    const held = await holdDraft();
    await person.post(`/approvals/${held.id}/reject`, { reason: 'not on the slip' });
    await stack.rows(tenant.id, 'update approvals set decided_by_name = null where id = $1', [held.id]);
    expect((await person.get(`/approvals/${held.id}`)).body.decided_by_name).to.equal('Olive');
  });

  it('API keys and agent keys cannot decide approvals', async () => {
    const held = await holdDraft();
    for (const path of ['approve', 'reject']) {
      const body = path === 'reject' ? { reason: 'x' } : {};
      for (const client of [tenant.client, agent])
        expectError(await client.post(`/approvals/${held.id}/${path}`, body), 403, 'forbidden');
    }
    expect((await person.get(`/approvals/${held.id}`)).body).to.deep.equal(held);
  });

  it('an approval is not visible to users and keys of other tenants, nor to the sandbox', async () => {
    const held = await holdDraft();
    const other = await stack.createTenant('Other');
    const outsiders = [
      await openSession(stack, { tenantId: other.id }),
      await openSession(stack, user, 'sandbox'),
    ];
    for (const outsider of outsiders) {
      expectError(await outsider.get(`/approvals/${held.id}`), 404, 'not_found');
      expectError(await approve(held.id, {}, outsider), 404, 'not_found');
      expectError(await outsider.post(`/approvals/${held.id}/reject`, { reason: 'x' }), 404, 'not_found');
      expect((await outsider.get('/approvals')).body.data.count).to.equal(0);
    }
    expect((await other.client.get(`/approvals/${held.id}`)).status).to.equal(404);
    expect((await person.get(`/approvals/${held.id}`)).body).to.deep.equal(held);
  });
});
