import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import {
  APPROVAL_THRESHOLD_CENTS,
  buildDraft,
  createAgentClient,
  expectHeld,
  setApprovalThreshold,
} from '../../../support/agents/approvals.js';
import type { TestClient } from '../../../support/client.js';
import { createClockTasks } from '../../../support/clock.js';
import { expectError, listValidationErrors } from '../../../support/expect-error.js';
import { eventually } from '../../../support/poll.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import { openSession } from '../../../support/records/sign-in.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const justification = 'Lines match the signed slip.';

describe('approvals that an agent proposes, and their list', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;
  let person: TestClient;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await createAgentClient(stack, tenant.id);
    person = await openSession(stack, { tenantId: tenant.id });
  });

  const createDraft = async (client: TestClient, overrides: Record<string, unknown> = {}) => {
    const created = await client.post(
      '/invoices',
      buildDraft(500, { billing_email: 'b@example.com', ...overrides }),
    );
    expect(created.status, created.text).to.equal(201);
    return created.body;
  };
  const propose = (invoice_id: string, client = agent) =>
    client.post('/approvals', { invoice_id, justification });
  const proposeSuccessfully = async (invoiceId: string, client = agent) => {
    const response = await propose(invoiceId, client);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const readApproval = async (id: string) => (await person.get(`/approvals/${id}`)).body;
  const listIds = async (client: TestClient, query = '') => {
    const page = await client.get(`/approvals${query}`);
    expect(page.status, page.text).to.equal(200);
    return page.body.data.items.map((item: { id: string }) => item.id) as string[];
  };
  const endDeadline = (id: string) =>
    stack.rows(tenant.id, "update approvals set expires_at = now() - interval '1 second' where id = $1", [
      id,
    ]);

  it('a proposal leaves the invoice unchanged until a person approves it', async () => {
    const invoice = await createDraft(agent);
    const approval = await proposeSuccessfully(invoice.id);
    expect(approval).to.deep.include({
      kind: 'invoice_approval',
      status: 'pending',
      action: 'invoice.approve',
      amount_cents: 500,
      justification,
      invoice_id: invoice.id,
      record_version: invoice.updated_at,
      payload: { invoice_id: invoice.id, justification },
    });
    expect((await agent.get(`/invoices/${invoice.id}`)).body).to.deep.equal(invoice);
    const decided = await person.post(`/approvals/${approval.id}/approve`, { hash: approval.hash });
    expect(decided.body, decided.text).to.include({ status: 'approved', invoice_id: invoice.id });
    expect((await agent.get(`/invoices/${invoice.id}`)).body.status).to.equal('approved');
    const entries = await stack.rows(
      tenant.id,
      "select actor_type, changes from audit_entries where entity_id = $1 and action = 'invoice.approved'",
      [invoice.id],
    );
    expect(entries).to.have.length(1);
    expect(entries[0]?.actor_type).to.equal('user');
    expect(entries[0]?.changes).to.deep.include({ field: 'status', from: 'draft', to: 'approved' });
  });

  it('an invoice has one pending proposal, also with concurrent requests; after a decision it can get another', async () => {
    const { id } = await createDraft(agent);
    const responses = await Promise.all(Array.from({ length: 6 }, () => propose(id)));
    const created = responses.filter(({ status }) => status === 201);
    expect(created).to.have.length(1);
    for (const response of responses.filter((one) => one !== created[0]))
      expectError(response, 409, 'approval_already_pending');
    await person.post(`/approvals/${created[0]?.body.id}/reject`, { reason: 'not yet' });
    await proposeSuccessfully(id);
  });

  it('POST /approvals accepts invoices in draft or needs_review, and a justification of 10 to 2000 characters', async () => {
    const { id } = await createDraft(agent);
    await tenant.client.patch(`/invoices/${id}`, { status: 'needs_review' });
    await proposeSuccessfully(id);
    const released = await createDraft(tenant.client);
    await tenant.client.post(`/invoices/${released.id}/approve`, {});
    const [detail] = expectError(await propose(released.id), 409, 'invalid_status_transition');
    expect(detail).to.include({ from: 'approved', to: 'approved' });
    expect(listValidationErrors(await propose(newId()))).to.deep.equal(['invoice_id unknown']);
    const short = await agent.post('/approvals', { invoice_id: id, justification: ' too short ' });
    expect(listValidationErrors(short)).to.deep.equal(['justification min']);
    const long = await agent.post('/approvals', { invoice_id: id, justification: 'x'.repeat(2001) });
    expect(listValidationErrors(long)).to.deep.equal(['justification max']);
  });

  it('a proposal whose invoice changed gets 409 on approval, stays pending and lists the changes', async () => {
    const { id } = await createDraft(agent);
    const approval = await proposeSuccessfully(id);
    const { line_items } = buildDraft(700);
    const changed = (await tenant.client.patch(`/invoices/${id}`, { line_items })).body;
    const response = await person.post(`/approvals/${approval.id}/approve`, { hash: approval.hash });
    const details = expectError(response, 409, 'conflict');
    expect(details.map(({ field }) => field)).to.deep.equal(['line_items']);
    const now = await readApproval(approval.id);
    expect(now).to.include({ status: 'pending', amount_cents: 700, record_version: changed.updated_at });
    expect(now.changes.map(({ field }: { field: string }) => field)).to.have.members([
      'amount_cents',
      'record_version',
    ]);
    const decided = await person.post(`/approvals/${approval.id}/approve`, { hash: now.hash });
    expect(decided.status, decided.text).to.equal(200);
  });

  it('approving a proposal for an invoice without line items gets 409 and leaves the proposal pending', async () => {
    const { id } = await createDraft(agent, { line_items: [] });
    const approval = await proposeSuccessfully(id);
    const response = await person.post(`/approvals/${approval.id}/approve`, {});
    expectError(response, 409, 'invalid_status_transition');
    expect((await readApproval(approval.id)).status).to.equal('pending');
  });

  for (const [how, act] of [
    [
      'approved',
      async (id: string) => {
        const headers = { 'If-Match': (await person.get(`/invoices/${id}`)).headers.etag as string };
        return person.post(`/invoices/${id}/approve`, {}, { headers });
      },
    ],
    ['cancelled', (id: string) => tenant.client.post(`/invoices/${id}/cancel`, { reason: 'x' })],
    ['cancelled', (id: string) => tenant.client.patch(`/invoices/${id}`, { status: 'cancelled' })],
  ] as [string, (id: string) => Promise<{ status: number }>][]) {
    it(`a pending proposal is cancelled when its invoice is ${how} directly (${act.toString().match(/post|patch/)?.[0]})`, async () => {
      const { id } = await createDraft(agent);
      const approval = await proposeSuccessfully(id);
      expect((await act(id)).status).to.equal(200);
      expect(await readApproval(approval.id)).to.include({
        status: 'cancelled',
        note: `The invoice was ${how}.`,
        decided_by: null,
      });
      const response = await person.post(`/approvals/${approval.id}/approve`, {});
      const [detail] = expectError(response, 409, 'invalid_status_transition');
      expect(detail).to.deep.include({ from: 'cancelled', allowed: [] });
    });
  }

  it('a proposal approved while its invoice is cancelled ends as approved or cancelled, as its response says', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { id } = await createDraft(agent);
      const approval = await proposeSuccessfully(id);
      const [decided, cancelled] = await Promise.all([
        person.post(`/approvals/${approval.id}/approve`, {}),
        tenant.client.post(`/invoices/${id}/cancel`, { reason: 'x' }),
      ]);
      const { status } = (await agent.get(`/invoices/${id}`)).body;
      // Cancelling always succeeds, because an approved invoice may be cancelled until it is
      // released.
      expect(cancelled.status).to.equal(200);
      expect(status).to.equal('cancelled');
      const end = (await readApproval(approval.id)).status;
      expect(end).to.equal(decided.status === 200 ? 'approved' : 'cancelled');
    }
  });

  it('a proposal reads as expired after expires_at, before and after the clock has stored it', async () => {
    const { id } = await createDraft(agent);
    const approval = await proposeSuccessfully(id);
    await endDeadline(approval.id);
    expect((await readApproval(approval.id)).status).to.equal('expired');
    expect([
      await listIds(person, '?status=pending'),
      await listIds(person, '?status=expired'),
    ]).to.deep.equal([[], [approval.id]]);
    const response = await person.post(`/approvals/${approval.id}/approve`, {});
    const [detail] = expectError(response, 409, 'invalid_status_transition');
    expect(detail).to.deep.include({ from: 'expired', to: 'approved', allowed: [] });
    const next = await proposeSuccessfully(id);
    await endDeadline(next.id);
    const { data: page } = (await person.get('/approvals?status=expired')).body;
    expect(page.count).to.equal(2);
  });

  it('the clock marks an expired proposal through the write path, with an audit entry', async () => {
    const { id } = await createDraft(agent);
    const approval = await proposeSuccessfully(id);
    await endDeadline(approval.id);
    await createClockTasks(stack.runtime)('expire-approvals');
    const entry = await eventually('the clock expires it', async () => {
      const [row] = await stack.rows(
        tenant.id,
        "select actor_type, source from audit_entries where entity_id = $1 and action = 'approval.expired'",
        [approval.id],
      );
      return row;
    });
    expect(entry).to.deep.equal({ actor_type: 'system', source: 'job' });
    const [row] = await stack.rows(tenant.id, 'select status from approvals where id = $1', [approval.id]);
    expect(row?.status).to.equal('expired');
  });

  it('GET /approvals lists the newest first, filters by status, kind, agent and invoice, and pages', async () => {
    await setApprovalThreshold(tenant);
    const other = await createAgentClient(stack, tenant.id);
    const invoice = await createDraft(agent);
    const first = await proposeSuccessfully(invoice.id);
    const second = expectHeld(await agent.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS)));
    const third = expectHeld(await other.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS)));
    await person.post(`/approvals/${second.id}/reject`, { reason: 'no' });
    expect(await listIds(person)).to.deep.equal([third.id, second.id, first.id]);
    expect(await listIds(person, '?status=pending')).to.deep.equal([third.id, first.id]);
    expect(await listIds(tenant.client, '?kind=agent_write')).to.deep.equal([third.id, second.id]);
    expect(await listIds(person, `?agent_id=${third.agent_id}`)).to.deep.equal([third.id]);
    expect(await listIds(person, `?invoice_id=${invoice.id}`)).to.deep.equal([first.id]);
    const page = (await person.get('/approvals?limit=2')).body.data;
    expect(await listIds(person, `?limit=2&cursor=${page.cursor}`)).to.deep.equal([first.id]);
    expectError(await person.get('/approvals?status=new'), 400, 'validation_error');
  });

  it('an agent with propose_approvals sees only its own approvals, and an agent without it gets 403', async () => {
    const other = await createAgentClient(stack, tenant.id);
    const own = await proposeSuccessfully((await createDraft(agent)).id);
    const theirs = await proposeSuccessfully((await createDraft(other)).id, other);
    expect(await listIds(agent)).to.deep.equal([own.id]);
    expect(await listIds(agent, `?agent_id=${theirs.agent_id}`)).to.deep.equal([]);
    expect((await agent.get(`/approvals/${own.id}`)).body).to.deep.equal(own);
    expectError(await agent.get(`/approvals/${theirs.id}`), 404, 'not_found');
    const scopes = ['write_invoices_draft', 'read_invoices'];
    const drafter = stack.createClient(await stack.createKey(tenant.id, { kind: 'agent', scopes }));
    for (const path of ['/approvals', `/approvals/${own.id}`])
      expectError(await drafter.get(path), 403, 'insufficient_scope');
    expectError(await propose((await createDraft(agent)).id, drafter), 403, 'insufficient_scope');
  });
});
