import { expect } from 'chai';
import type { Command } from '../../shared/contracts/command.js';
import { newId } from '../../shared/platform/ids.js';
import type { Transaction } from '../../shared/platform/postgres.js';
import { openClockQueue } from '../../shared/queues/clock.js';
import { findAccruals } from '../../shared/resources/impounds/storage-sweep.js';
import {
  IMPOUND_MOVES,
  IMPOUND_STATUSES,
  PATCHABLE_IMPOUND_STATUSES,
} from '../../shared/resources/impounds/transitions.js';
import { runIsolated } from '../../workers/writes/isolate.js';
import { batchContextOf } from '../support/batch-context.js';
import type { Answer } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { eventually } from '../support/poll.js';
import { cardItem, completedJob, makeCard, STORAGE } from '../support/priced-jobs.js';
import { UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const DAY_MS = 86_400_000;
const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };
/** Noon of that many days ago in UTC, which is the account's time zone here. */
const daysAgo = (days: number) =>
  new Date((Math.floor(Date.now() / DAY_MS) - days + 0.5) * DAY_MS).toISOString();

describe('impounds', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Yard', { timeZone: 'UTC' });
  });
  after(() => stack.stop());

  const stored = async (overrides: Record<string, unknown> = {}): Promise<Answer['body']> => {
    const answer = await tenant.client.post('/impounds', { daily_rate_cents: 4500, ...overrides });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const act = (id: string, action: string, body: unknown = {}) =>
    tenant.client.post(`/impounds/${id}/${action}`, body);
  const read = async (id: string): Promise<Answer['body']> =>
    (await tenant.client.get(`/impounds/${id}`)).body;
  const find = (tx: Transaction) => findAccruals(tx, 100);
  const accrue = (commands: Command[]) => {
    return runIsolated(batchContextOf(stack.runtime), commands);
  };
  /** What as many sweeps find once time has passed; in one transaction, so that the product's own clock is not there before. */
  const elapse = (id: string, days: number, sweeps = 1): Promise<Command[][]> =>
    stack.runtime.db.transaction([tenant.id], async (tx) => {
      await tx.query({
        text: `update impounds set impounded_at = impounded_at - make_interval(days => $3) where tenant_id = $1 and id = $2`,
        values: [tenant.id, id, days],
      });
      return Promise.all(Array.from({ length: sweeps }, () => find(tx)));
    });
  const idsOf = (commands: Command[]) => commands.map(({ entityId }) => entityId);

  it('begin with their first day, know what they were told, and are read back byte for byte', async () => {
    const vehicle = {
      vin: '1HGCM82633A004352',
      plate: 'P 1',
      make: 'Honda',
      model: 'Accord',
      year: 2019,
      color: 'red',
    };
    const told = {
      vehicle,
      lot: 'North',
      spot: 'B-1',
      notes: 'keys inside',
      daily_rate_cents: 4500,
      free_days: 0,
    };
    const answer = await tenant.client.post('/impounds', told);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body).to.deep.include({
      ...{ ...told, status: 'stored', work_order_id: null, customer_id: null, hold_reason: null },
      ...{ days: 1, accrued_days: 1, storage_cents: 4500, invoiced_days: 0, unbilled_days: 1 },
      ...{ released_at: null, release_kind: null, released_to: null },
    });
    expect((await tenant.client.get(`/impounds/${answer.body.id}`)).text).to.equal(answer.text);
    const patched = await tenant.client.patch(`/impounds/${answer.body.id}`, {
      ...{ spot: 'C-3', notes: null, vehicle: { color: 'blue' } },
    });
    expect(patched.body).to.deep.equal({
      ...{ ...answer.body, spot: 'C-3', notes: null, vehicle: { ...vehicle, color: 'blue' } },
      updated_at: patched.body.updated_at,
    });
  });

  it('take rate and free days from the card, and customer and vehicle from the job, where they are not told', async () => {
    const { client } = await stack.createTenant('With a card', { timeZone: 'UTC' });
    const own = { ...STORAGE, service_type: 'impound_tow', unit_price_cents: 6000, included_quantity: 2 };
    await makeCard(client, { is_default: true, items: [STORAGE, own] });
    const customer = (await client.post('/customers', { company_name: 'C' })).body.id;
    const booked = {
      service_type: 'impound_tow',
      customer_id: customer,
      vin: 'V1',
      vehicle: { make: 'Honda' },
    };
    const job = (await client.post('/work-orders', booked)).body.id;
    const impound = (await client.post('/impounds', { work_order_id: job, impounded_at: daysAgo(4) })).body;
    expect(impound).to.deep.include({
      ...{ work_order_id: job, customer_id: customer, daily_rate_cents: 6000, free_days: 2 },
      ...{ days: 5, accrued_days: 3, storage_cents: 18_000 },
    });
    expect(impound.vehicle).to.include({ vin: 'V1', make: 'Honda', plate: null });
    expect((await client.get(`/impounds?work_order_id=${job}`)).body.data.items).to.deep.equal([impound]);
    expectError(await client.post('/impounds', { work_order_id: job }), 409, 'conflict');
    const told = { daily_rate_cents: 100, free_days: 0, customer_id: null, vehicle: { make: 'Ford' } };
    expect((await client.post('/impounds', told)).body).to.include({
      daily_rate_cents: 100,
      customer_id: null,
    });
    expect((await client.post('/impounds', {})).body.daily_rate_cents, 'the first of the card').to.equal(
      4500,
    );
  });

  it('refuse strangers, the future and a rate that nobody knows, with every fault named', async () => {
    const body = { work_order_id: UNKNOWN_ID, customer_id: UNKNOWN_ID, impounded_at: '2999-01-01T00:00:00Z' };
    expect(faultsOf(await tenant.client.post('/impounds', body))).to.deep.equal([
      'customer_id unknown',
      'daily_rate_cents required',
      'impounded_at future',
      'work_order_id unknown',
    ]);
    const { id } = await stored();
    expect(faultsOf(await tenant.client.patch(`/impounds/${id}`, { customer_id: UNKNOWN_ID }))).to.deep.equal(
      ['customer_id unknown'],
    );
    const early = await act(id, 'release', { kind: 'owner', at: '2026-01-01T00:00:00Z' });
    expect(faultsOf(early)).to.deep.equal(['at too_early']);
    expect(faultsOf(await act(id, 'release', { kind: 'thief', at: '2999-01-01T00:00:00Z' }))).to.deep.equal([
      'kind only',
    ]);
    expect(faultsOf(await act(id, 'release', { kind: 'owner', at: '2999-01-01T00:00:00Z' }))).to.deep.equal([
      'at future',
    ]);
  });

  it('are of their own tenant alone', async () => {
    const theirs = (await tenant.sandbox.post('/impounds', { daily_rate_cents: 1 })).body;
    for (const id of [theirs.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`/impounds/${id}`), 404, 'not_found');
      expectError(await act(id, 'hold', { reason: 'x' }), 404, 'not_found');
      expectError(await act(id, 'release', { kind: 'owner' }), 404, 'not_found');
    }
  });

  describe('on hold', () => {
    it('cannot be released or moved, by whichever request, and go back to where they were', async () => {
      const { id } = await stored();
      await tenant.client.patch(`/impounds/${id}`, { status: 'lien' });
      const held = await act(id, 'hold', { reason: 'Police, case 1' });
      expect(held.body, held.text).to.include({ status: 'hold', hold_reason: 'Police, case 1' });
      expect((await act(id, 'hold', { reason: 'again' })).body).to.deep.equal(held.body);
      for (const refused of [
        await act(id, 'release', { kind: 'owner' }),
        await tenant.client.patch(`/impounds/${id}`, { status: 'auction', notes: 'lost' }),
      ]) {
        const [detail] = expectError(refused, 409, 'invalid_status_transition');
        expect(detail).to.deep.include({ from: 'hold', allowed: ['lien'] });
      }
      expect(await read(id)).to.deep.equal(held.body);
      expect((await act(id, 'unhold')).body).to.include({ status: 'lien', hold_reason: null });
      expect((await act(id, 'unhold')).status, 'nothing to lift').to.equal(200);
      expect((await act(id, 'release', { kind: 'owner' })).body.status).to.equal('released');
    });

    it('may come in so, and accrue storage', async () => {
      const held = await stored({ hold_reason: 'Police', impounded_at: daysAgo(2) });
      expect(held).to.include({ status: 'hold', storage_cents: 13_500 });
      const [found = []] = await elapse(held.id, 1);
      expect(idsOf(found)).to.include(held.id);
      await accrue(found);
      expect((await read(held.id)).storage_cents).to.equal(18_000);
      expect((await act(held.id, 'unhold')).body.status).to.equal('stored');
    });
  });

  it('move by the table and by nothing else; asking for the state they are in changes nothing', async () => {
    for (const from of IMPOUND_STATUSES.filter((status) => status !== 'hold')) {
      for (const to of PATCHABLE_IMPOUND_STATUSES) {
        const { id } = await stored();
        await stack.rows(
          tenant.id,
          `update impounds set status = $3, released_at = case when $3 in ('released', 'disposed') then now() end where tenant_id = $1 and id = $2`,
          [tenant.id, id, from],
        );
        const answer = await tenant.client.patch(`/impounds/${id}`, { status: to });
        if (from === to || IMPOUND_MOVES[from].includes(to)) {
          expect(answer.body.status, `${from} ${to} ${answer.text}`).to.equal(to);
        } else {
          const [detail] = expectError(answer, 409, 'invalid_status_transition');
          expect(detail).to.deep.include({ from, to, allowed: [...IMPOUND_MOVES[from]] });
        }
      }
    }
  });

  it('are released to somebody, once, with storage to the day, and stay so', async () => {
    const { id } = await stored({ impounded_at: daysAgo(9) });
    const rehearsed = await act(id, 'release', { kind: 'owner' });
    expect(rehearsed.status).to.equal(200);
    expect(rehearsed.body).to.include({ status: 'released', release_kind: 'owner', storage_cents: 45_000 });
    expect((await act(id, 'release', { kind: 'junked' })).body).to.deep.equal(rehearsed.body);
    for (const action of ['hold', 'unhold'])
      expectError(await act(id, action, { reason: 'late' }), 409, 'invalid_status_transition');
    expect(idsOf((await elapse(id, 5))[0] ?? [])).to.not.include(id);
    expect((await read(id)).storage_cents).to.equal(45_000);
    const other = await stored({ impounded_at: daysAgo(9) });
    const released = await act(other.id, 'release', {
      kind: 'insurance',
      released_to: 'Acme',
      at: daysAgo(3),
    });
    expect(released.body, 'a release that is told later').to.include({
      days: 7,
      accrued_days: 7,
      released_to: 'Acme',
    });
    expect((await act(other.id, 'release', { kind: 'owner' })).status).to.equal(200);
    const disposed = await stored({ impounded_at: daysAgo(1) });
    await tenant.client.patch(`/impounds/${disposed.id}`, { status: 'lien' });
    await tenant.client.patch(`/impounds/${disposed.id}`, { status: 'auction' });
    expect((await tenant.client.patch(`/impounds/${disposed.id}`, { status: 'disposed' })).body).to.include({
      ...{ status: 'disposed', storage_cents: 9000 },
    });
  });

  it('accrue a day when it has begun, whatever nights were missed and however often the clock asks', async () => {
    const { id } = await stored({ free_days: 2 });
    expect((await read(id)).storage_cents).to.equal(0);
    const found = await elapse(id, 6, 3);
    expect(found.map(idsOf)).to.deep.equal([[id], [id], [id]]);
    await Promise.all(found.map(accrue));
    expect(await read(id)).to.include({ days: 7, free_days: 2, accrued_days: 5, storage_cents: 22_500 });
    const entries = await stack.rows<{ changes: unknown[] }>(
      tenant.id,
      `select changes from audit_entries where tenant_id = $1 and entity_id = $2 and action = 'impound.storage_accrued'`,
      [tenant.id, id],
    );
    expect(entries.filter(({ changes }) => changes.length > 0)).to.have.length(1);
    expect((await elapse(id, 0)).map(idsOf), 'the free days and the charged ones').to.deep.equal([[]]);
  });

  it('accrue by the clock of the product itself', async () => {
    const { id } = await stored();
    await elapse(id, 3);
    await openClockQueue(stack.runtime).add('accrue-storage', {}, { jobId: newId() });
    await eventually('the clock accrues', async () => (await read(id)).accrued_days === 4);
    expect((await read(id)).storage_cents).to.equal(18_000);
  });

  it('count the calendar days of the account, not hours of the day', async () => {
    const { client, id } = await stack.createTenant('West', { timeZone: 'America/Los_Angeles' });
    const body = { daily_rate_cents: 100, impounded_at: '2026-07-02T06:59:00Z' };
    const { body: late } = await client.post('/impounds', body);
    const at = '2026-07-02T07:01:00Z';
    const released = await client.post(`/impounds/${late.id}/release`, { kind: 'owner', at });
    expect(released.body, 'two minutes over midnight are two days').to.include({
      days: 2,
      storage_cents: 200,
    });
    // Clocks go back in the night of November 1st: 25 hours are one day and the next.
    const autumn = { daily_rate_cents: 100, impounded_at: '2025-11-01T07:30:00Z' };
    const { body: long } = await client.post('/impounds', autumn);
    const out = await client.post(`/impounds/${long.id}/release`, {
      kind: 'owner',
      at: '2025-11-03T07:59:00Z',
    });
    expect(out.body.days, id).to.equal(2);
  });

  it('are tried by a dry run without effect', async () => {
    const { id } = await stored({ impounded_at: daysAgo(2) });
    const before = await read(id);
    const preview = await tenant.client.post(`/impounds/${id}/release`, { kind: 'owner' }, DRY_RUN);
    expect(preview.body.data).to.include({ status: 'released', storage_cents: 13_500 });
    expect(await read(id)).to.deep.equal(before);
  });

  it('are billed with their job: gate and days at their own rate, and what is released at no charge is not', async () => {
    const { client } = await stack.createTenant('Billed', { timeZone: 'UTC' });
    const gate = cardItem({ category: 'gate_fee', unit_price_cents: 6000 });
    await makeCard(client, { is_default: true, items: [cardItem(), gate, STORAGE] });
    const bill = async (kind: string) => {
      const job = await completedJob(client);
      const body = { work_order_id: job, impounded_at: daysAgo(3), daily_rate_cents: 3000 };
      const { id } = (await client.post('/impounds', body)).body;
      const release = (at?: string) => client.post(`/impounds/${id}/release`, { kind, at });
      if (kind !== 'bill_account') await release();
      const invoice = await client.post('/invoices', { invoice_number: job.slice(-30), work_order_id: job });
      const lines = invoice.body.line_items.map(
        (line: Record<string, unknown>) => `${line.category} ${line.total_cents}`,
      );
      return { lines, release, impound: (await client.get(`/impounds/${id}`)).body };
    };
    const owner = await bill('owner');
    expect(owner.lines).to.deep.equal(['hook_up 7500', 'gate_fee 6000', 'storage 12000']);
    expect(owner.impound).to.include({ invoiced_days: 4, unbilled_days: 0 });
    const free = await bill('no_charge');
    expect(free.lines).to.deep.equal(['hook_up 7500', 'gate_fee 6000']);
    expect(free.impound).to.include({ accrued_days: 4, invoiced_days: 0, unbilled_days: 0 });
    const standing = await bill('bill_account');
    expect(standing.impound).to.include({ status: 'stored', invoiced_days: 4, unbilled_days: 0 });
    const [fault] = expectError(await standing.release(daysAgo(2)), 409, 'conflict');
    expect(fault, 'days that are billed are not unlived').to.include({ field: 'at', code: 'invoiced' });
    expect((await standing.release()).body).to.include({ status: 'released', accrued_days: 4 });
  });
});
