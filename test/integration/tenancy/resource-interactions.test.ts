import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import { openInvoicePdfs } from '../../../shared/documents/pdf/invoice-pdfs.js';
import { newId } from '../../../shared/platform/ids.js';
import { openMessagesQueue } from '../../../shared/queues/messages.js';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { lockInvoices } from '../../../shared/resources/invoices/handlers/lifecycle.js';
import { findOverdueInvoices } from '../../../shared/resources/invoices/overdue-sweep.js';
import { insertSuggestions } from '../../../shared/resources/suggestions/store.js';
import { createMessageLeaser } from '../../../workers/messages/customer-messages.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import { createAgentClient, expectHeld, setApprovalThreshold } from '../../support/agents/approvals.js';
import { expectError } from '../../support/expect-error.js';
import {
  createClaimAfter,
  createInvoiceAfter,
  createWorkOrderAfter,
} from '../../support/records/lifecycle-records.js';
import {
  buildRateCardItem,
  createCompletedWorkOrder,
  MILEAGE_ITEM,
  makeRateCard,
  STORAGE_ITEM,
} from '../../support/records/priced-work-orders.js';
import { lineItem } from '../../support/records/samples.js';
import { openSession } from '../../support/records/sign-in.js';
import { runBillingWatch, storeSuggestion } from '../../support/records/suggestions.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { buildCommand } from '../../support/writes/commands.js';

const DAY_MS = 86_400_000;
const LATE = { due_date: '2026-01-01T00:00:00Z' };

