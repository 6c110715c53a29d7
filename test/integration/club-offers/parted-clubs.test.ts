import { expect } from 'chai';
import type { SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import { findUsualCustomers } from '../../../shared/resources/club-offers/handlers/answer-offers.js';
import { clearOldContacts } from '../../../shared/resources/open-club-offers/clear-contacts.js';
import { createClockTasks } from '../../support/clock.js';
import { accept, addClub, type Club, offerJob } from '../../support/clubs/clubs.js';
import { eventually } from '../../support/poll.js';
import { endpointInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { StrictReceiver } from '../../support/webhooks/strict-receiver.js';
import { explainPlan } from '../../support/writes/explain.js';

const PARTED_CLUBS = { webhooks: true };

describe('what is left of motor clubs and of their offers', () => {
  const stack = useStack(PARTED_CLUBS);
  let receiver: StrictReceiver;
  let account: TestTenant;
  let club: Club;

  before(async () => {
    receiver = await StrictReceiver.start();
  });
  beforeEach(async () => {
    account = await stack.createTenant('Hooked Towing');
    club = await addClub(stack, account.client, 'Leaving Club');
  });
  after(() => receiver.stop());

  /** Creates an endpoint of the club that answers with this status. Returns its id. */
  async function listen(status: number): Promise<string> {
    const endpoint = receiver.add({ respond: () => ({ status }) });
    const input = { url: endpoint.url, event_types: ['club_offer.*'], club_id: club.clubId };
    const created = await account.client.post('/webhook-endpoints', endpointInput(input));
    expect(created.status, created.text).to.equal(201);
    endpoint.secrets = [created.body.secret];
    return created.body.id;
  }

  const listDeliveries = async (endpointId: string) =>
    (await account.client.get(`/webhook-deliveries?endpoint_id=${endpointId}`)).body.data.items;

  it("the endpoint of a club whose last key is revoked or has expired gets no more of its offers' events", async () => {
    const endpointId = await listen(200);
    const offers = [await offerJob(club), await offerJob(club)];
    const orders = [];
    for (const offer of offers) orders.push((await accept(account, offer)).body.work_order_id);
    const cancel = (id: string) => account.client.post(`/work-orders/${id}/cancel`, { reason: 'provider' });
    const { body: successor } = await account.client.post(`/api-keys/${club.keyId}/roll`, {
      overlap_hours: 0,
    });
    await cancel(orders[0]);
    const count = (await listDeliveries(endpointId)).length;
    expect(count).to.equal(5);
    await account.client.delete(`/api-keys/${successor.id}`);
    await cancel(orders[1]);
    const { body: events } = await account.client.get('/events?type=club_offer.status_changed');
    expect(events.data.items).to.have.length(2);
    expect(await listDeliveries(endpointId)).to.have.length(count);
  });

  it('a delivery that waits for its next attempt is cancelled once the club has no key', async () => {
    const endpointId = await listen(500);
    await offerJob(club);
    await eventually('an attempt has failed', async () => {
      return (await listDeliveries(endpointId))[0]?.attempts === 1;
    });
    await account.client.delete(`/api-keys/${club.keyId}`);
    const [delivery] = await eventually('it is cancelled', async () => {
      const found = await listDeliveries(endpointId);
      return found[0]?.status === 'cancelled' && found;
    });
    expect(delivery).to.include({ attempts: 1, next_attempt_at: null });
  });

  it('the name and phone number of the motorist and the notes are cleared 30 days after the last change', async () => {
    const [old, young] = [
      await offerJob(club, { notes: 'Call her sister' }),
      await offerJob(club, { notes: 'Call her sister' }),
    ];
    await accept(account, old);
    for (const [id, days] of [
      [old.id, 31],
      [young.id, 29],
    ])
      await stack.rows(
        account.id,
        `update club_offers set updated_at = now() - $3::int * interval '1 day' where tenant_id = $1 and id = $2`,
        [account.id, id, days],
      );
    await createClockTasks(stack.runtime)('clear-club-contacts');
    const read = async (id: string) => (await account.client.get(`/club-offers/${id}`)).body;
    const cleared = await read(old.id);
    expect(cleared).to.include({ contact_name: null, contact_phone: null, notes: null });
    expect(cleared).to.include({ reference: old.reference, status: 'accepted' });
    expect(await read(young.id)).to.include({
      contact_name: 'Ann Motorist',
      contact_phone: young.contact_phone,
      notes: 'Call her sister',
    });
    const order = (await account.client.get(`/work-orders/${cleared.work_order_id}`)).body;
    expect(order.notes).to.contain('Call her sister');
  });

  it('PostgreSQL finds the last billed customer of a club, and old contacts, by an index each', async () => {
    await stack.rows(
      account.id,
      `insert into club_offers (tenant_id, id, club_id, club, reference, service_type, respond_by, customer_id, contact_name, updated_at)
       select $1, gen_random_uuid(), $2, 'x', n::text, 'tow', now(), case when n = 1 then gen_random_uuid() end,
         case when n < 9 then 'x' end, now() - interval '1 year' from generate_series(1, 2000) n`,
      [account.id, club.clubId],
    );
    await stack.runAsOwner('analyze club_offers');
    const ref = { tenant_id: account.id, club_id: club.clubId };
    const listIndexes = async (run: (tx: Transaction) => Promise<unknown>) => {
      const sent: SqlQuery[] = [];
      const query = async (sqlQuery: SqlQuery) => {
        sent.push(sqlQuery);
        return [];
      };
      await run({ query } as unknown as Transaction);
      const plan = await explainPlan(stack.runtime.db, account.id, sent[0] as SqlQuery);
      return plan.map((node) => node['Index Name']);
    };
    expect(await listIndexes((tx) => findUsualCustomers(tx, [ref]))).to.include('club_offers_billed');
    expect(await listIndexes((tx) => clearOldContacts(tx, 100))).to.include('club_offers_contact');
  });
});
