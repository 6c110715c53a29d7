import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { Json } from '../../support/client.js';
import { createClockTasks } from '../../support/clock.js';
import { accept, addClub, buildOffer, type Club, letTimePass, offerJob } from '../../support/clubs/clubs.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

describe("motor clubs' offers", () => {
  const stack = useStack();
  let account: TestTenant;
  let club: Club;

  before(async () => {
    account = await stack.createTenant('Offered Towing');
    club = await addClub(stack, account.client);
  });

  const read = async (id: string) => (await account.client.get(`/club-offers/${id}`)).body;

  it('an accepted offer becomes a work order with what the club sent, and both show the promised time', async () => {
    const offer = await offerJob(club, { notes: 'Keys are with the officer.' });
    expect(offer).to.include({ status: 'received', club: club.name, club_id: club.clubId, progress: null });
    const seconds = (Date.parse(offer.respond_by) - Date.parse(offer.created_at)) / 1000;
    expect(Math.round(seconds)).to.equal(90);

    const accepted = await accept(account, offer);
    expect(accepted.status, accepted.text).to.equal(200);
    expect(accepted.body).to.include({ status: 'accepted', progress: 'waiting' });
    const promised = (Date.parse(accepted.body.eta) - Date.parse(accepted.body.answered_at)) / 60_000;
    expect(promised).to.equal(35);
    const { body: order } = await account.client.get(`/work-orders/${accepted.body.work_order_id}`);
    expect(order).to.include({
      status: 'pending',
      service_type: 'light_duty_tow',
      pickup_location: 'I-87 N at exit 4',
      dropoff_location: '12 Canal Street, Albany',
      contact_name: 'Ann Motorist',
      contact_phone: '+1 212 555 0142',
      notes: `${club.name}, offer ${offer.reference}, PO PO-88213, pays $85.00\nKeys are with the officer.`,
    });
    expect(order.pickup).to.deep.equal({ address: 'I-87 N at exit 4', lat: 42.7156, lng: -73.8246 });
    expect(order.vehicle).to.deep.equal({ make: 'Honda', model: 'Accord', year: 2019 });

    const confirmed = await club.client.post(`/club-offers/${offer.id}/confirm`, {});
    expect(confirmed.body).to.include({ status: 'confirmed' });
    const { body: steps } = await account.client.get(`/work-orders/${order.id}/steps`);
    expect(steps.data.items.map(({ action }: { action: string }) => action)).to.deep.equal(['created']);
  });

  it('an offer accepted with a truck is dispatched, and a truck that is out changes nothing', async () => {
    const { body: truck } = await account.client.post('/trucks', {
      unit_number: newId().slice(-8),
      duty_class: 'light',
    });
    const [first, second] = [await offerJob(club), await offerJob(club)];
    const accepted = await accept(account, first, { truck_id: truck.id });
    expect(accepted.body, accepted.text).to.include({ status: 'accepted', progress: 'dispatched' });
    const { body: order } = await account.client.get(`/work-orders/${accepted.body.work_order_id}`);
    expect(order).to.include({ status: 'dispatched', truck_id: truck.id, eta: accepted.body.eta });

    const [detail] = expectError(await accept(account, second, { truck_id: truck.id }), 409, 'conflict');
    expect(detail).to.include({ field: 'truck_id', code: 'taken' });
    expect(await read(second.id)).to.include({ status: 'received', work_order_id: null });
    const [unknown] = expectError(
      await accept(account, second, { customer_id: newId() }),
      400,
      'validation_error',
    );
    expect(unknown).to.include({ field: 'customer_id' });
    expect(await read(second.id)).to.include({ status: 'received' });
  });

  it('the customer chosen once is billed for the next offers of the same club, and of no other', async () => {
    const other = await addClub(stack, account.client, 'Other Club');
    const { body: customer } = await account.client.post('/customers', {
      company_name: newId(),
      company_type: 'motor_club',
    });
    const chosen = await addClub(stack, account.client, 'Chosen Club');
    await accept(account, await offerJob(chosen), { customer_id: customer.id });
    expect((await accept(account, await offerJob(chosen))).body.customer_id).to.equal(customer.id);
    expect((await accept(account, await offerJob(other))).body.customer_id).to.equal(null);
  });

  it('after respond_by both answers are refused, before and after the clock has expired the offer', async () => {
    const runTask = createClockTasks(stack.runtime);
    const offer = await offerJob(club);
    const waiting = await offerJob(club);
    await letTimePass(stack, account.id, offer.id);
    const [detail] = expectError(await accept(account, offer), 409, 'conflict');
    expect(detail).to.include({ field: 'respond_by', code: 'expired' });
    const late = await account.client.post(`/club-offers/${offer.id}/refuse`, { reason: 'too_far' });
    expectError(late, 409, 'conflict');
    expect(await read(offer.id)).to.include({ status: 'received', work_order_id: null });

    await runTask('expire-club-offers');
    const expired = await waitForStatus(offer.id, 'expired');
    expect(expired.answered_at).to.be.a('string');
    expectError(await accept(account, offer), 409, 'invalid_status_transition');
    expect((await read(waiting.id)).status).to.equal('received');
  });

  async function waitForStatus(id: string, status: string) {
    let offer: Json;
    await eventually(`the offer is ${status}`, async () => {
      offer = await read(id);
      return offer.status === status;
    });
    return offer;
  }

  it('of many answers at the same time exactly one counts, and one work order is created', async () => {
    const offer = await offerJob(club);
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        index % 2 === 0
          ? accept(account, offer)
          : account.client.post(`/club-offers/${offer.id}/refuse`, { reason: 'price' }),
      ),
    );
    expect(answers.filter(({ status }) => status === 200)).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 200))
      expectError(answer, 409, 'invalid_status_transition');
    const { status, work_order_id } = await read(offer.id);
    const rows = await stack.rows(account.id, 'select id from work_orders where notes like $1', [
      `%${offer.reference}%`,
    ]);
    expect(rows.map(({ id }) => id)).to.deep.equal(status === 'accepted' ? [work_order_id] : []);
  });

  it('an offer repeated with its Idempotency-Key is stored once, and a reference is offered once per club', async () => {
    const body = buildOffer();
    const headers = { 'idempotency-key': newId() };
    const [first, second] = [
      await club.client.post('/club-offers', body, { headers }),
      await club.client.post('/club-offers', body, { headers }),
    ];
    expect([first.status, second.status, second.body.id]).to.deep.equal([201, 201, first.body.id]);
    const [detail] = expectError(await club.client.post('/club-offers', body), 409, 'conflict');
    expect(detail).to.include({ field: 'reference', code: 'taken', club_offer_id: first.body.id });
    const other = await addClub(stack, account.client, 'Namesake Club');
    expect((await other.client.post('/club-offers', body)).status).to.equal(201);
  });

  it('respond_by must be 15 seconds to one hour ahead', async () => {
    for (const seconds of [5, 3700]) {
      const respond_by = new Date(Date.now() + seconds * 1000).toISOString();
      const [detail] = expectError(
        await club.client.post('/club-offers', buildOffer({ respond_by })),
        400,
        'validation_error',
      );
      expect(detail).to.include({ field: 'respond_by', code: 'out_of_range' });
    }
    const respond_by = new Date(Date.now() + 600_000).toISOString();
    expect((await offerJob(club, { respond_by })).respond_by).to.equal(respond_by);
  });

  it('a club has 20 waiting offers at most, and an answer frees a place', async () => {
    const busy = await addClub(stack, account.client, 'Busy Club');
    const offers = await Promise.all(Array.from({ length: 20 }, () => offerJob(busy)));
    expectError(await busy.client.post('/club-offers', buildOffer()), 409, 'conflict');
    await offerJob(club);
    await account.client.post(`/club-offers/${offers[0].id}/refuse`, { reason: 'no_truck' });
    await offerJob(busy);
  });
});
