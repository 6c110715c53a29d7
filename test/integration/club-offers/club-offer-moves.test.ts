import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import {
  CLUB_OFFER_MOVES,
  CLUB_OFFER_STATUSES,
  type ClubOfferStatus,
  canMoveOffer,
  type OfferMover,
} from '../../../shared/resources/club-offers/transitions.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { Json, TestResponse } from '../../support/client.js';
import { createClockTasks } from '../../support/clock.js';
import { accept, addClub, type Club, letTimePass, offerJob } from '../../support/clubs/clubs.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { buildCommand } from '../../support/writes/commands.js';

/** The actions on an offer, each with the status that it leads to and the party that may do it. */
const ACTIONS: Record<string, { to: ClubOfferStatus; by: OfferMover; body: object }> = {
  accept: { to: 'accepted', by: 'account', body: { eta_minutes: 20 } },
  refuse: { to: 'refused', by: 'account', body: { reason: 'too_far' } },
  confirm: { to: 'confirmed', by: 'club', body: {} },
  withdraw: { to: 'withdrawn', by: 'club', body: {} },
  gone: { to: 'withdrawn', by: 'club', body: {} },
};

describe("moves of motor clubs' offers", () => {
  const stack = useStack();
  let account: TestTenant;
  let club: Club;

  before(async () => {
    account = await stack.createTenant('Moving Towing');
    club = await addClub(stack, account.client);
  });

  const act = (offer: Json, action: string): Promise<TestResponse> => {
    const { by, body } = ACTIONS[action] as (typeof ACTIONS)[string];
    const { client } = by === 'club' ? club : account;
    return client.post(`/club-offers/${offer.id}/${action}`, body);
  };
  const read = async ({ id }: Json): Promise<Json> => (await account.client.get(`/club-offers/${id}`)).body;

  /** How a new offer gets each status. */
  const WAYS: Record<ClubOfferStatus, string[]> = {
    received: [],
    accepted: ['accept'],
    refused: ['refuse'],
    confirmed: ['accept', 'confirm'],
    withdrawn: ['withdraw'],
    expired: [],
  };

  async function offerIn(status: ClubOfferStatus): Promise<Json> {
    const offer = await offerJob(club);
    for (const action of WAYS[status]) expect((await act(offer, action)).status).to.equal(200);
    if (status !== 'expired') return offer;
    await letTimePass(stack, account.id, offer.id);
    await createClockTasks(stack.runtime)('expire-club-offers');
    await eventually('the offer expires', async () => (await read(offer)).status === 'expired');
    return offer;
  }

  for (const status of CLUB_OFFER_STATUSES) {
    it(`an offer that is ${status} allows exactly the moves of the table`, async () => {
      for (const [action, { to, by }] of Object.entries(ACTIONS)) {
        const offer = await offerIn(status);
        const response = await act(offer, action);
        const isRepeated = status === to && by === 'club';
        const isTooEarly = action === 'gone' && status === 'received';
        if (isTooEarly) expectError(response, 409, 'conflict');
        else if (isRepeated || canMoveOffer(status, to, by))
          expect(response.body.status, action).to.equal(to);
        else expectError(response, 409, 'invalid_status_transition');
        const isMoved = response.status === 200;
        const { status: after, work_order_id } = await read(offer);
        expect(after, action).to.equal(isMoved ? to : status);
        if (after === 'received' || after === 'refused' || after === 'expired')
          expect(work_order_id).to.equal(null);
      }
    });
  }

  it('refused, expired and withdrawn offers have ended', () => {
    const ended = CLUB_OFFER_STATUSES.filter((status) => CLUB_OFFER_MOVES[status].length === 0);
    expect(ended).to.have.members(['refused', 'expired', 'withdrawn']);
  });

  /** Accepts an offer with a truck of its own, and takes actions and steps of the driver. */
  async function dispatch(more: readonly string[]): Promise<{ offer: Json; job: string }> {
    const body = { unit_number: newId().slice(-12), duty_class: 'light' };
    const { body: truck } = await account.client.post('/trucks', body);
    const { body: customer } = await account.client.post('/customers', { company_name: club.name });
    const offer = await offerJob(club);
    const choice = { truck_id: truck.id, customer_id: customer.id };
    const job = `/work-orders/${(await accept(account, offer, choice)).body.work_order_id}`;
    for (const one of more) {
      const { status, text } =
        one === 'start'
          ? await account.client.post(`${job}/start`, {})
          : await account.client.post(`${job}/steps`, { step: one });
      expect(status, text).to.equal(200);
    }
    return { offer, job };
  }

  it('taking an offer back is billable once the truck has reached the pickup, by the steps or else by the status', async () => {
    for (const [steps, isThere] of [
      [[], false],
      [['en_route'], false],
      // The driver's page starts the work order when the driver leaves.
      [['en_route', 'start'], false],
      [['start'], true],
      [['en_route', 'on_scene'], true],
      [['en_route', 'start', 'on_scene'], true],
    ] as const) {
      for (const [action, reason] of [
        ['gone', 'goa'],
        ['withdraw', 'unsuccessful'],
      ] as const) {
        const { offer, job } = await dispatch(steps);
        expect((await act(offer, action)).body.status).to.equal('withdrawn');
        const order = (await account.client.get(job)).body;
        expect(order, `${action} after ${steps}`).to.include({
          status: 'cancelled',
          cancel_reason: isThere ? reason : 'club',
          billing_status: isThere ? 'ready_to_bill' : 'not_billable',
        });
      }
    }
  });

  it('an offer cannot be taken back while the vehicle is on the truck', async () => {
    for (const step of ['hooked', 'towing', 'at_destination', 'cleared']) {
      const { offer, job } = await dispatch(['on_scene', step]);
      for (const action of ['withdraw', 'gone']) {
        const response = await act(offer, action);
        expectError(response, 409, 'conflict');
        expect(response.body.error.message).to.include('Call the company');
      }
      expect((await read(offer)).status).to.equal('accepted');
      expect((await account.client.get(job)).body.status).to.equal('dispatched');
      await account.client.post(`${job}/cancel`, { reason: 'provider' });
      expect((await act(offer, 'withdraw')).body.status, 'the company has cancelled').to.equal('withdrawn');
    }
  });

  it('a completed job cannot be withdrawn, and a job that the company cancelled can', async () => {
    const { body: truck } = await account.client.post('/trucks', { unit_number: 'C-1', duty_class: 'light' });
    const done = await offerJob(club);
    const job = `/work-orders/${(await accept(account, done, { truck_id: truck.id })).body.work_order_id}`;
    for (const action of ['start', 'complete']) await account.client.post(`${job}/${action}`, {});
    expectError(await act(done, 'withdraw'), 409, 'conflict');
    expect((await read(done)).status).to.equal('accepted');

    const dropped = await offerJob(club);
    const other = `/work-orders/${(await accept(account, dropped)).body.work_order_id}`;
    await account.client.post(`${other}/cancel`, { reason: 'provider' });
    expect((await act(dropped, 'withdraw')).body.status).to.equal('withdrawn');
    expect((await account.client.get(other)).body.cancel_reason).to.equal('provider');
  });

  it('the progress of an offer never leads back while one truck is on its way, and a truck that is taken off takes the promised time along', async () => {
    const { offer, job } = await dispatch(['en_route']);
    const { truck_id } = (await account.client.get(job)).body;
    const eta = new Date(Date.now() + 900_000).toISOString();
    await account.client.post(`${job}/assign`, { truck_id, eta });
    expect(await read(offer)).to.include({ progress: 'en_route', eta });
    await account.client.post(`${job}/unassign`, {});
    expect(await read(offer)).to.include({ progress: 'waiting', eta: null });
    await account.client.post(`${job}/assign`, { truck_id });
    expect(await read(offer)).to.include({ progress: 'dispatched', eta: null });
    await account.client.post(`${job}/start`, {});
    expect(await read(offer)).to.include({ progress: 'in_progress' });
  });

  /** Returns when a query waits for a row that another transaction has locked. */
  const waitForLock = () =>
    eventually('a transaction waits for a row', async () => {
      const waiting = await stack.rows(account.id, 'select 1 from pg_locks where not granted');
      return waiting.length > 0;
    });

  it('a withdrawal that waits for an acceptance cancels the work order of the acceptance', async () => {
    const offer = await offerJob(club);
    const { body: order } = await account.client.post('/work-orders', { service_type: 'light_duty_tow' });
    // The acceptance, in a transaction by hand. The withdrawal has looked for a work order already.
    const { withdrawal } = await stack.runtime.db.transaction([account.id], async (tx) => {
      const values = [account.id, offer.id];
      const lock = 'select 1 from club_offers where tenant_id = $1 and id = $2 for update';
      await tx.query({ text: lock, values });
      const response = act(offer, 'withdraw');
      await waitForLock();
      const text =
        "update club_offers set status = 'accepted', work_order_id = $3 where tenant_id = $1 and id = $2";
      await tx.query({ text, values: [...values, order.id] });
      return { withdrawal: response };
    });
    expect((await withdrawal).body.status).to.equal('withdrawn');
    const { body } = await account.client.get(`/work-orders/${order.id}`);
    expect(body).to.include({ status: 'cancelled', cancel_reason: 'club' });
  });

  it("a withdrawal locks the work order before the offer, as a driver's step does, so they cannot deadlock", async () => {
    const { offer, job } = await dispatch([]);
    // The driver's step, in a transaction by hand.
    const { withdrawal } = await stack.runtime.db.transaction([account.id], async (tx) => {
      const lock = (table: string, id: string, options = '') =>
        tx.query({ text: `select 1 from ${table} where id = $1 for update ${options}`, values: [id] });
      await lock('work_orders', job.replace('/work-orders/', ''));
      const response = act(offer, 'withdraw');
      await waitForLock();
      await lock('club_offers', offer.id, 'nowait');
      return { withdrawal: response };
    });
    expect((await withdrawal).body.status).to.equal('withdrawn');
  });

  it('accepting an offer that is accepted already does not wait for the truck, whose assignment may wait for the offer', async () => {
    const { offer, job } = await dispatch([]);
    const { truck_id } = (await account.client.get(job)).body;
    const second = await stack.runtime.db.transaction([account.id], async (tx) => {
      await tx.query({ text: 'select 1 from trucks where id = $1 for update', values: [truck_id] });
      await tx.query({ text: "set local lock_timeout = '5s'" });
      const response = await accept(account, offer, { truck_id });
      await tx.query({ text: 'select 1 from club_offers where id = $1 for update', values: [offer.id] });
      return response;
    });
    expectError(second, 409, 'invalid_status_transition');
  });

  it('of two acceptances with one truck in one batch, the second names the work order of the first', async () => {
    const { body: truck } = await account.client.post('/trucks', { unit_number: 'T-1', duty_class: 'light' });
    const offers = [await offerJob(club), await offerJob(club)];
    const results = await runIsolated(
      createBatchContext(stack.runtime),
      offers.map(({ id }) => {
        const input = { eta_minutes: 20, truck_id: truck.id };
        return buildCommand('club_offer.accept', account.id, input, { entityId: id });
      }),
    );
    const { work_order_id } = await read(offers[0]);
    const { job_number } = (await account.client.get(`/work-orders/${work_order_id}`)).body;
    const refused = results.find(({ ok }) => !ok);
    expect(refused).to.have.nested.property('error.details.0').that.includes({ work_order_id, job_number });
    expect((await read(offers[1])).status).to.equal('received');
  });
});
