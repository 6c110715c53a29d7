import { expect } from 'chai';
import { findDeadlines } from '../../shared/resources/claims/deadlines.js';
import { runIsolated } from '../../workers/writes/isolate.js';
import { batchContextOf } from '../support/batch-context.js';
import type { TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { claimAfter, jobAfter } from '../support/lifecycle-records.js';
import { lineItem, UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const DAY = 86_400_000;

describe('claims on motor clubs', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let client: TestClient;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Clubbed');
    ({ client } = tenant);
  });
  after(() => stack.stop());

  const read = async (path: string) => (await client.get(path)).body;
  const invoiceOf = (claim: { invoice_id: string }) => read(`/invoices/${claim.invoice_id}`);
  const answer = (claim: { id: string }, body: Record<string, unknown>) =>
    client.post(`/claims/${claim.id}/outcome`, body);
  const suggestionsOf = async (claim: { id: string }) =>
    (await read(`/suggestions?entity_type=claim&entity_id=${claim.id}`)).data.items;
  const eventsOf = async (id: string) =>
    (
      await stack.rows<{ type: string }>(
        tenant.id,
        `select type from events where body::jsonb #>> '{data,object,id}' = '${id}' order by id`,
      )
    ).map(({ type }) => type);

  it('are queued, handed over with their invoice, accepted and paid, as a payment of the invoice', async () => {
    const claim = await claimAfter(client, [], {
      invoice: { po_number: 'PO-1', service_date: '2026-11-01T10:00:00Z' },
    });
    expect(claim).to.include({ status: 'queued', attempt: 0, expected_cents: 10_000, po_number: 'PO-1' });
    expect(claim).to.include({ submit_by: '2026-12-31T10:00:00.000Z', respond_by: null });
    const sent = await client.post(`/claims/${claim.id}/submit`, {});
    expect(sent.body).to.include({ status: 'submitted', attempt: 1 });
    expect(await invoiceOf(claim)).to.include({ status: 'sent_to_roadsync' });
    expect((await answer(claim, { outcome: 'accepted' })).body.status).to.equal('accepted');
    expectError(await answer(claim, { outcome: 'paid' }), 400, 'validation_error');
    const paid = await answer(claim, { outcome: 'paid', amount_cents: 10_000, reference: 'EFT 1' });
    expect(paid.body).to.include({ status: 'paid', paid_cents: 10_000 });
    expect(await invoiceOf(claim)).to.include({ status: 'paid', paid_cents: 10_000 });
    const [payment] = (await read(`/invoices/${claim.invoice_id}/payments`)).data.items;
    expect(payment).to.include({ method: 'motor_club', amount_cents: 10_000, reference: 'EFT 1' });
    expect(await eventsOf(claim.invoice_id)).to.deep.equal(['invoice.created', 'invoice.paid']);
    expectError(await answer(claim, { outcome: 'denied' }), 409, 'invalid_status_transition');
    expectError(await client.patch(`/claims/${claim.id}`, { club: 'X' }), 409, 'conflict');
  });

  it('that are paid short leave the rest owed, with a suggestion, until more comes', async () => {
    const claim = await claimAfter(client, ['submit']);
    const short = await answer(claim, { outcome: 'paid', amount_cents: 6_000, reason: 'Cap' });
    expect(short.body).to.include({ status: 'short_paid', paid_cents: 6_000 });
    expect(await invoiceOf(claim)).to.include({ status: 'partially_paid', balance_due_cents: 4_000 });
    const [suggestion] = await suggestionsOf(claim);
    expect(suggestion).to.include({ detector: 'claim_short_paid', amount_cents: 4_000, status: 'open' });
    expect(await eventsOf(suggestion.id)).to.deep.equal(['ai.suggestion.created']);
    await answer(claim, { outcome: 'paid', amount_cents: 4_000 });
    expect(await read(`/claims/${claim.id}`)).to.include({ status: 'paid', paid_cents: 10_000 });
    expect(await invoiceOf(claim)).to.include({ status: 'paid', balance_due_cents: 0 });
  });

  it('denied for a PO that the job knows are corrected and go out again by themselves', async () => {
    const job = await jobAfter(client, []);
    await client.patch(`/work-orders/${job}`, { notes: 'Club gave PO# 88213-A, call before arrival' });
    const claim = await claimAfter(client, ['submit'], { invoice: { work_order_id: job } });
    const denied = await answer(claim, { outcome: 'denied', code: 'missing_po', reason: 'No PO on file' });
    expect(denied.body).to.include({
      status: 'submitted',
      attempt: 2,
      po_number: '88213-A',
      denial_code: 'missing_po',
    });
    expect(await invoiceOf(claim)).to.include({ status: 'sent_to_roadsync', po_number: '88213-A' });
    expect(await suggestionsOf(claim)).to.deep.equal([]);
    const [entry] = await stack.rows<{ changes: { field: string; from: string; to: string }[] }>(
      tenant.id,
      `select changes from audit_entries where entity_id = '${claim.id}' and action = 'claim.answered'`,
    );
    const steps = (field: string) =>
      entry?.changes.filter((one) => one.field === field).map(({ from, to }) => `${from} ${to}`);
    expect(steps('status')).to.deep.equal(['submitted denied', 'denied rebilling', 'rebilling submitted']);
    expect(steps('invoice.status')).to.deep.equal([
      ...['sent_to_roadsync failed', 'failed sending', 'sending sent_to_roadsync'],
    ]);
    // The same denial again: nothing is left to change.
    const again = await answer(claim, { outcome: 'denied', code: 'missing_po' });
    expect(again.body).to.include({ status: 'denied', attempt: 2 });
    expect(await invoiceOf(claim)).to.include({ status: 'needs_review' });
    const [suggestion] = await suggestionsOf(claim);
    expect(suggestion).to.include({ kind: 'denial', detector: 'claim_denied', amount_cents: 10_000 });
    expect(suggestion.rationale).to.match(
      /denied attempt 2 of 3 over \$100\.00\. Ask the club for the PO .* Answer by \d{4}-/,
    );
  });

  it('denied for photos that an inspection has get them as evidence', async () => {
    const job = await jobAfter(client, []);
    const url = 'https://files.example.com/before.jpg';
    const photos = [{ slot: 'front', phase: 'before', url, taken_at: '2026-11-20T10:00:00Z' }];
    await client.post('/inspections', { kind: 'vehicle_condition', work_order_id: job, photos });
    const claim = await claimAfter(client, ['submit'], { invoice: { work_order_id: job } });
    const denied = await answer(claim, { outcome: 'denied', code: 'missing_photos' });
    expect(denied.body).to.deep.include({
      status: 'submitted',
      attempt: 2,
      evidence: [{ kind: 'photo', url, note: 'From the inspection' }],
    });
  });

  it('denied for mileage lower no price by themselves: the reduction is proposed, accepted by a person, approved and billed again', async () => {
    const job = await jobAfter(client, ['assign', 'start']);
    await client.post(`/work-orders/${job}/complete`, { miles: 8 });
    const mileage = {
      name: 'Miles',
      category: 'mileage',
      unit_type: 'mile',
      quantity: 12,
      unit_price_cents: 450,
    };
    const invoice = { work_order_id: job, line_items: [lineItem(), lineItem(mileage)] };
    const claim = await claimAfter(client, ['submit'], { invoice });
    await answer(claim, { outcome: 'denied', code: 'mileage_exceeds_contract' });
    expect(await invoiceOf(claim)).to.include({ status: 'needs_review', total_cents: 15_400 });
    expectError(await client.post(`/claims/${claim.id}/rebill`, {}), 409, 'invalid_status_transition');
    const [suggestion] = await suggestionsOf(claim);
    expect(suggestion.proposed_lines[0]).to.include({ category: 'adjustment', total_cents: -1_800 });
    expect((await client.post(`/suggestions/${suggestion.id}/accept`, {})).status).to.equal(200);
    expect(await invoiceOf(claim)).to.include({ status: 'needs_review', total_cents: 13_600 });
    await client.post(`/invoices/${claim.invoice_id}/approve`, {});
    const rebilled = await client.post(`/claims/${claim.id}/rebill`, {});
    expect(rebilled.body, rebilled.text).to.include({ status: 'submitted', attempt: 2 });
    expect(await invoiceOf(claim)).to.include({ status: 'sent_to_roadsync' });
  });

  it('are sent three times at most', async () => {
    const claim = await claimAfter(client, ['submit']);
    for (const attempt of [1, 2, 3]) {
      expect((await read(`/claims/${claim.id}`)).attempt).to.equal(attempt);
      await answer(claim, { outcome: 'denied', code: 'not_covered' });
      await client.post(`/invoices/${claim.invoice_id}/approve`, {});
      const rebilled = await client.post(`/claims/${claim.id}/rebill`, {});
      if (attempt < 3) expect(rebilled.status, rebilled.text).to.equal(200);
      else expect(rebilled.body.error.details[0].reason).to.match(/3 times/);
    }
    expect(await suggestionsOf(claim)).to.have.length(3);
    expect((await client.post(`/claims/${claim.id}/withdraw`, { reason: 'x' })).body.status).to.equal(
      'withdrawn',
    );
  });

  it('stand alone on an invoice that is this account’s and not settled', async () => {
    const claim = await claimAfter(client);
    const body = { invoice_id: claim.invoice_id, club: 'Other' };
    expectError(await client.post('/claims', body), 409, 'conflict');
    expectError(await client.post('/claims', { ...body, invoice_id: UNKNOWN_ID }), 400, 'validation_error');
    await client.post(`/claims/${claim.id}/withdraw`, { reason: 'wrong club' });
    expect((await client.post('/claims', body)).status).to.equal(201);
  });

  it('are refused what their table does not allow, with from, to and what is allowed', async () => {
    const claim = await claimAfter(client);
    const refused = await answer(claim, { outcome: 'denied' });
    const [detail] = expectError(refused, 409, 'invalid_status_transition');
    expect(detail).to.deep.include({
      from: 'queued',
      to: 'denied',
      allowed: ['submitted', 'withdrawn', 'expired'],
    });
    await client.post(`/claims/${claim.id}/submit`, {});
    const again = await client.post(`/claims/${claim.id}/submit`, {});
    expect(again.body).to.include({ status: 'submitted', attempt: 1 });
  });

  it('are told before their deadline, once, and expire after it', async () => {
    const at = (days: number) => new Date(Date.now() + days * DAY).toISOString();
    const soon = await claimAfter(client, [], { invoice: { service_date: at(-57) } });
    const denied = await claimAfter(client, ['submit', 'outcome:denied']);
    const sweep = async () => {
      const found = await stack.runtime.db.transaction([tenant.id], (tx) => findDeadlines(tx, 100));
      await runIsolated(batchContextOf(stack.runtime), found);
      return found.map(({ type }) => type);
    };
    await sweep();
    const notices = (await suggestionsOf(soon)).filter(
      (one: { detector: string }) => one.detector === 'claim_deadline',
    );
    expect(notices).to.have.length(1);
    expect(notices[0]).to.include({ kind: 'missed_fee', amount_cents: 10_000 });
    expect(await sweep()).to.deep.equal([]);
    const past = "set submit_by = now() - interval '1 minute', respond_by = now() - interval '1 minute'";
    for (const { id } of [soon, denied])
      await stack.rows(tenant.id, `update claims ${past} where tenant_id = $1 and id = $2`, [tenant.id, id]);
    expectError(await client.post(`/claims/${soon.id}/submit`, {}), 409, 'invalid_status_transition');
    await sweep();
    expect(await read(`/claims/${soon.id}`)).to.include({
      status: 'expired',
      status_reason: 'submit_by has passed',
    });
    expect(await read(`/claims/${denied.id}`)).to.include({
      status: 'expired',
      status_reason: 'respond_by has passed',
    });
  });
});
