import { expect } from 'chai';
import { v7 } from 'uuid';
import { findRunningReplays } from '../../../../shared/resources/webhook-replays/run.js';
import { expectError } from '../../../support/expect-error.js';
import { eventually } from '../../../support/poll.js';
import { useStack } from '../../../support/use-stack.js';
import { hoursAgo, type ReplayAccount, ReplayClocks } from '../../../support/webhooks/webhook-replays.js';
import { insertDeliveries, insertEndpoint, insertEvents } from '../../../support/webhooks/webhook-rows.js';
import { withPgClient } from '../../../support/writes/rows.js';

const DRY_RUN = { headers: { 'X-Service-Dry-Run': 'true' } };
const HOUR_MS = 3_600_000;

describe('limits of webhook replays per account', () => {
  const stack = useStack();
  let clocks: ReplayClocks;

  before(async () => {
    clocks = new ReplayClocks(stack);
  });

  const countReplay = ({ tenant }: ReplayAccount, filter: object = {}) =>
    tenant.client.post('/webhook-deliveries/replay', { since: hoursAgo(2), ...filter }, DRY_RUN);

  it('a webhook replay counts at most ten thousand deliveries over its endpoints; beyond that total is null', async () => {
    const account = await clocks.createAccount();
    const other = await insertEndpoint(account.tenantRows);
    // Inserts exhausted deliveries whose events do not exist. A replay reads these deliveries but
    // cannot send them, so its total does not include them.
    const insertExhausted = (endpoint: string, count: number) =>
      stack.rows(
        account.tenant.id,
        `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, status, next_attempt_at, created_at)
         select $1, overlay($2::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, $3, gen_random_uuid(), 'invoice.paid', 'exhausted', null,
           now() - interval '1 hour' from generate_series(1, $4::int) n`,
        [account.tenant.id, v7({ msecs: Date.now() - HOUR_MS }), endpoint, count],
      );
    await insertExhausted(account.endpoint, 6000);
    await insertExhausted(other, 4000);
    expect((await countReplay(account)).body.data.total).to.equal(0);
    await insertExhausted(other, 1);
    expect((await countReplay(account)).body.data.total).to.equal(null);
    expect((await countReplay(account, { endpoint_id: other })).body.data.total).to.equal(0);
  });

  it('an account has at most five replays being counted, further ones get 503, and other accounts do not wait', async () => {
    const [account, otherAccount] = [await clocks.createAccount(), await clocks.createAccount()];
    const responses: Awaited<ReturnType<typeof countReplay>>[] = [];
    let counts: Promise<unknown>[] = [];
    await withPgClient(stack.databaseUrl, async (owner) => {
      // While this lock is held, the API cannot finish counting the deliveries of any replay.
      await owner.query('begin; lock table webhook_deliveries in access exclusive mode');
      counts = Array.from({ length: 12 }, async () => responses.push(await countReplay(account)));
      await eventually('seven requests are refused', () => responses.length === 7);
      expect((await otherAccount.tenant.client.get('/customers')).status).to.equal(200);
      for (const { text } of responses) expect(text).to.include('Too many replays are being counted');
      expect(responses).to.have.length(7);
      await owner.query('rollback');
    });
    await Promise.all(counts);
    expect(responses.map(({ status }) => status).sort()).to.deep.equal([
      ...Array(5).fill(200),
      ...Array(7).fill(503),
    ]);
  });

  const insertRunningReplays = (account: ReplayAccount, count: number, endpoint = account.endpoint) =>
    stack.rows(
      account.tenant.id,
      `insert into webhook_replays (tenant_id, id, kind, endpoint_id, filter, total)
       select $1, overlay($2::text placing lpad(to_hex(n), 12, '0') from 25)::uuid, 'recover', $3,
         '{"event_type":null,"status":null,"since":null,"until":null}', null from generate_series(1, $4::int) n`,
      [account.tenant.id, v7(), endpoint, count],
    );

  it('an account runs at most ten webhook replays, and one more is refused until one has ended', async () => {
    const account = await clocks.createAccount();
    const { client } = account.tenant;
    // Insert deliveries that stay unfinished, so that the replays below keep running.
    await insertDeliveries(
      account.tenantRows,
      Array.from({ length: 100 }, () => ({ endpoint_id: account.endpoint, priority: 1 })),
    );
    await insertRunningReplays(account, 9);
    const { id } = await account.recover();
    for (const [path, body] of [
      [`/webhook-endpoints/${account.endpoint}/recover`, { since: hoursAgo(1) }],
      ['/webhook-deliveries/replay', { since: hoursAgo(1) }],
    ] as const)
      expectError(await client.post(path, body), 409, 'conflict');
    await client.post(`/webhook-replays/${id}/cancel`, {});
    await account.recover();
  });

  it('stuck webhook replays do not stop others, and one pass continues only a few replays of an account', async () => {
    const account = await clocks.createAccount();
    const other = await insertEndpoint(account.tenantRows);
    await insertDeliveries(
      account.tenantRows,
      Array.from({ length: 100 }, () => ({ endpoint_id: account.endpoint, priority: 1 })),
    );
    await insertRunningReplays(account, 1500);
    let found: unknown[] = [];
    // A pass finds a replay only once every older transaction has ended, even in other accounts.
    // Therefore repeat the pass.
    await eventually('running replays are found', async () => {
      found = await stack.runtime.db.transaction([account.tenant.id], findRunningReplays);
      return found.length > 0;
    });
    expect(found).to.have.length(5);
    await stack.rows(
      account.tenant.id,
      'delete from webhook_replays where tenant_id = $1 and id not in (select id from webhook_replays where tenant_id = $1 order by id limit 9)',
      [account.tenant.id],
    );
    await insertEvents(account.tenantRows, ['invoice.paid']);
    // Nine replays are left, so this recovery is the newest of ten.
    const { id } = await account.start(`/webhook-endpoints/${other}/recover`, { since: hoursAgo(2) });
    expect(await account.finish(id)).to.have.length(1);
  });
});
