import { expect } from 'chai';
import { enqueueBatch, openWritesQueue } from '../../../shared/queues/writes.js';
import { findNextDate } from '../../../shared/resources/recurring-invoices/rhythm.js';
import { runRecurringInvoices } from '../../../shared/resources/recurring-invoices/run-handler.js';
import {
  dateIn,
  dayIn,
  RecurringAccount,
  runRecurringClock,
} from '../../support/billing/recurring-invoices.js';
import type { Json } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

const NEW_YORK = 'America/New_York';

describe('runs of recurring invoices', () => {
  const stack = useStack();
  const today = dayIn(NEW_YORK);

  const openAccount = async (settings = {}) => {
    const { id, client, sandbox, sandboxId } = await stack.createTenant('Test Towing', settings);
    const account = await RecurringAccount.open(stack, id, client);
    return Object.assign(account, {
      openSandbox: () => RecurringAccount.open(stack, sandboxId, sandbox),
    });
  };

  it('a due date gets a draft with tax, terms and number of the account, and the next date follows', async () => {
    const account = await openAccount({ taxRateBps: 800 });
    await account.client.post('/invoices', invoiceInput({ invoice_number: 'inv-000001' }));
    const line_items = [lineItem({ taxable: true }), lineItem({ name: 'Lot rent', unit_price_cents: 500 })];
    const { id } = await account.create({ anchor_date: today, line_items });
    const record = await account.catchUp(id, today);
    const [invoice, ...more] = await account.listInvoices(id);
    expect(more).to.deep.equal([]);
    expect(invoice).to.deep.include({
      invoice_number: 'INV-000002',
      status: 'draft',
      customer_id: account.customerId,
      recurring_invoice_id: id,
      subtotal_cents: 10_500,
      tax_cents: 800,
      total_cents: 11_300,
      due_date: null,
    });
    expect(invoice.line_items.map(({ name }: Json) => name)).to.deep.equal(['Tow', 'Lot rent']);
    expect(dateIn(NEW_YORK, invoice.service_date)).to.equal(today);
    expect(record).to.include({
      status: 'active',
      next_date: findNextDate({ every: 'month', anchor_date: today }, today),
      last_date: today,
      last_invoice_id: invoice.id,
    });
    const events = (await account.client.get('/events?type=invoice.created')).body.data.items;
    expect(events.map((event: Json) => event.data.object.id)).to.include(invoice.id);
    expect(events[0].data.object.recurring_invoice_id).to.equal(id);
    const [created] = (await account.client.get(`/audit-log?entity_id=${invoice.id}`)).body.data.items;
    expect(created).to.deep.include({ action: 'invoice.created', source: 'job' });
    expect(created.actor).to.include({ type: 'system', name: 'clock' });
    const [ran] = (await account.client.get(`/audit-log?entity_id=${id}`)).body.data.items;
    expect(ran.action).to.equal('recurring_invoice.invoiced');
    await runRecurringClock(stack);
    expect(await account.listInvoices(id)).to.have.length(1);
  });

  it('two clocks at once and repeated commands make one invoice for a date', async () => {
    const account = await openAccount();
    const { id } = await account.create({ anchor_date: today });
    await Promise.all([runRecurringClock(stack), runRecurringClock(stack), runRecurringClock(stack)]);
    const repeated = Array.from({ length: 6 }, () => account.buildRun(id, today));
    await account.submit(...repeated);
    // Enqueue the first command again, as after a lost reply.
    await enqueueBatch(openWritesQueue(stack.runtime), repeated.slice(0, 1), null);
    await account.submit(account.buildRun(id, today));
    expect(await account.listInvoices(id)).to.have.length(1);
    const entries = (await account.client.get(`/audit-log?entity_id=${id}&limit=100`)).body.data.items;
    const effective = entries.filter(
      ({ action, changes }: Json) => action === 'recurring_invoice.invoiced' && changes.length > 0,
    );
    expect(effective).to.have.length(1);
  });

  it('a worker that dies before its commit leaves nothing, and the next run makes the invoice', async () => {
    const account = await openAccount();
    const { id } = await account.create({ anchor_date: today, release: 'send' });
    const { db, config } = stack.runtime;
    const lost = await db.runAndRollBack([account.tenantId], (tx) =>
      runRecurringInvoices(tx, [account.buildRun(id, today) as never], config),
    );
    expect(lost[0]?.ok).to.equal(true);
    expect(await account.listInvoices(id)).to.deep.equal([]);
    expect(await account.read(id)).to.include({ next_date: today, last_date: null });
    await account.catchUp(id, today);
    const [invoice, ...more] = await account.listInvoices(id);
    expect(invoice.invoice_number).to.equal('INV-000001');
    expect(more).to.deep.equal([]);
  });

  it('after weeks without a clock every missed date is made up once, oldest first', async () => {
    const account = await openAccount();
    const start = dayIn(NEW_YORK, -28);
    const { id } = await account.create({ every: 'week', anchor_date: start });
    await account.makeDue(id, start);
    await account.catchUp(id, today);
    const invoices = await account.listInvoices(id);
    const dates = invoices.map(({ service_date }) => dateIn(NEW_YORK, service_date));
    expect(dates).to.deep.equal([-28, -21, -14, -7, 0].map((days) => dayIn(NEW_YORK, days)));
    expect(invoices.map(({ invoice_number }) => invoice_number)).to.deep.equal(
      [1, 2, 3, 4, 5].map((nth) => `INV-00000${nth}`),
    );
  });

  it('the month end keeps its anchor: 31 January, 28 February, 31 March', async () => {
    const account = await openAccount();
    const { id } = await account.create({ anchor_date: '2026-01-31' });
    await account.makeDue(id, '2026-01-31');
    for (const next of ['2026-02-28', '2026-03-31', '2026-04-30']) {
      const { next_date } = await account.read(id);
      await account.submit(account.buildRun(id, next_date));
      expect((await account.read(id)).next_date).to.equal(next);
    }
    expect(await account.listInvoices(id)).to.have.length(3);
  });

  it('a date is due when its day begins in the account, and a new time zone neither doubles nor skips it', async () => {
    const account = await openAccount({ timeZone: 'Pacific/Pago_Pago' });
    // In Kiritimati, each date begins 25 hours earlier than in Pago Pago.
    const ahead = dayIn('Pacific/Kiritimati');
    const { id, next_date } = await account.create({ every: 'week', anchor_date: ahead });
    expect(next_date).to.equal(ahead);
    await runRecurringClock(stack);
    await account.submit(account.buildRun(id, ahead));
    expect(await account.listInvoices(id), 'not due yet').to.deep.equal([]);
    await account.client.patch('/settings', { time_zone: 'Pacific/Kiritimati' });
    await account.catchUp(id, ahead);
    await account.client.patch('/settings', { time_zone: 'Pacific/Pago_Pago' });
    // Although the date has not begun in the new time zone, a new rhythm must not bill this date
    // again.
    const moved = await account.patch(id, { every: 'month' });
    expect(moved.next_date).to.equal(findNextDate({ every: 'month', anchor_date: ahead }, ahead));
    await runRecurringClock(stack);
    expect(await account.listInvoices(id)).to.have.length(1);
  });

  it('release send approves and mails the invoice in the same write', async () => {
    const account = await openAccount();
    const { id } = await account.create({ anchor_date: today, release: 'send' });
    await account.catchUp(id, today);
    const [invoice] = await account.listInvoices(id);
    expect(invoice).to.include({ status: 'sending' });
    expect(invoice.effective_due_date).to.be.a('string');
    const messages = (await account.client.get(`/messages?invoice_id=${invoice.id}`)).body.data.items;
    expect(messages.map(({ recipient }: Json) => recipient)).to.deep.equal(['fleet@example.com']);
    const actions = (await account.client.get(`/audit-log?entity_id=${invoice.id}`)).body.data.items
      .map(({ action }: Json) => action)
      .sort();
    expect(actions).to.deep.equal(['invoice.approved', 'invoice.created', 'invoice.sent']);
    const types = (await account.client.get('/events')).body.data.items.map(({ type }: Json) => type);
    expect(types).to.include.members(['invoice.created', 'invoice.sent']);
  });

  it('an invoice without an address stays approved, and a notice says that it was not sent', async () => {
    const account = await openAccount();
    await account.client.patch(`/customers/${account.customerId}`, { billing_email: null });
    const { id } = await account.create({ anchor_date: today, release: 'send', description: 'Lot 4' });
    await account.catchUp(id, today);
    const [invoice] = await account.listInvoices(id);
    expect(invoice.status).to.equal('approved');
    const [notice] = (await account.client.get('/notices?kind=recurring_invoice_failed')).body.data.items;
    expect(notice).to.include({ entity_type: 'recurring_invoice', entity_id: id });
    expect(notice.title).to.include('Lot 4').and.include('not sent');
    expect(notice.text).to.include(invoice.id);
  });

  it('a recurring invoice whose invoice cannot be created pauses with a notice, and uses no invoice number', async () => {
    const account = await openAccount();
    const price = { quantity: 100, unit_price_cents: 1_000_000_000, taxable: true };
    const { id } = await account.create({ anchor_date: today, line_items: [lineItem(price)] });
    await account.client.patch('/settings', { tax_rate_bps: 1000 });
    const paused = await eventually('it pauses', async () => {
      await runRecurringClock(stack);
      const record = await account.read(id);
      return record.status === 'paused' && record;
    });
    expect(paused).to.include({ next_date: null, last_date: null, last_invoice_id: null });
    const [notice] = (await account.client.get('/notices?kind=recurring_invoice_failed')).body.data.items;
    expect(notice.title).to.include('is paused');
    const other = await account.create({ anchor_date: today });
    await account.catchUp(other.id, today);
    expect((await account.listInvoices(other.id))[0].invoice_number).to.equal('INV-000001');
  });

  it('nothing is created after ends_on, and the last invoice ends the recurring invoice', async () => {
    const account = await openAccount();
    const { id } = await account.create({ every: 'week', anchor_date: today, ends_on: dayIn(NEW_YORK, 6) });
    expect(await account.catchUp(id, today)).to.include({ status: 'ended', next_date: null });
    expect(await account.listInvoices(id)).to.have.length(1);
  });

  it('a run does nothing if it was paused, ended or moved in the meantime; a due date survives a new rhythm', async () => {
    const account = await openAccount();
    const [paused, ended, moved] = [
      await account.create({ anchor_date: today }),
      await account.create({ anchor_date: today }),
      await account.create({ anchor_date: today }),
    ];
    await account.patch(paused.id, { status: 'paused' });
    await account.client.delete(`/recurring-invoices/${ended.id}`);
    const still = await account.patch(moved.id, { every: 'week', anchor_date: dayIn(NEW_YORK, 3) });
    expect(still.next_date).to.equal(today);
    await account.submit(account.buildRun(paused.id, today), account.buildRun(ended.id, today));
    expect(await account.listInvoices(paused.id)).to.deep.equal([]);
    expect(await account.listInvoices(ended.id)).to.deep.equal([]);
    const after = await account.catchUp(moved.id, today);
    expect(after.next_date).to.equal(dayIn(NEW_YORK, 3));
    expect(await account.listInvoices(moved.id)).to.have.length(1);
  });

  it('the sandbox makes its own invoices, and the live account sees none', async () => {
    const account = await openAccount();
    const sandbox = await account.openSandbox();
    const { id } = await sandbox.create({ anchor_date: today, release: 'send' });
    await sandbox.catchUp(id, today);
    expect(await sandbox.listInvoices(id)).to.have.length(1);
    expect((await account.client.get('/invoices')).body.data.count).to.equal(0);
    expect((await account.client.get(`/recurring-invoices/${id}`)).status).to.equal(404);
  });
});
