import { expect } from 'chai';
import type { Command } from '../../../shared/contracts/command.js';
import {
  IMPOUND_MOVES,
  IMPOUND_STATUSES,
  PATCHABLE_IMPOUND_STATUSES,
} from '../../../shared/resources/impounds/transitions.js';
import type { TestResponse } from '../../support/client.js';
import { createClockTasks } from '../../support/clock.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { noonDaysAgo, StorageSweeps } from '../../support/exports/storage-sweeps.js';
import { eventually } from '../../support/poll.js';
import {
  buildRateCardItem,
  createCompletedWorkOrder,
  makeRateCard,
  STORAGE_ITEM,
} from '../../support/records/priced-work-orders.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

describe('impounds', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Yard', { timeZone: 'UTC' });
  let storage: StorageSweeps;

  before(async () => {
    storage = new StorageSweeps(stack, tenant.id);
  });

  const createImpound = async (overrides: Record<string, unknown> = {}): Promise<TestResponse['body']> => {
    const response = await tenant.client.post('/impounds', { daily_rate_cents: 4500, ...overrides });
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const act = (id: string, action: string, body: unknown = {}) =>
    tenant.client.post(`/impounds/${id}/${action}`, body);
  const read = async (id: string): Promise<TestResponse['body']> =>
    (await tenant.client.get(`/impounds/${id}`)).body;
  const listEntityIds = (commands: Command[]) => commands.map(({ entityId }) => entityId);

  it('POST /impounds charges the first day and stores every field, and reads return the same bytes', async () => {
    const vehicle = {
      vin: '1HGCM82633A004352',
      plate: 'P 1',
      make: 'Honda',
      model: 'Accord',
      year: 2019,
      color: 'red',
    };
    const input = {
      vehicle,
      lot: 'North',
      spot: 'B-1',
      notes: 'keys inside',
      daily_rate_cents: 4500,
      free_days: 0,
    };
    const response = await tenant.client.post('/impounds', input);
    expect(response.status, response.text).to.equal(201);
    expect(response.body).to.deep.include({
      ...input,
      status: 'stored',
      work_order_id: null,
      customer_id: null,
      hold_reason: null,
      days: 1,
      accrued_days: 1,
      storage_cents: 4500,
      invoiced_days: 0,
      unbilled_days: 1,
      released_at: null,
      release_kind: null,
      released_to: null,
    });
    expect((await tenant.client.get(`/impounds/${response.body.id}`)).text).to.equal(response.text);
    const patched = await tenant.client.patch(`/impounds/${response.body.id}`, {
      spot: 'C-3',
      notes: null,
      vehicle: { color: 'blue' },
    });
    expect(patched.body).to.deep.equal({
      ...response.body,
      spot: 'C-3',
      notes: null,
      vehicle: { ...vehicle, color: 'blue' },
      updated_at: patched.body.updated_at,
    });
  });

  it('POST /impounds takes missing rates from the rate card, and missing customer and vehicle from the work order', async () => {
    const { client } = await stack.createTenant('With a card', { timeZone: 'UTC' });
    const serviceStorage = {
      ...STORAGE_ITEM,
      service_type: 'impound_tow',
      unit_price_cents: 6000,
      included_quantity: 2,
    };
    await makeRateCard(client, { is_default: true, items: [STORAGE_ITEM, serviceStorage] });
    const customerId = (await client.post('/customers', { company_name: 'C' })).body.id;
    const workOrderInput = {
      service_type: 'impound_tow',
      customer_id: customerId,
      vin: 'V1',
      vehicle: { make: 'Honda' },
    };
    const workOrderId = (await client.post('/work-orders', workOrderInput)).body.id;
    const impound = (
      await client.post('/impounds', { work_order_id: workOrderId, impounded_at: noonDaysAgo(4) })
    ).body;
    expect(impound).to.deep.include({
      work_order_id: workOrderId,
      customer_id: customerId,
      daily_rate_cents: 6000,
      free_days: 2,
      days: 5,
      accrued_days: 3,
      storage_cents: 18_000,
    });
    expect(impound.vehicle).to.include({ vin: 'V1', make: 'Honda', plate: null });
    expect((await client.get(`/impounds?work_order_id=${workOrderId}`)).body.data.items).to.deep.equal([
      impound,
    ]);
    expectError(await client.post('/impounds', { work_order_id: workOrderId }), 409, 'conflict');
    const input = { daily_rate_cents: 100, free_days: 0, customer_id: null, vehicle: { make: 'Ford' } };
    expect((await client.post('/impounds', input)).body).to.include({
      daily_rate_cents: 100,
      customer_id: null,
    });
    expect(
      (await client.post('/impounds', {})).body.daily_rate_cents,
      "the rate card's first storage item",
    ).to.equal(4500);
  });

  it('impound requests with unknown records, future times or no rate are 400 and list every problem', async () => {
    const body = { work_order_id: UNKNOWN_ID, customer_id: UNKNOWN_ID, impounded_at: '2999-01-01T00:00:00Z' };
    expect(listValidationErrors(await tenant.client.post('/impounds', body))).to.deep.equal([
      'customer_id unknown',
      'daily_rate_cents required',
      'impounded_at future',
      'work_order_id unknown',
    ]);
    const { id } = await createImpound();
    expect(
      listValidationErrors(await tenant.client.patch(`/impounds/${id}`, { customer_id: UNKNOWN_ID })),
    ).to.deep.equal(['customer_id unknown']);
    const early = await act(id, 'release', { kind: 'owner', at: '2026-01-01T00:00:00Z' });
    expect(listValidationErrors(early)).to.deep.equal(['at too_early']);
    expect(
      listValidationErrors(await act(id, 'release', { kind: 'thief', at: '2999-01-01T00:00:00Z' })),
    ).to.deep.equal(['kind only']);
    expect(
      listValidationErrors(await act(id, 'release', { kind: 'owner', at: '2999-01-01T00:00:00Z' })),
    ).to.deep.equal(['at future']);
  });

  it('an impound of another tenant is 404', async () => {
    const theirs = (await tenant.sandbox.post('/impounds', { daily_rate_cents: 1 })).body;
    for (const id of [theirs.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`/impounds/${id}`), 404, 'not_found');
      expectError(await act(id, 'hold', { reason: 'x' }), 404, 'not_found');
      expectError(await act(id, 'release', { kind: 'owner' }), 404, 'not_found');
    }
  });

  describe('impounds on hold', () => {
    it('an impound on hold cannot be released or moved, and unhold restores its status', async () => {
      const { id } = await createImpound();
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
      expect((await act(id, 'unhold')).status, 'no hold to lift').to.equal(200);
      expect((await act(id, 'release', { kind: 'owner' })).body.status).to.equal('released');
    });

    it('an impound can start on hold, and accrues storage', async () => {
      const held = await createImpound({ hold_reason: 'Police', impounded_at: noonDaysAgo(2) });
      expect(held).to.include({ status: 'hold', storage_cents: 13_500 });
      const [found = []] = await storage.sweepAfter(held.id, 1);
      expect(listEntityIds(found)).to.include(held.id);
      await storage.accrue(found);
      expect((await read(held.id)).storage_cents).to.equal(18_000);
      expect((await act(held.id, 'unhold')).body.status).to.equal('stored');
    });
  });

  it('PATCH /impounds/{id} allows only the moves of the transition table, and the current status changes nothing', async () => {
    for (const from of IMPOUND_STATUSES.filter((status) => status !== 'hold')) {
      for (const to of PATCHABLE_IMPOUND_STATUSES) {
        const { id } = await createImpound();
        await stack.rows(
          tenant.id,
          `update impounds set status = $3, released_at = case when $3 in ('released', 'disposed') then now() end where tenant_id = $1 and id = $2`,
          [tenant.id, id, from],
        );
        const response = await tenant.client.patch(`/impounds/${id}`, { status: to });
        if (from === to || IMPOUND_MOVES[from].includes(to)) {
          expect(response.body.status, `${from} ${to} ${response.text}`).to.equal(to);
        } else {
          const [detail] = expectError(response, 409, 'invalid_status_transition');
          expect(detail).to.deep.include({ from, to, allowed: [...IMPOUND_MOVES[from]] });
        }
      }
    }
  });

  it('an impound is released once, with storage to the day, and the release is final', async () => {
    const { id } = await createImpound({ impounded_at: noonDaysAgo(9) });
    const firstRelease = await act(id, 'release', { kind: 'owner' });
    expect(firstRelease.status).to.equal(200);
    expect(firstRelease.body).to.include({
      status: 'released',
      release_kind: 'owner',
      storage_cents: 45_000,
    });
    expect((await act(id, 'release', { kind: 'junked' })).body).to.deep.equal(firstRelease.body);
    for (const action of ['hold', 'unhold'])
      expectError(await act(id, action, { reason: 'late' }), 409, 'invalid_status_transition');
    expect(listEntityIds((await storage.sweepAfter(id, 5))[0] ?? [])).to.not.include(id);
    expect((await read(id)).storage_cents).to.equal(45_000);
    const other = await createImpound({ impounded_at: noonDaysAgo(9) });
    const released = await act(other.id, 'release', {
      kind: 'insurance',
      released_to: 'Acme',
      at: noonDaysAgo(3),
    });
    expect(released.body, 'a release recorded later').to.include({
      days: 7,
      accrued_days: 7,
      released_to: 'Acme',
    });
    expect((await act(other.id, 'release', { kind: 'owner' })).status).to.equal(200);
    const disposed = await createImpound({ impounded_at: noonDaysAgo(1) });
    await tenant.client.patch(`/impounds/${disposed.id}`, { status: 'lien' });
    await tenant.client.patch(`/impounds/${disposed.id}`, { status: 'auction' });
    expect((await tenant.client.patch(`/impounds/${disposed.id}`, { status: 'disposed' })).body).to.include({
      status: 'disposed',
      storage_cents: 9000,
    });
  });

  it('the clock accrues each started day of storage once, even after missed nights and repeated sweeps', async () => {
    const { id } = await createImpound({ free_days: 2 });
    expect((await read(id)).storage_cents).to.equal(0);
    const found = await storage.sweepAfter(id, 6, 3);
    expect(found.map(listEntityIds)).to.deep.equal([[id], [id], [id]]);
    await Promise.all(found.map((commands) => storage.accrue(commands)));
    expect(await read(id)).to.include({ days: 7, free_days: 2, accrued_days: 5, storage_cents: 22_500 });
    const entries = await stack.rows<{ changes: unknown[] }>(
      tenant.id,
      `select changes from audit_entries where tenant_id = $1 and entity_id = $2 and action = 'impound.storage_accrued'`,
      [tenant.id, id],
    );
    expect(entries.filter(({ changes }) => changes.length > 0)).to.have.length(1);
    expect(
      (await storage.sweepAfter(id, 0)).map(listEntityIds),
      'all days are free or charged',
    ).to.deep.equal([[]]);
  });

  it('the accrue-storage job of the clock accrues storage', async () => {
    const { id } = await createImpound();
    await storage.sweepAfter(id, 3);
    await createClockTasks(stack.runtime)('accrue-storage');
    await eventually('the clock to accrue storage', async () => (await read(id)).accrued_days === 4);
    expect((await read(id)).storage_cents).to.equal(18_000);
  });

  it("storage days are calendar days in the account's time zone, not periods of 24 hours", async () => {
    const { client, id } = await stack.createTenant('West', { timeZone: 'America/Los_Angeles' });
    const body = { daily_rate_cents: 100, impounded_at: '2026-07-02T06:59:00Z' };
    const { body: midnightImpound } = await client.post('/impounds', body);
    const at = '2026-07-02T07:01:00Z';
    const released = await client.post(`/impounds/${midnightImpound.id}/release`, { kind: 'owner', at });
    expect(released.body, 'two minutes across midnight are two days').to.include({
      days: 2,
      storage_cents: 200,
    });
    // Clocks go back on 2 November 2025, so these two calendar days last 49 hours.
    const autumn = { daily_rate_cents: 100, impounded_at: '2025-11-01T07:30:00Z' };
    const { body: autumnImpound } = await client.post('/impounds', autumn);
    const autumnRelease = await client.post(`/impounds/${autumnImpound.id}/release`, {
      kind: 'owner',
      at: '2025-11-03T07:59:00Z',
    });
    expect(autumnRelease.body.days, id).to.equal(2);
  });

  it('a dry run of a release changes nothing', async () => {
    const { id } = await createImpound({ impounded_at: noonDaysAgo(2) });
    const before = await read(id);
    const preview = await tenant.client.post(`/impounds/${id}/release`, { kind: 'owner' }, DRY_RUN);
    expect(preview.body.data).to.include({ status: 'released', storage_cents: 13_500 });
    expect(await read(id)).to.deep.equal(before);
  });

  it('an invoice bills gate fee and storage of the impound at its own rate, but no storage if released at no charge', async () => {
    const { client } = await stack.createTenant('Billed', { timeZone: 'UTC' });
    const gateFee = buildRateCardItem({ category: 'gate_fee', unit_price_cents: 6000 });
    await makeRateCard(client, { is_default: true, items: [buildRateCardItem(), gateFee, STORAGE_ITEM] });
    const bill = async (kind: string) => {
      const workOrderId = await createCompletedWorkOrder(client);
      const body = { work_order_id: workOrderId, impounded_at: noonDaysAgo(3), daily_rate_cents: 3000 };
      const { id } = (await client.post('/impounds', body)).body;
      const release = (at?: string) => client.post(`/impounds/${id}/release`, { kind, at });
      if (kind !== 'bill_account') await release();
      const invoice = await client.post('/invoices', {
        invoice_number: workOrderId.slice(-30),
        work_order_id: workOrderId,
      });
      const lineItems = invoice.body.line_items.map(
        (lineItem: Record<string, unknown>) => `${lineItem.category} ${lineItem.total_cents}`,
      );
      return { lineItems, release, impound: (await client.get(`/impounds/${id}`)).body };
    };
    const owner = await bill('owner');
    expect(owner.lineItems).to.deep.equal(['hook_up 7500', 'gate_fee 6000', 'storage 12000']);
    expect(owner.impound).to.include({ invoiced_days: 4, unbilled_days: 0 });
    const free = await bill('no_charge');
    expect(free.lineItems).to.deep.equal(['hook_up 7500', 'gate_fee 6000']);
    expect(free.impound).to.include({ accrued_days: 4, invoiced_days: 0, unbilled_days: 0 });
    const stillStored = await bill('bill_account');
    expect(stillStored.impound).to.include({ status: 'stored', invoiced_days: 4, unbilled_days: 0 });
    const [problem] = expectError(await stillStored.release(noonDaysAgo(2)), 409, 'conflict');
    expect(problem, 'billed days cannot be removed').to.include({ field: 'at', code: 'invoiced' });
    expect((await stillStored.release()).body).to.include({ status: 'released', accrued_days: 4 });
  });
});