describe('effects between resources', () => {
  const stack = useStack();
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await stack.createTenant('Hudson Towing', { timeZone: 'UTC' });
  });

  const runCommands = (commands: Command[]) => runIsolated(createBatchContext(stack.runtime), commands);
  const get = async (path: string) => (await tenant.client.get(path)).body;
  const post = (path: string, body: Record<string, unknown> = {}) => tenant.client.post(path, body);
  const runOverdueSweep = async () =>
    runCommands(await stack.runtime.db.transaction([tenant.id], (tx) => findOverdueInvoices(tx, 100)));
  /** Creates an impound that has been in the yard for `days` days. */
  const createImpound = async (workOrderId: string, days: number): Promise<string> => {
    const impounded_at = new Date(Date.now() - (days - 1) * DAY_MS).toISOString();
    return (await post('/impounds', { work_order_id: workOrderId, impounded_at, daily_rate_cents: 4500 }))
      .body.id;
  };
  const requeueMail = async (invoice: string): Promise<string> => {
    const text = `update messages set state = 'queued', provider = 'fake', attempt_after = now() - interval '1 second', sent_at = null
                  where tenant_id = $1 and invoice_id = $2 returning id`;
    const [message] = await stack.rows<{ id: string }>(tenant.id, text, [tenant.id, invoice]);
    const resetDelivery = `update invoices set delivery_state = 'queued', sent_at = null where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, resetDelivery, [tenant.id, invoice]);
    return message?.id as string;
  };

  it('If-Match detects that a suggestion changed the invoice in the same batch', async () => {
    const id = await createInvoiceAfter(tenant.client, []);
    const before = await get(`/invoices/${id}`);
    const proposed = {
      ...lineItem({ unit_price_cents: 5000 }),
      description: null,
      total_cents: 5000,
      taxable: false,
    };
    const suggestion = await storeSuggestion(stack, tenant.id, {
      entity_id: id,
      invoice_id: id,
      proposed_lines: [proposed] as never,
    });
    const accept = buildCommand('suggestion.accept', tenant.id, {}, { entityId: suggestion });
    const approve = buildCommand(
      'invoice.approve',
      tenant.id,
      {},
      { entityId: id, ifMatch: [before.updated_at] },
    );
    const results = await runCommands([accept, approve]);
    const approved = results.find((result) => result.id === approve.id);
    expect(approved).to.have.nested.property('error.code', 'precondition_failed');
    expect(await get(`/invoices/${id}`)).to.include({
      status: 'draft',
      total_cents: before.total_cents + 5000,
    });
  });

  describe('a held draft invoice priced from a rate card', () => {
    it('approving a held invoice is 409 if another invoice has billed its work order', async () => {
      await makeRateCard(tenant.client, { is_default: true, items: [buildRateCardItem(), STORAGE_ITEM] });
      const workOrderId = await createCompletedWorkOrder(tenant.client);
      const impoundId = await createImpound(workOrderId, 10);
      await setApprovalThreshold(tenant, 100);
      const agent = await createAgentClient(stack, tenant.id);
      const draft = { work_order_id: workOrderId, billing_email: 'a@example.com' };
      const held = expectHeld(await agent.post('/invoices', { invoice_number: 'A-1', ...draft }));
      expect((await post('/invoices', { invoice_number: 'O-1', ...draft })).status).to.equal(201);
      const person = await openSession(stack, { tenantId: tenant.id });
      expectError(await person.post(`/approvals/${held.id}/approve`, {}), 409, 'conflict');
      const { days, invoiced_days } = await get(`/impounds/${impoundId}`);
      expect([days, invoiced_days]).to.deep.equal([10, 10]);
    });

    it('approving a held invoice whose price changed is 409, shows the new price and then creates the invoice', async () => {
      await makeRateCard(tenant.client, { is_default: true, items: [buildRateCardItem(), STORAGE_ITEM] });
      await setApprovalThreshold(tenant, 100);
      const agent = await createAgentClient(stack, tenant.id);
      const person = await openSession(stack, { tenantId: tenant.id });
      const workOrderId = await createCompletedWorkOrder(tenant.client);
      const impoundId = await createImpound(workOrderId, 10);
      const draft = { invoice_number: 'A-1', work_order_id: workOrderId, billing_email: 'a@example.com' };
      const held = expectHeld(await agent.post('/invoices', draft));
      const text = `update impounds set impounded_at = impounded_at - interval '1 day' where tenant_id = $1 and id = $2`;
      await stack.rows(tenant.id, text, [tenant.id, impoundId]);
      expectError(await person.post(`/approvals/${held.id}/approve`, { hash: held.hash }), 409, 'conflict');
      const [shown] = (await person.get('/approvals?status=pending')).body.data.items;
      expect(shown.payload.line_items[1].quantity).to.equal(11);
      const approved = await person.post(`/approvals/${held.id}/approve`, { hash: shown.hash });
      expect(approved.status, approved.text).to.equal(200);
      const invoice = await get(`/invoices/${approved.body.invoice_id}`);
      expect(invoice.total_cents).to.equal(shown.amount_cents);
    });
  });

  it('a fee that another invoice of the work order bills is not suggested as missed', async () => {
    await makeRateCard(tenant.client, {
      is_default: true,
      items: [buildRateCardItem(), MILEAGE_ITEM, STORAGE_ITEM],
    });
    const billWorkOrder = async (workOrderId: string, number: string): Promise<string> => {
      const input = { invoice_number: number, work_order_id: workOrderId, billing_email: 'a@example.com' };
      return (await post('/invoices', input)).body.id;
    };
    for (let nth = 0; nth < 25; nth += 1) {
      const invoice = await billWorkOrder(await createCompletedWorkOrder(tenant.client), `H-${nth}`);
      await post(`/invoices/${invoice}/approve`);
      await post(`/invoices/${invoice}/send`);
    }
    const workOrderId = await createCompletedWorkOrder(tenant.client);
    await billWorkOrder(workOrderId, 'F');
    await createImpound(workOrderId, 10);
    const storage = await billWorkOrder(workOrderId, 'S');
    await runBillingWatch(stack);
    const found = (await get(`/suggestions?entity_id=${storage}&kind=missed_fee`)).data.items;
    expect(found).to.deep.equal([]);
  });

  describe('motor-club claims', () => {
    it('a denied claim is not resubmitted automatically if its invoice is void', async () => {
      const workOrderId = await createWorkOrderAfter(tenant.client, []);
      await tenant.client.patch(`/work-orders/${workOrderId}`, { notes: 'PO# 88213-A' });
      const claim = await createClaimAfter(tenant.client, ['submit'], {
        invoice: { work_order_id: workOrderId },
      });
      await post(`/invoices/${claim.invoice_id}/void`, { reason: 'wrong' });
      const denied = await post(`/claims/${claim.id}/outcome`, { outcome: 'denied', code: 'missing_po' });
      expect(denied.body).to.include({ status: 'denied', attempt: 1 });
      expect((await get(`/invoices/${claim.invoice_id}`)).po_number).to.equal(null);
    });

    it('a claim expects the balance due at its submission, and a payment of that amount pays the invoice', async () => {
      const claim = await createClaimAfter(tenant.client, [], { invoice: LATE });
      await post(`/invoices/${claim.invoice_id}/send`);
      await runOverdueSweep();
      await post(`/invoices/${claim.invoice_id}/payments`, { amount_cents: 9000, method: 'cash' });
      const submitted = await post(`/claims/${claim.id}/submit`);
      expect(submitted.body.expected_cents).to.equal(1000);
      const paid = await post(`/claims/${claim.id}/outcome`, { outcome: 'paid', amount_cents: 1000 });
      expect(paid.body.status).to.equal('paid');
      expect((await get(`/invoices/${claim.invoice_id}`)).status).to.equal('paid');
    });

    it('an invoice with a submitted claim does not become overdue a second time', async () => {
      const claim = await createClaimAfter(tenant.client, [], { invoice: LATE });
      await post(`/invoices/${claim.invoice_id}/send`);
      await runOverdueSweep();
      await post(`/claims/${claim.id}/submit`);
      await runOverdueSweep();
      expect((await get(`/invoices/${claim.invoice_id}`)).status).to.equal('sent_to_roadsync');
      const events = await stack.rows(tenant.id, `select id from events where type = 'invoice.overdue'`);
      expect(events).to.have.length(1);
      await post(`/claims/${claim.id}/outcome`, { outcome: 'denied', code: 'not_covered' });
      expect((await get(`/invoices/${claim.invoice_id}`)).status).to.equal('needs_review');
    });

    it('an invoice accepts a new claim after the payment of the first claim was refunded', async () => {
      const claim = await createClaimAfter(tenant.client, ['submit']);
      await post(`/claims/${claim.id}/outcome`, { outcome: 'paid', amount_cents: 10_000 });
      const secondClaim = { invoice_id: claim.invoice_id, club: 'Other' };
      expectError(await post('/claims', secondClaim), 409, 'conflict');
      const [payment] = (await get(`/invoices/${claim.invoice_id}/payments`)).data.items;
      await post(`/payments/${payment.id}/refund`, { amount_cents: 10_000, reason: 'Chargeback' });
      expect((await post('/claims', secondClaim)).status).to.equal(201);
    });
  });

  it('line items cannot total less than the paid amount, and an invoice with payments cannot be cancelled', async () => {
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    await post(`/invoices/${id}/payments`, { amount_cents: 9000, method: 'cash' });
    await post(`/invoices/${id}/dispute`, { reason: 'x' });
    expect((await post(`/invoices/${id}/return`)).body.allowed_actions).to.not.include('cancel');
    const lower = { line_items: [lineItem({ unit_price_cents: 5000 })] };
    expectError(await tenant.client.patch(`/invoices/${id}`, lower), 409, 'invoice_locked');
    expectError(await post(`/invoices/${id}/cancel`, { reason: 'x' }), 409, 'invalid_status_transition');
  });

  it('the mail of an invoice under revision is not sent', async () => {
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    await requeueMail(id);
    await post(`/invoices/${id}/dispute`, { reason: 'x' });
    await post(`/invoices/${id}/return`);
    let sent = 0;
    const provider = {
      send: async () => {
        sent += 1;
      },
    };
    const { runtime } = stack;
    const dependencies = {
      writes: openWritesQueue(runtime),
      messages: openMessagesQueue(runtime),
      pdfs: openInvoicePdfs(runtime),
    };
    const claimNext = createMessageLeaser(runtime, { fake: provider } as never, dependencies);
    const deliver = await claimNext(tenant.id);
    expect(deliver, 'the message is due').to.be.a('function');
    await deliver?.();
    expect(sent).to.equal(0);
  });

  it('the audit log of an invoice records that its mail failed', async () => {
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    const entityId = await requeueMail(id);
    await runCommands([
      buildCommand('message.record_failed', tenant.id, { reason: 'no such mailbox' }, { entityId }),
    ]);
    expect((await get(`/invoices/${id}`)).status).to.equal('failed');
    const log = (await get(`/audit-log?entity_type=invoice&entity_id=${id}&limit=1`)).data.items;
    expect(log[0].changes).to.deep.include({ field: 'status', from: 'sending', to: 'failed' });
  });

  it('suggestions and invoices are locked in one sequence and never deadlock', async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 20; nth += 1) ids.push(await createInvoiceAfter(tenant.client, []));
    const refs = ids.map((id) => ({ tenant_id: tenant.id, id }));
    const draft = {
      tenant_id: tenant.id,
      kind: 'anomaly',
      entity_type: 'invoice',
      title: 't',
      rationale: 'r',
    };
    for (let round = 0; round < 20; round += 1) {
      const rows = [...ids.slice(10), ...ids.slice(0, 10)].map((id, nth) => ({
        ...draft,
        amount_cents: 1,
        confidence: 0.9,
        proposed_lines: [],
        occasion: `${round}`,
        detector: nth < 10 ? 'anomaly_amount' : 'duplicate_invoice',
        id: newId(),
        entity_id: id,
        invoice_id: id,
      }));
      await Promise.all([
        stack.runtime.db.transaction([tenant.id], (tx) => insertSuggestions(tx, rows as never)),
        stack.runtime.db.transaction([tenant.id], (tx) => lockInvoices(tx, refs)),
      ]);
    }
  });
});
