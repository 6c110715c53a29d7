import { expect } from 'chai';
import { findClaimDeadlines } from '../../../shared/resources/claims/deadlines.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { createClaimAfter, createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import { lineItem, UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';

const DAY = 86_400_000;

describe('motor-club claims', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Clubbed');
  let client: TestClient;

  before(async () => {
    ({ client } = tenant);
  });

  const read = async (path: string) => (await client.get(path)).body;
  const readInvoice = (claim: { invoice_id: string }) => read(`/invoices/${claim.invoice_id}`);
  const recordOutcome = (claim: { id: string }, body: Record<string, unknown>) =>
    client.post(`/claims/${claim.id}/outcome`, body);
  const listSuggestions = async (claim: { id: string }) =>
    (await read(`/suggestions?entity_type=claim&entity_id=${claim.id}`)).data.items;
  const listEventTypes = async (id: string) =>
    (
      await stack.rows<{ type: string }>(
        tenant.id,
        `select type from events where body::jsonb #>> '{data,object,id}' = '${id}' order by id`,
      )
    ).map(({ type }) => type);

  it('a claim is queued, submitted with its invoice, accepted and paid, and the payment is on the invoice', async () => {
    const claim = await createClaimAfter(client, [], {
      invoice: { po_number: 'PO-1', service_date: '2026-11-01T10:00:00Z' },
    });
    expect(claim).to.include({ status: 'queued', attempt: 0, expected_cents: 10_000, po_number: 'PO-1' });
    expect(claim).to.include({ submit_by: '2026-12-31T10:00:00.000Z', respond_by: null });
    const submitted = await client.post(`/claims/${claim.id}/submit`, {});
    expect(submitted.body).to.include({ status: 'submitted', attempt: 1 });
    expect(await readInvoice(claim)).to.include({ status: 'sent_to_roadsync' });
    expect((await recordOutcome(claim, { outcome: 'accepted' })).body.status).to.equal('accepted');
    expectError(await recordOutcome(claim, { outcome: 'paid' }), 400, 'validation_error');
    const paid = await recordOutcome(claim, { outcome: 'paid', amount_cents: 10_000, reference: 'EFT 1' });
    expect(paid.body).to.include({ status: 'paid', paid_cents: 10_000 });
    expect(await readInvoice(claim)).to.include({ status: 'paid', paid_cents: 10_000 });
    const [payment] = (await read(`/invoices/${claim.invoice_id}/payments`)).data.items;
    expect(payment).to.include({ method: 'motor_club', amount_cents: 10_000, reference: 'EFT 1' });
    expect(await listEventTypes(claim.invoice_id)).to.deep.equal(['invoice.created', 'invoice.paid']);
    expectError(await recordOutcome(claim, { outcome: 'denied' }), 409, 'invalid_status_transition');
    expectError(await client.patch(`/claims/${claim.id}`, { club: 'X' }), 409, 'conflict');
  });

  it('a short-paid claim leaves the rest owed and a suggestion open until more is paid', async () => {
    const claim = await createClaimAfter(client, ['submit']);
    const shortPaid = await recordOutcome(claim, { outcome: 'paid', amount_cents: 6_000, reason: 'Cap' });
    expect(shortPaid.body).to.include({ status: 'short_paid', paid_cents: 6_000 });
    expect(await readInvoice(claim)).to.include({ status: 'partially_paid', balance_due_cents: 4_000 });
    const [suggestion] = await listSuggestions(claim);
    expect(suggestion).to.include({ detector: 'claim_short_paid', amount_cents: 4_000, status: 'open' });
    expect(await listEventTypes(suggestion.id)).to.deep.equal(['ai.suggestion.created']);
    await recordOutcome(claim, { outcome: 'paid', amount_cents: 4_000 });
    expect(await read(`/claims/${claim.id}`)).to.include({ status: 'paid', paid_cents: 10_000 });
    expect(await readInvoice(claim)).to.include({ status: 'paid', balance_due_cents: 0 });
  });

  it('a claim denied for a PO found in the work order is corrected and submitted again by itself', async () => {
    const workOrderId = await createWorkOrderAfter(client, []);
    await client.patch(`/work-orders/${workOrderId}`, {
      notes: 'Club gave PO# 88213-A, call before arrival',
    });
    const claim = await createClaimAfter(client, ['submit'], { invoice: { work_order_id: workOrderId } });
    const denied = await recordOutcome(claim, {
      outcome: 'denied',
      code: 'missing_po',
      reason: 'No PO on file',
    });
    expect(denied.body).to.include({
      status: 'submitted',
      attempt: 2,
      po_number: '88213-A',
      denial_code: 'missing_po',
    });
    expect(await readInvoice(claim)).to.include({ status: 'sent_to_roadsync', po_number: '88213-A' });
    expect(await listSuggestions(claim)).to.deep.equal([]);
    const [entry] = await stack.rows<{ changes: { field: string; from: string; to: string }[] }>(
      tenant.id,
      `select changes from audit_entries where entity_id = '${claim.id}' and action = 'claim.answered'`,
    );
    const listSteps = (field: string) =>
      entry?.changes.filter((one) => one.field === field).map(({ from, to }) => `${from} ${to}`);
    expect(listSteps('status')).to.deep.equal([
      'submitted denied',
      'denied rebilling',
      'rebilling submitted',
    ]);
    expect(listSteps('invoice.status')).to.deep.equal([
      'sent_to_roadsync failed',
      'failed sending',
      'sending sent_to_roadsync',
    ]);
    // A second denial leaves the claim denied, because the service has no further correction to
    // make.
    const repeated = await recordOutcome(claim, { outcome: 'denied', code: 'missing_po' });
    expect(repeated.body).to.include({ status: 'denied', attempt: 2 });
    expect(await readInvoice(claim)).to.include({ status: 'needs_review' });
    const [suggestion] = await listSuggestions(claim);
    expect(suggestion).to.include({ kind: 'denial', detector: 'claim_denied', amount_cents: 10_000 });
    expect(suggestion.rationale).to.match(
      /denied attempt 2 of 3 over \$100\.00\. Ask the club for the PO .* Answer by \d{4}-/,
    );
  });

  it('a claim denied for missing photos gets the photos of an inspection as evidence', async () => {
    const workOrderId = await createWorkOrderAfter(client, []);
    const url = 'https://files.example.com/before.jpg';
    const photos = [{ slot: 'front', phase: 'before', url, taken_at: '2026-11-20T10:00:00Z' }];
    await client.post('/inspections', { kind: 'vehicle_condition', work_order_id: workOrderId, photos });
    const claim = await createClaimAfter(client, ['submit'], { invoice: { work_order_id: workOrderId } });
    const denied = await recordOutcome(claim, { outcome: 'denied', code: 'missing_photos' });
    expect(denied.body).to.deep.include({
      status: 'submitted',
      attempt: 2,
      evidence: [{ kind: 'photo', url, note: 'From the inspection' }],
    });
  });

  it('a claim denied for mileage is rebilled only after a person accepts the proposed reduction and approves it', async () => {
    const workOrderId = await createWorkOrderAfter(client, ['assign', 'start']);
    await client.post(`/work-orders/${workOrderId}/complete`, { miles: 8 });
    const mileage = {
      name: 'Miles',
      category: 'mileage',
      unit_type: 'mile',
      quantity: 12,
      unit_price_cents: 450,
    };
    const invoice = { work_order_id: workOrderId, line_items: [lineItem(), lineItem(mileage)] };
    const claim = await createClaimAfter(client, ['submit'], { invoice });
    await recordOutcome(claim, { outcome: 'denied', code: 'mileage_exceeds_contract' });
    expect(await readInvoice(claim)).to.include({ status: 'needs_review', total_cents: 15_400 });
    expectError(await client.post(`/claims/${claim.id}/rebill`, {}), 409, 'invalid_status_transition');
    const [suggestion] = await listSuggestions(claim);
    expect(suggestion.proposed_lines[0]).to.include({ category: 'adjustment', total_cents: -1_800 });
    expect((await client.post(`/suggestions/${suggestion.id}/accept`, {})).status).to.equal(200);
    expect(await readInvoice(claim)).to.include({ status: 'needs_review', total_cents: 13_600 });
    await client.post(`/invoices/${claim.invoice_id}/approve`, {});
    const rebilled = await client.post(`/claims/${claim.id}/rebill`, {});
    expect(rebilled.body, rebilled.text).to.include({ status: 'submitted', attempt: 2 });
    expect(await readInvoice(claim)).to.include({ status: 'sent_to_roadsync' });
  });

  it('a claim is submitted three times at most', async () => {
    const claim = await createClaimAfter(client, ['submit']);
    for (const attempt of [1, 2, 3]) {
      expect((await read(`/claims/${claim.id}`)).attempt).to.equal(attempt);
      await recordOutcome(claim, { outcome: 'denied', code: 'not_covered' });
      await client.post(`/invoices/${claim.invoice_id}/approve`, {});
      const rebilled = await client.post(`/claims/${claim.id}/rebill`, {});
      if (attempt < 3) expect(rebilled.status, rebilled.text).to.equal(200);
      else expect(rebilled.body.error.details[0].reason).to.match(/3 times/);
    }
    expect(await listSuggestions(claim)).to.have.length(3);
    expect((await client.post(`/claims/${claim.id}/withdraw`, { reason: 'x' })).body.status).to.equal(
      'withdrawn',
    );
  });

  it('an invoice of this account has at most one open claim', async () => {
    const claim = await createClaimAfter(client);
    const body = { invoice_id: claim.invoice_id, club: 'Other' };
    expectError(await client.post('/claims', body), 409, 'conflict');
    expectError(await client.post('/claims', { ...body, invoice_id: UNKNOWN_ID }), 400, 'validation_error');
    await client.post(`/claims/${claim.id}/withdraw`, { reason: 'wrong club' });
    expect((await client.post('/claims', body)).status).to.equal(201);
  });

  it("a move that the claim's status does not allow gets 409 with from, to and allowed", async () => {
    const claim = await createClaimAfter(client);
    const refused = await recordOutcome(claim, { outcome: 'denied' });
    const [detail] = expectError(refused, 409, 'invalid_status_transition');
    expect(detail).to.deep.include({
      from: 'queued',
      to: 'denied',
      allowed: ['submitted', 'withdrawn', 'expired'],
    });
    await client.post(`/claims/${claim.id}/submit`, {});
    const repeated = await client.post(`/claims/${claim.id}/submit`, {});
    expect(repeated.body).to.include({ status: 'submitted', attempt: 1 });
  });

  it('a claim is reported once before its deadline and expires after it', async () => {
    const daysFromNow = (days: number) => new Date(Date.now() + days * DAY).toISOString();
    const dueSoon = await createClaimAfter(client, [], { invoice: { service_date: daysFromNow(-57) } });
    const denied = await createClaimAfter(client, ['submit', 'outcome:denied']);
    const runDeadlineSweep = async () => {
      const found = await stack.runtime.db.transaction([tenant.id], (tx) => findClaimDeadlines(tx, 100));
      await runIsolated(createBatchContext(stack.runtime), found);
      return found.map(({ type }) => type);
    };
    await runDeadlineSweep();
    const notices = (await listSuggestions(dueSoon)).filter(
      (one: { detector: string }) => one.detector === 'claim_deadline',
    );
    expect(notices).to.have.length(1);
    expect(notices[0]).to.include({ kind: 'missed_fee', amount_cents: 10_000 });
    expect(await runDeadlineSweep()).to.deep.equal([]);
    const past = "set submit_by = now() - interval '1 minute', respond_by = now() - interval '1 minute'";
    for (const { id } of [dueSoon, denied])
      await stack.rows(tenant.id, `update claims ${past} where tenant_id = $1 and id = $2`, [tenant.id, id]);
    expectError(await client.post(`/claims/${dueSoon.id}/submit`, {}), 409, 'invalid_status_transition');
    await runDeadlineSweep();
    expect(await read(`/claims/${dueSoon.id}`)).to.include({
      status: 'expired',
      status_reason: 'submit_by has passed',
    });
    expect(await read(`/claims/${denied.id}`)).to.include({
      status: 'expired',
      status_reason: 'respond_by has passed',
    });
  });
});
