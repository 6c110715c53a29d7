import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { newId } from '../../../shared/platform/ids.js';
import type { Json } from '../../support/client.js';
import { createClockTasks } from '../../support/clock.js';
import { accept, addClub, type Club, letTimePass, offerJob } from '../../support/clubs/clubs.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { endpointInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { type StrictEndpoint, StrictReceiver } from '../../support/webhooks/strict-receiver.js';

const CLUB_STACK = { webhooks: true };

interface Listener {
  id: string;
  endpoint: StrictEndpoint;
  /** Returns the deliveries about one offer, as type and progress, oldest first. */
  listTypes: (offerId: string) => string[];
}

describe("webhooks of motor clubs' endpoints", () => {
  const stack = useStack(CLUB_STACK);
  let receiver: StrictReceiver;
  let account: TestTenant;
  let club: Club;
  let rival: Club;
  /** Endpoints of the club, of the other club, and of the account, each for all that it may get. */
  let own: Listener;
  let rivals: Listener;
  let accounts: Listener;

  before(async () => {
    receiver = await StrictReceiver.start();
    account = await stack.createTenant('Hooked Towing');
    club = await addClub(stack, account.client, 'First Club');
    rival = await addClub(stack, account.client, 'Second Club');
    own = await listen({ club_id: club.clubId });
    rivals = await listen({ club_id: rival.clubId });
    accounts = await listen({ event_types: ['*'] });
  });
  after(() => receiver.stop());

  async function listen(input: Record<string, unknown>): Promise<Listener> {
    const endpoint = receiver.add({});
    const { status, body, text } = await account.client.post(
      '/webhook-endpoints',
      endpointInput({ url: endpoint.url, event_types: ['club_offer.*'], ...input }),
    );
    expect(status, text).to.equal(201);
    endpoint.secrets = [body.secret];
    return { id: body.id, endpoint, listTypes: (offerId) => typesAbout(endpoint, offerId) };
  }

  const parse = (endpoint: StrictEndpoint): Json[] =>
    endpoint.requests.map(({ body }) => JSON.parse(body.toString()));

  const typesAbout = (endpoint: StrictEndpoint, offerId: string): string[] =>
    parse(endpoint)
      .filter(({ data }) => data.object.id === offerId)
      .map(({ type, data }) => `${type.replace('club_offer.', '')} ${data.object.progress}`);

  const waitForLast = (listener: Listener, offerId: string, last: string) =>
    eventually(`the receiver gets ${last}`, async () => listener.listTypes(offerId).includes(last));

  it('a club gets each step of its own job, signed, and nothing of another club or of the account', async () => {
    const { body: truck } = await account.client.post('/trucks', {
      unit_number: newId().slice(-8),
      duty_class: 'light',
    });
    const other = await offerJob(rival);
    await accept(account, other);
    const offer = await offerJob(club);
    const { body: accepted } = await accept(account, offer);
    await club.client.post(`/club-offers/${offer.id}/confirm`, {});
    const job = `/work-orders/${accepted.work_order_id}`;
    await account.client.post(`${job}/assign`, { truck_id: truck.id });
    await account.client.post(`${job}/steps`, { step: 'acknowledged' });
    await account.client.post(`${job}/steps`, { step: 'en_route' });
    // Neither of these two leads back from en_route.
    const eta = new Date(Date.now() + 600_000).toISOString();
    await account.client.post(`${job}/assign`, { truck_id: truck.id, eta });
    await account.client.post(`${job}/start`, {});
    await account.client.post(`${job}/steps`, { step: 'on_scene' });
    await account.client.post(`${job}/steps`, { step: 'towing' });
    await account.client.post(`${job}/complete`, {});
    await waitForLast(own, offer.id, 'status_changed completed');
    await waitForLast(accounts, offer.id, 'status_changed completed');

    expect(own.listTypes(offer.id)).to.have.members([
      'created null',
      'accepted waiting',
      'confirmed waiting',
      'status_changed dispatched',
      'status_changed en_route',
      'status_changed en_route',
      'status_changed on_scene',
      'status_changed towing',
      'status_changed completed',
    ]);
    for (const event of parse(own.endpoint)) {
      expect(event.data.object.club_id).to.equal(club.clubId);
      expect(Object.keys(event.data)).to.have.members(
        event.type === 'club_offer.status_changed' ? ['object', 'cancel_reason'] : ['object'],
      );
    }
    await waitForLast(rivals, other.id, 'accepted waiting');
    for (const event of parse(rivals.endpoint)) expect(event.data.object.club_id).to.equal(rival.clubId);
    const [request] = own.endpoint.requests;
    const [secret = ''] = own.endpoint.secrets;
    new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
  });

  it('refusals, expiries and withdrawals reach the club with their reasons, and cancel the work order', async () => {
    const [refused, expired, withdrawn] = [await offerJob(club), await offerJob(club), await offerJob(club)];
    const answer = { reason: 'no_truck', note: 'All out until nine' };
    await account.client.post(`/club-offers/${refused.id}/refuse`, answer);
    await letTimePass(stack, account.id, expired.id);
    await createClockTasks(stack.runtime)('expire-club-offers');
    const { body } = await accept(account, withdrawn);
    await club.client.post(`/club-offers/${withdrawn.id}/withdraw`, { note: 'It started again' });
    await waitForLast(own, refused.id, 'refused null');
    await waitForLast(own, expired.id, 'expired null');
    await waitForLast(own, withdrawn.id, 'withdrawn waiting');
    expect(own.listTypes(withdrawn.id)).to.have.length(3);
    const order = (await account.client.get(`/work-orders/${body.work_order_id}`)).body;
    expect(order).to.include({ status: 'cancelled', cancel_reason: 'club', cancel_note: 'It started again' });
    const event = parse(own.endpoint).find(({ type }) => type === 'club_offer.refused');
    expect(event.data.object).to.include({ refusal_reason: 'no_truck', refusal_note: 'All out until nine' });
  });

  it('a cancellation by the company reaches the club with its reason', async () => {
    const offer = await offerJob(club);
    const { body } = await accept(account, offer);
    await account.client.post(`/work-orders/${body.work_order_id}/cancel`, { reason: 'provider' });
    await waitForLast(own, offer.id, 'status_changed cancelled');
    const last = parse(own.endpoint).find(({ data }) => data.object.progress === 'cancelled');
    expect(last.data).to.include({ cancel_reason: 'provider' });
  });

  it("a recovery sends a club's endpoint only events about this club's offers", async () => {
    const late = await listen({ club_id: rival.clubId });
    const { status, text } = await account.client.post(`/webhook-endpoints/${late.id}/recover`, {
      since: '2026-01-01T00:00:00Z',
    });
    expect(status, text).to.equal(201);
    await eventually('the recovery has ended', async () => {
      await createClockTasks(stack.runtime)('run-replays');
      const replays = await account.client.get(`/webhook-replays?endpoint_id=${late.id}`);
      return replays.body.data.items.every((one: Json) => one.status === 'completed');
    });
    await eventually('events arrive', async () => late.endpoint.requests.length > 0);
    for (const event of parse(late.endpoint)) expect(event.data.object.club_id).to.equal(rival.clubId);
  });

  it('an endpoint can be bound to a club of its own account only, and for good', async () => {
    const stranger = await stack.createTenant('Stranger Towing');
    const foreign = await addClub(stack, stranger.client);
    for (const club_id of [foreign.clubId, newId()]) {
      const input = endpointInput({ club_id, event_types: ['club_offer.*'] });
      const [detail] = expectError(
        await account.client.post('/webhook-endpoints', input),
        400,
        'validation_error',
      );
      expect(detail).to.include({ field: 'club_id', code: 'unknown' });
    }
    const path = `/webhook-endpoints/${own.id}`;
    for (const other of [
      await account.client.post(
        '/webhook-endpoints',
        endpointInput({ club_id: club.clubId, event_types: ['*'] }),
      ),
      await account.client.patch(path, { event_types: ['club_offer.*', 'invoice.paid'] }),
    ])
      expect(expectError(other, 400, 'validation_error')[0]).to.include({
        field: 'event_types',
        code: 'other_types',
      });
    const { body } = await account.client.patch(path, { club_id: rival.clubId, description: 'Moved' });
    expect(body).to.include({ club_id: club.clubId, description: 'Moved' });
  });

  it("PostgreSQL stores no other event types for a club's endpoint, whichever release writes them", async () => {
    for (const types of ['{*}', '{club_offer.*,invoice.paid}', '{invoice.paid,club_offer.*}', '{}']) {
      const widen = 'update webhook_endpoints set event_types = $3 where tenant_id = $1 and id = $2';
      const refusal = await stack.rows(account.id, widen, [account.id, own.id, types]).catch(String);
      expect(refusal, types).to.include('webhook_endpoints_club_types');
    }
  });
});
