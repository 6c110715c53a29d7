import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import {
  createInvoicedWorkOrder,
  runBillingWatch,
  storeSuggestion,
} from '../../support/records/suggestions.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const LINE_ITEM = {
  name: 'Loaded miles',
  description: null,
  category: 'mileage',
  quantity: 12,
  unit_type: 'mile',
  unit_price_cents: 450,
  total_cents: 5_400,
  taxable: true,
};

describe('suggestions', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Watched', { taxRateBps: 1_000 });
  let client: TestClient;

  before(async () => {
    ({ client } = tenant);
    for (let nth = 0; nth < 9; nth += 1)
      await createInvoicedWorkOrder(client, { miles: 12, mileageCents: 450 });
  });

  const createDraft = () =>
    createInvoicedWorkOrder(client, { miles: 12, mileageCents: null, status: 'draft' });
  const listForInvoice = async (id: string, filters = '') =>
    (await client.get(`/suggestions?invoice_id=${id}${filters}`)).body.data.items;
  // True for a missed fee. The tests ignore other kinds of suggestions: one detector reports
  // unusual durations of work orders, and these depend on the machine's speed.
  const isMissedFee = (one: { kind: string }) => one.kind === 'missed_fee';
  const readThreshold = async (detector: string) => {
    const text =
      'select threshold, accepts, dismissals from detector_thresholds where tenant_id = $1 and detector = $2';
    return (await stack.rows(tenant.id, text, [tenant.id, detector]))[0];
  };

  it('the clock suggests a missed fee with its numbers and line item, and records a matching event', async () => {
    const invoice = await createDraft();
    await runBillingWatch(stack);
    const [found, ...rest] = (await listForInvoice(invoice)).filter(isMissedFee);
    expect(rest).to.deep.equal([]);
    expect(found).to.deep.include({
      kind: 'missed_fee',
      detector: 'missed_mileage',
      entity_type: 'invoice',
      entity_id: invoice,
      status: 'open',
      amount_cents: 5_400,
      confidence: 0.91,
      proposed_lines: [LINE_ITEM],
      rationale:
        '9 of 9 comparable tow jobs of 10 to 25 miles were billed mileage, median $54.00; this one was not.',
    });
    expect((await client.get(`/suggestions/${found.id}`)).body).to.deep.equal(found);
    const [event] = await stack.rows<{ body: string }>(
      tenant.id,
      `select body from events where type = 'ai.suggestion.created' and body::jsonb #>> '{data,object,id}' = '${found.id}'`,
    );
    expect(JSON.parse(event?.body ?? '{}').data.object).to.deep.equal(found);
    await runBillingWatch(stack);
    await client.patch(`/invoices/${invoice}`, { notes: 'touched' });
    await runBillingWatch(stack);
    expect(
      (await listForInvoice(invoice)).filter(isMissedFee),
      'the same fee is suggested once',
    ).to.have.length(1);
  });

  it('accepting a suggestion adds its line items to the draft once, with tax, and audits both records', async () => {
    const invoice = await createDraft();
    const id = await storeSuggestion(stack, tenant.id, {
      entity_id: invoice,
      invoice_id: invoice,
      kind: 'missed_fee',
      detector: 'missed_mileage',
      proposed_lines: [LINE_ITEM],
    });
    const preview = await client.post(
      `/suggestions/${id}/accept`,
      {},
      { headers: { 'x-service-dry-run': 'true' } },
    );
    expect(preview.body.data.status).to.equal('accepted');
    const accepted = await client.post(`/suggestions/${id}/accept`, {});
    expect(accepted.status, accepted.text).to.equal(200);
    expect(accepted.body).to.include({ status: 'accepted' });
    expect(accepted.body.decided_by).to.include({ type: 'api_key', name: 'test key' });
    const { body } = await client.get(`/invoices/${invoice}`);
    expect(body).to.include({ subtotal_cents: 15_400, tax_cents: 540, total_cents: 15_940 });
    expect(body.line_items[1]).to.deep.include({ ...LINE_ITEM, position: 2 });
    expect((await client.post(`/suggestions/${id}/accept`, {})).status, 'again changes nothing').to.equal(
      200,
    );
    expect((await client.get(`/invoices/${invoice}`)).body.updated_at).to.equal(body.updated_at);
    expectError(await client.post(`/suggestions/${id}/dismiss`, {}), 409, 'invalid_status_transition');
    const entries = await stack.rows<{ action: string }>(
      tenant.id,
      `select action from audit_entries where entity_id in ('${id}', '${invoice}') and outcome = 'ok' order by action`,
    );
    expect(entries.map(({ action }) => action)).to.deep.equal([
      'invoice.created',
      'invoice.updated',
      'suggestion.accepted',
      'suggestion.accepted',
      'suggestion.created',
    ]);
  });

  it('concurrently accepted suggestions of one invoice add up', async () => {
    const invoice = await createDraft();
    const ids = await Promise.all(
      ['missed_mileage', 'missed_storage', 'missed_winching'].map((detector) =>
        storeSuggestion(stack, tenant.id, {
          entity_id: invoice,
          invoice_id: invoice,
          detector,
          proposed_lines: [LINE_ITEM],
        }),
      ),
    );
    await Promise.all(ids.map((id) => client.post(`/suggestions/${id}/accept`, {})));
    const { body } = await client.get(`/invoices/${invoice}`);
    expect(body).to.include({ subtotal_cents: 26_200, total_cents: 27_820 });
    expect(body.line_items.map((line: { position: number }) => line.position)).to.deep.equal([1, 2, 3, 4]);
  });

  it('accepting a suggestion for an approved invoice is 409 invoice_locked and leaves it open', async () => {
    const invoice = await createInvoicedWorkOrder(client, { miles: 12, mileageCents: null });
    const id = await storeSuggestion(stack, tenant.id, {
      entity_id: invoice,
      invoice_id: invoice,
      detector: 'missed_mileage',
      proposed_lines: [LINE_ITEM],
    });
    expectError(await client.post(`/suggestions/${id}/accept`, {}), 409, 'invoice_locked');
    expect((await client.get(`/suggestions/${id}`)).body).to.include({ status: 'open', decided_at: null });
  });

  it("dismissals raise a detector's threshold and acceptances lower it by less, within limits", async () => {
    const other = await stack.createTenant('Learning');
    const decide = async (action: string, detector: string) => {
      const id = await storeSuggestion(stack, other.id, {
        entity_id: UNKNOWN_ID,
        detector,
        occasion: String(Math.random()),
      });
      expect(
        (await other.client.post(`/suggestions/${id}/${action}`, { reason: 'free for them' })).status,
      ).to.equal(200);
      const text =
        'select threshold, accepts, dismissals from detector_thresholds where tenant_id = $1 and detector = $2';
      return (await stack.rows(other.id, text, [other.id, detector]))[0];
    };
    expect(await decide('dismiss', 'missed_mileage')).to.deep.equal({
      threshold: 0.83,
      accepts: 0,
      dismissals: 1,
    });
    expect(await decide('accept', 'missed_mileage')).to.deep.equal({
      threshold: 0.82,
      accepts: 1,
      dismissals: 1,
    });
    expect(await decide('accept', 'anomaly_amount')).to.include({ threshold: 3.5 });
    for (let nth = 0; nth < 12; nth += 1) await decide('dismiss', 'anomaly_amount');
    expect(await decide('dismiss', 'anomaly_amount')).to.deep.equal({
      threshold: 8,
      accepts: 1,
      dismissals: 13,
    });
    expect(await readThreshold('anomaly_amount'), 'the other account keeps its threshold').to.equal(
      undefined,
    );
  });

  it('a dismissed suggestion does not return, and one whose invoice was fixed expires', async () => {
    const [dismissed, fixed] = [await createDraft(), await createDraft()];
    await runBillingWatch(stack);
    const [first] = (await listForInvoice(dismissed)).filter(isMissedFee);
    const body = (await client.post(`/suggestions/${first.id}/dismiss`, { reason: 'agreed' })).body;
    expect(body).to.include({ status: 'dismissed', note: 'agreed' });
    await client.patch(`/invoices/${dismissed}`, { notes: 'again' });
    const { line_items } = (await client.get(`/invoices/${fixed}`)).body;
    const [tow] = line_items;
    const lines = [{ ...tow, id: undefined, position: undefined }, LINE_ITEM];
    expect((await client.patch(`/invoices/${fixed}`, { line_items: lines })).status).to.equal(200);
    await runBillingWatch(stack);
    const fees = (await listForInvoice(dismissed)).filter(isMissedFee);
    expect(fees.map((one: { status: string }) => one.status)).to.deep.equal(['dismissed']);
    const [closed] = (await listForInvoice(fixed)).filter(isMissedFee);
    expect(closed).to.include({ status: 'expired', note: 'The finding no longer applies.' });
    expectError(await client.post(`/suggestions/${closed.id}/accept`, {}), 409, 'invalid_status_transition');
  });

  it('the clock finds an invoice whose transaction commits after the pass that should have found it', async () => {
    const invoice = await createDraft();
    // Simulate an invoice that was written before the last pass and committed after that pass.
    const text = `update invoices set updated_at = now() - interval '2 minutes' where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, text, [tenant.id, invoice]);
    await runBillingWatch(stack);
    expect(await listForInvoice(invoice, '&status=open&kind=missed_fee')).to.have.length(1);
  });

  it('an open suggestion expires when its invoice is cancelled', async () => {
    const invoice = await createDraft();
    await runBillingWatch(stack);
    await client.post(`/invoices/${invoice}/cancel`, { reason: 'x' });
    await runBillingWatch(stack);
    expect((await listForInvoice(invoice))[0]).to.include({
      status: 'expired',
      note: 'The invoice is cancelled.',
    });
  });
});
