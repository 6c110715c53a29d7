import { expect } from 'chai';
import {
  CLUB_OFFER_MOVES,
  CLUB_OFFER_STATUSES,
  type ClubOfferStatus,
  canMoveOffer,
  type OfferMover,
} from '../../../shared/resources/club-offers/transitions.js';
import type { Json, TestResponse } from '../../support/client.js';
import { createClockTasks } from '../../support/clock.js';
import { accept, addClub, type Club, letTimePass, offerJob } from '../../support/clubs/clubs.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

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

  it('a motorist who is gone cancels the work order as goa once work has begun, and else as of the club', async () => {
    for (const [actions, reason] of [
      [[], 'club'],
      [['assign', 'start'], 'goa'],
    ] as const) {
      const body = { unit_number: `G-${Math.random()}`.slice(0, 12), duty_class: 'light' };
      const { body: truck } = await account.client.post('/trucks', body);
      const offer = await offerJob(club);
      const job = `/work-orders/${(await accept(account, offer)).body.work_order_id}`;
      for (const action of actions)
        await account.client.post(`${job}/${action}`, action === 'assign' ? { truck_id: truck.id } : {});
      expect((await act(offer, 'gone')).body).to.include({ status: 'withdrawn', withdrawal_reason: 'goa' });
      const order = (await account.client.get(job)).body;
      expect(order).to.include({ status: 'cancelled', cancel_reason: reason });
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

  it('steps of the driver and withdrawals at the same time end without an error', async () => {
    const { body: truck } = await account.client.post('/trucks', { unit_number: 'D-1', duty_class: 'light' });
    const offer = await offerJob(club);
    const job = `/work-orders/${(await accept(account, offer, { truck_id: truck.id })).body.work_order_id}`;
    const answers = await Promise.all([
      ...['en_route', 'on_scene', 'towing'].map((step) => account.client.post(`${job}/steps`, { step })),
      act(offer, 'withdraw'),
    ]);
    for (const { status, text } of answers) expect(status, text).to.be.oneOf([200, 409]);
    expect(answers.at(-1)?.status).to.equal(200);
  });
});
