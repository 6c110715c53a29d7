import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import { DrivenJob } from '../../support/driving/driven-jobs.js';
import { expectError } from '../../support/expect-error.js';
import { makeRateCard } from '../../support/records/priced-work-orders.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { createUser, openSession } from '../../support/records/sign-in.js';
import { runBillingWatch } from '../../support/records/suggestions.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const NEW_DETECTORS = ['missed_driven_miles', 'anomaly_driven_miles', 'missed_storage_days'];
const DAY_MS = 86_400_000;

describe('suggestions from positions and impounds', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Measured Towing', { timeZone: 'UTC' });

  before(() => makeRateCard(tenant.client, { is_default: true }));

  const createInvoice = async (workOrderId: string, lines: Partial<Json>[]): Promise<string> => {
    const body = invoiceInput({
      work_order_id: workOrderId,
      billing_email: 'b@example.com',
      line_items: [lineItem(), ...lines.map((line) => lineItem(line))],
    });
    const invoice = await tenant.client.post('/invoices', body);
    expect(invoice.status, invoice.text).to.equal(201);
    return invoice.body.id;
  };
  const charge = (miles: number, price = 450) => ({
    name: 'Loaded miles',
    category: 'mileage',
    quantity: miles,
    unit_type: 'mile',
    unit_price_cents: price,
  });
  const findNew = async (invoiceId: string, status = 'open'): Promise<Json[]> => {
    await runBillingWatch(stack);
    const { body } = await tenant.client.get(`/suggestions?invoice_id=${invoiceId}&status=${status}`);
    return body.data.items.filter(({ detector }: Json) => NEW_DETECTORS.includes(detector));
  };
  /** A tow of 15 loaded miles, of which the card gives 5 away: 10 are due. */
  const tow = async (...drive: Parameters<DrivenJob['storeDrive']>): Promise<DrivenJob> => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.storeDrive(...drive);
    await job.logSteps({ hooked: 40, at_destination: 70 });
    await job.complete();
    return job;
  };

  it('too few billed miles are suggested when the clock has measured, and accepting bills the rest', async () => {
    const job = await tow();
    const invoice = await createInvoice(job.id, [charge(4)]);
    expect(await findNew(invoice), 'before it is measured').to.deep.equal([]);
    await job.measure();
    const [found, ...rest] = await findNew(invoice);
    expect(rest).to.deep.equal([]);
    expect(found).to.deep.include({
      kind: 'missed_fee',
      detector: 'missed_driven_miles',
      title: 'Fewer miles were billed than driven',
      amount_cents: 2_700,
      confidence: 0.73,
      rationale:
        "4 miles were billed. The truck's positions show 15 loaded miles, of which 5 are free: 10 to bill. The difference is $27.00. Positions cover 100 % of the time; straight lines between them are a little shorter than the road.",
    });
    const { body: before } = await tenant.client.get(`/invoices/${invoice}`);
    const accepted = await tenant.client.post(`/suggestions/${found?.id}/accept`, {});
    expect(accepted.status, accepted.text).to.equal(200);
    const { body: after } = await tenant.client.get(`/invoices/${invoice}`);
    expect(after.subtotal_cents - before.subtotal_cents).to.equal(2_700);
    expect(after.line_items.at(-1)).to.include({ category: 'mileage', quantity: 6, unit_price_cents: 450 });
    expect(await findNew(invoice)).to.deep.equal([]);
  });

  it('too many billed miles are an anomaly, and accepting takes the difference off', async () => {
    const job = await tow();
    await job.measure();
    const invoice = await createInvoice(job.id, [charge(18)]);
    const [found] = await findNew(invoice);
    expect(found).to.deep.include({
      kind: 'anomaly',
      detector: 'anomaly_driven_miles',
      amount_cents: 3_600,
      confidence: 0.78,
    });
    const { body: before } = await tenant.client.get(`/invoices/${invoice}`);
    await tenant.client.post(`/suggestions/${found?.id}/accept`, {});
    const { body: after } = await tenant.client.get(`/invoices/${invoice}`);
    expect(before.subtotal_cents - after.subtotal_cents).to.equal(3_600);
    expect(await findNew(invoice)).to.deep.equal([]);
  });

  it('the difference is not taken off an invoice that got an adjustment since', async () => {
    const job = await tow();
    await job.measure();
    const invoice = await createInvoice(job.id, [charge(18)]);
    const [found] = await findNew(invoice);
    const credit = {
      name: 'Miles corrected',
      category: 'adjustment',
      quantity: 1,
      unit_type: 'flat',
      unit_price_cents: -3_600,
    };
    const changed = await tenant.client.patch(`/invoices/${invoice}`, { line_items: [charge(18), credit] });
    expect(changed.status, changed.text).to.equal(200);
    const refused = await tenant.client.post(`/suggestions/${found?.id}/accept`, {});
    expectError(refused, 409, 'conflict');
    expect((await tenant.client.get(`/invoices/${invoice}`)).body.total_cents).to.equal(
      changed.body.total_cents,
    );
  });

  it('dismissing widens the tolerance for this account, and a corrected invoice expires the suggestion', async () => {
    const job = await tow();
    await job.measure();
    const invoice = await createInvoice(job.id, [charge(12.5)]);
    const [found] = await findNew(invoice);
    await tenant.client.post(`/suggestions/${found?.id}/dismiss`, {});
    const second = await tow();
    await second.measure();
    const again = await createInvoice(second.id, [charge(12.5)]);
    expect(await findNew(again), 'within the tolerance now').to.deep.equal([]);
    const other = await tow();
    await other.measure();
    const wrong = await createInvoice(other.id, [charge(30)]);
    expect(await findNew(wrong)).to.have.length(1);
    await tenant.client.patch(`/invoices/${wrong}`, { line_items: [lineItem(), lineItem(charge(10))] });
    expect(await findNew(wrong)).to.deep.equal([]);
    expect((await findNew(wrong, 'expired'))[0]?.note).to.equal('The finding no longer applies.');
  });

  it('a measurement makes an invoice scanned that was submitted to a club before', async () => {
    const job = await tow();
    const invoice = await createInvoice(job.id, [charge(25)]);
    expect((await tenant.client.post(`/invoices/${invoice}/approve`, {})).status).to.equal(200);
    const claim = await tenant.client.post('/claims', { invoice_id: invoice, club: 'Agero' });
    expect(claim.status, claim.text).to.equal(201);
    const submitted = await tenant.client.post(`/claims/${claim.body.id}/submit`, {});
    expect(submitted.status, submitted.text).to.equal(200);
    expect(await findNew(invoice), 'not measured').to.deep.equal([]);
    expect((await job.measure()).billing_status).to.equal('billed');
    expect(await findNew(invoice)).to.have.length(1);
  });

  it('a drive whose time is later than that of its work order is scanned once', async () => {
    const job = await tow();
    const invoice = await createInvoice(job.id, [charge(4)]);
    await job.measure();
    // The time of a work order has milliseconds, that of its drive microseconds.
    await stack.rows(
      tenant.id,
      "update work_orders set driven_measured_at = updated_at + interval '500 microseconds' where tenant_id = $1 and id = $2",
      [tenant.id, job.id],
    );
    expect(await findNew(invoice)).to.have.length(1);
  });

  it('a finding comes back when the drive is measured again after the work order was reopened', async () => {
    const person = await openSession(
      stack,
      await createUser(stack, tenant.id, { name: 'Dora', role: 'admin' }),
    );
    const job = await tow();
    await job.measure();
    const invoice = await createInvoice(job.id, [charge(30)]);
    const [found] = await findNew(invoice);
    expect((await person.post(`/work-orders/${job.id}/reopen`, {})).status).to.equal(200);
    expect(await findNew(invoice)).to.deep.equal([]);
    await job.assign();
    await job.logSteps({ hooked: 40, at_destination: 70 });
    await job.complete();
    await job.measure();
    const [again, ...rest] = await findNew(invoice);
    expect(rest).to.deep.equal([]);
    expect(again?.id).to.not.equal(found?.id);
    await tenant.client.post(`/suggestions/${again?.id}/dismiss`, {});
    await tenant.client.patch(`/invoices/${invoice}`, { line_items: [lineItem(), lineItem(charge(31))] });
    expect(await findNew(invoice), 'dismissed').to.deep.equal([]);
  });

  it('nothing is suggested within the tolerance, with gaps in the positions, or without known free miles', async () => {
    const measured = await tow();
    await measured.measure();
    const close = await createInvoice(measured.id, [charge(11.5)]);
    const gaps = await tow([
      { minutes: 20, mph: 30 },
      { minutes: 22, mph: 0 },
    ]);
    expect((await gaps.measure()).driven.loaded_miles).to.equal(null);
    const uncovered = await createInvoice(gaps.id, [charge(40)]);
    const other = await tow();
    await other.measure();
    const ownPrice = await createInvoice(other.id, [charge(40, 700)]);
    for (const invoice of [close, uncovered, ownPrice])
      expect(await findNew(invoice), invoice).to.deep.equal([]);
  });

  it('a figure of the odometer is named as one', async () => {
    const job = await tow(undefined, {});
    await job.measure();
    const [found] = await findNew(await createInvoice(job.id, [charge(4)]));
    expect(found).to.include({
      detector: 'missed_driven_miles',
      rationale:
        "4 miles were billed. The truck's odometer shows 15.6 loaded miles, of which 5 are free: 10.6 to bill. The difference is $29.70. Positions cover 100 % of the time; the odometer agrees with them.",
    });
  });

  it('the drive of a cancelled work order suggests nothing, whatever its invoice charges', async () => {
    for (const lines of [[charge(4)], [charge(40)], []]) {
      const job = await DrivenJob.dispatch(stack, tenant);
      await job.storeDrive();
      await job.logSteps({ en_route: 0, hooked: 40, at_destination: 70 });
      const invoice = await createInvoice(job.id, lines);
      await job.cancel(80, 'unsuccessful');
      expect((await job.measure()).driven).to.include({ miles: 25, loaded_miles: 15 });
      expect(await findNew(invoice)).to.deep.equal([]);
    }
  });

  const storeFor = async (days: number): Promise<{ workOrderId: string; impoundId: string }> => {
    const job = await DrivenJob.dispatch(stack, tenant);
    await job.complete();
    const impound = await tenant.client.post('/impounds', {
      work_order_id: job.id,
      impounded_at: new Date(Date.now() - (days - 1) * DAY_MS).toISOString(),
      daily_rate_cents: 4_500,
      free_days: 1,
    });
    expect(impound.status, impound.text).to.equal(201);
    return { workOrderId: job.id, impoundId: impound.body.id };
  };
  const storage = (days: number) => ({
    name: 'Storage',
    category: 'storage',
    quantity: days,
    unit_type: 'day',
    unit_price_cents: 4_500,
  });

  it('the release of an impound finds the days of storage that no invoice has, and billing them elsewhere closes it', async () => {
    const { workOrderId, impoundId } = await storeFor(4);
    const invoice = await createInvoice(workOrderId, [storage(1)]);
    expect(await findNew(invoice), 'in the yard').to.deep.equal([]);
    await tenant.client.post(`/impounds/${impoundId}/release`, { kind: 'owner' });
    const [found, ...rest] = await findNew(invoice);
    expect(rest).to.deep.equal([]);
    expect(found).to.deep.include({
      kind: 'missed_fee',
      detector: 'missed_storage_days',
      title: 'Not all days of storage were billed',
      amount_cents: 9_000,
      confidence: 0.85,
      rationale:
        'The vehicle was released after 3 days of storage to charge, at $45.00 a day. 1 of them were billed; 2 days for $90.00 are missing.',
    });
    expect(found?.proposed_lines).to.deep.equal([
      { ...storage(2), description: null, total_cents: 9_000, taxable: false },
    ]);
    const second = await createInvoice(workOrderId, [storage(2)]);
    expect(await findNew(second)).to.deep.equal([]);
    expect(await findNew(invoice)).to.deep.equal([]);
    for (const actions of [['cancel'], ['approve', 'cancel']]) {
      const other = actions.length === 1 ? second : await createInvoice(workOrderId, [storage(2)]);
      expect(await findNew(invoice), `before ${actions}`).to.deep.equal([]);
      for (const action of actions) {
        const body = action === 'approve' ? {} : { reason: 'Billed twice' };
        const result = await tenant.client.post(`/invoices/${other}/${action}`, body);
        expect(result.status, result.text).to.equal(200);
      }
      const [back] = await findNew(invoice);
      expect(back?.amount_cents, `after ${actions}`).to.equal(9_000);
    }
  });

  it('a release without a charge, and storage that is billed in full, are no findings', async () => {
    const waived = await storeFor(4);
    const free = await createInvoice(waived.workOrderId, []);
    await tenant.client.post(`/impounds/${waived.impoundId}/release`, { kind: 'no_charge' });
    const billed = await storeFor(4);
    const full = await createInvoice(billed.workOrderId, [storage(3)]);
    await tenant.client.post(`/impounds/${billed.impoundId}/release`, { kind: 'owner' });
    for (const invoice of [free, full]) expect(await findNew(invoice)).to.deep.equal([]);
  });
});
