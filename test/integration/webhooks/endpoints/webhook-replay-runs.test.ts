import { expect } from 'chai';
import { v7 } from 'uuid';
import { continueReplay } from '../../../../shared/resources/webhook-replays/run.js';
import { expectError } from '../../../support/expect-error.js';
import { UNKNOWN_ID } from '../../../support/records/samples.js';
import { useStack } from '../../../support/use-stack.js';
import { hoursAgo, type ReplayAccount, ReplayClocks } from '../../../support/webhooks/webhook-replays.js';
import { insertDeliveries, insertEndpoint, insertEvents } from '../../../support/webhooks/webhook-rows.js';

const DAY_MS = 86_400_000;

describe('webhook replays run by the clock', () => {
  const stack = useStack();
  let clocks: ReplayClocks;

  before(async () => {
    clocks = new ReplayClocks(stack);
  });

  const insertMissedEvents = (count: number, { tenantRows }: ReplayAccount) =>
    insertEvents(
      tenantRows,
      Array.from({ length: count }, () => 'invoice.paid'),
    );

  it('the clock creates deliveries of a replay in chunks, oldest first, and none while a hundred are open', async () => {
    const account = await clocks.createAccount();
    const events = await insertMissedEvents(450, account);
    const { id } = await account.recover();
    const eventsMade = async () => (await account.listDeliveries(id)).map((row) => row.event_id);
    await account.read(id).then((shown) => expect(shown).to.include({ total: 450 }));

    await account.runUntilMade(id, 200);
    await clocks.runUntil('every clock to run once', async () => true);
    expect(await eventsMade()).to.deep.equal(events.slice(0, 200));
    await account.completeDeliveries('succeeded', 100);
    await clocks.runUntil('every clock to run once', async () => true);
    expect(await eventsMade()).to.have.length(200);
    expect(await account.read(id)).to.include({ status: 'running', created_count: 200 });
    await account.completeDeliveries('succeeded', 1);
    await account.runUntilMade(id, 201);
    await clocks.runUntil('every clock to run once', async () => true);
    expect(await eventsMade()).to.deep.equal(events.slice(0, 400));
    await account.completeDeliveries('succeeded');
    const made = await account.finish(id);
    expect(made.map((row) => row.event_id)).to.deep.equal(events);
    expect(await account.read(id)).to.include({ status: 'completed', created_count: 450 });
  });

  it('the clock creates replayed deliveries with low priority, even while many live deliveries wait', async () => {
    const account = await clocks.createAccount();
    const live = Array.from({ length: 150 }, () => ({ endpoint_id: account.endpoint }));
    await insertDeliveries(account.tenantRows, live);
    await insertMissedEvents(3, account);
    const { id } = await account.recover();
    const made = await account.finish(id);
    expect(made.map((row) => row.priority)).to.deep.equal([1, 1, 1]);
  });

  it('a recovery finds one matching event after 2500 others, in several passes', async () => {
    const account = await clocks.createAccount({ eventTypes: ['invoice.paid'] });
    const types = [...Array(2500).fill('customer.created'), 'invoice.paid'];
    const wanted = (await insertEvents(account.tenantRows, types)).at(-1);
    const { id, total } = await account.recover();
    expect(total).to.equal(1);
    expect((await account.finish(id)).map((row) => row.event_id)).to.deep.equal([wanted]);
  });

  it('a replay continues with other endpoints when one endpoint has too many open deliveries', async () => {
    const account = await clocks.createAccount();
    // Sort the ids, because a replay starts with the endpoint that has the lower id. Of two ids
    // from one millisecond, either may be lower.
    const [full, free] = [account.endpoint, await insertEndpoint(account.tenantRows)].sort() as [
      string,
      string,
    ];
    const events = await insertMissedEvents(250, account);
    const exhausted = [full, free].flatMap((endpoint_id, nth) =>
      events
        .slice(0, nth === 0 ? 250 : 20)
        .map((event_id) => ({ endpoint_id, event_id, status: 'exhausted' })),
    );
    await insertDeliveries(account.tenantRows, exhausted);
    const { id } = await account.start('/webhook-deliveries/replay', { since: hoursAgo(1) });
    await account.runUntilMade(id, 220);
    const made = await account.listDeliveries(id);
    expect(made.filter((row) => row.endpoint_id === free)).to.have.length(20);
    expect(made.filter((row) => row.endpoint_id === full)).to.have.length(200);
    await account.completeDeliveries('succeeded');
    expect(await account.finish(id)).to.have.length(270);
  });

  it('a replay loses and repeats no delivery when the clock dies or the stored position is lost', async () => {
    const account = await clocks.createAccount();
    const events = await insertMissedEvents(150, account);
    await insertDeliveries(
      account.tenantRows,
      events.map((event_id) => ({ endpoint_id: account.endpoint, event_id, status: 'exhausted' })),
    );
    // Run the recovery only after the replay has ended, because unfinished deliveries of the replay
    // would hold up the recovery.
    for (const start of [
      () => account.start('/webhook-deliveries/replay', { endpoint_id: account.endpoint }),
      () => account.recover(),
    ]) {
      const { id } = await start();
      const { db } = stack.runtime;
      const ref = { tenant_id: account.tenant.id, id };
      // Simulate a clock that dies after it has created every delivery but before it commits.
      await db.runAndRollBack([ref.tenant_id], (tx) => continueReplay(tx, ref));
      const made = await account.finish(id);
      expect(made.map((row) => row.event_id)).to.deep.equal(events);
      await stack.rows(
        ref.tenant_id,
        `update webhook_replays set status = 'running', positions = '{}' where tenant_id = $1 and id = $2`,
        [ref.tenant_id, id],
      );
      await account.completeDeliveries('exhausted');
      expect(await account.finish(id)).to.have.length(150);
      expect(await account.read(id)).to.include({ created_count: 150 });
    }
  });

  it('a recovery waits for older transactions and includes the events that they record', async () => {
    const account = await clocks.createAccount();
    let recovery = '';
    // Record an event without a delivery, as if its transaction had read the endpoints before this
    // endpoint was enabled. The transaction commits after the recovery has started.
    await stack.runtime.db.transaction([account.tenant.id], async (tx) => {
      const text = 'insert into events (tenant_id, id, type, body) values ($1, $2, $3, $4)';
      const values = [account.tenant.id, v7({ msecs: Date.now() - 1000 }), 'invoice.paid', '{}'];
      await tx.query({ text, values });
      recovery = (await account.recover()).id;
      await clocks.runUntil('every clock to run once', async () => true);
    });
    expect(await account.finish(recovery)).to.have.length(1);
  });

  it('the clock cancels a replay whose endpoint is disabled, and a replay that has run for a week', async () => {
    const [closed, old] = [await clocks.createAccount(), await clocks.createAccount()];
    await insertMissedEvents(250, closed);
    const { id } = await closed.recover();
    await closed.runUntilMade(id, 200);
    await stack.rows(closed.tenant.id, 'update webhook_endpoints set enabled = false where tenant_id = $1', [
      closed.tenant.id,
    ]);
    await closed.completeDeliveries('succeeded');
    expect(await closed.finish(id)).to.have.length(200);
    expect(await closed.read(id)).to.include({ status: 'cancelled', created_count: 200 });

    const oldReplayId = v7({ msecs: Date.now() - 7 * DAY_MS - 1000 });
    await stack.rows(
      old.tenant.id,
      `insert into webhook_replays (tenant_id, id, kind, endpoint_id, filter, total)
       values ($1, $2, 'recover', $3, '{"event_type":null,"status":null,"since":null,"until":null}', 1)`,
      [old.tenant.id, oldReplayId, old.endpoint],
    );
    expect(await old.finish(oldReplayId)).to.deep.equal([]);
    expect(await old.read(oldReplayId)).to.include({ status: 'cancelled' });
  });

  describe('POST /webhook-replays/{id}/cancel', () => {
    const cancel = ({ tenant }: ReplayAccount, id: string) =>
      tenant.client.post(`/webhook-replays/${id}/cancel`, {});

    it('cancelling a replay cancels its open deliveries, and keeps its finished ones and those of others', async () => {
      const account = await clocks.createAccount();
      const events = await insertMissedEvents(250, account);
      const live = { endpoint_id: account.endpoint, event_id: events.pop() as string };
      const [kept] = await insertDeliveries(account.tenantRows, [live]);
      const { id } = await account.recover();
      await account.runUntilMade(id, 200);
      const [otherAccount] = [await clocks.createAccount()];
      expectError(await cancel(otherAccount, id), 404, 'not_found');
      expectError(await cancel(account, UNKNOWN_ID), 404, 'not_found');
      await stack.rows(
        account.tenant.id,
        "update webhook_deliveries set status = 'succeeded', next_attempt_at = null, completed_at = now() where tenant_id = $1 and event_id = $2",
        [account.tenant.id, events[0]],
      );
      const response = await cancel(account, id);
      expect(response.body).to.include({ status: 'cancelled', created_count: 200 });
      expect(response.body.completed_at).to.be.a('string');
      await clocks.runUntil('every clock to run once', async () => true);
      const made = await account.listDeliveries(id);
      expect(made.map((row) => row.status)).to.deep.equal(['succeeded', ...Array(199).fill('cancelled')]);
      expect((await account.tenant.client.get(`/webhook-deliveries/${kept}`)).body.status).to.equal(
        'pending',
      );
      expect((await cancel(account, id)).text).to.equal(response.text);
    });

    it('cancelling a completed replay cancels its open deliveries, and changes nothing if it has none', async () => {
      const account = await clocks.createAccount();
      await insertMissedEvents(3, account);
      const waiting = (await account.recover()).id;
      await account.finish(waiting);
      expect((await cancel(account, waiting)).body.status).to.equal('cancelled');
      const again = (await account.recover()).id;
      expect(await account.finish(again)).to.have.length(3);
      await account.completeDeliveries('succeeded');
      const shown = await account.read(again);
      expect((await cancel(account, again)).body)
        .to.deep.equal(shown)
        .and.include({ status: 'completed' });
    });
  });
});
