import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { openWritesQueue } from '../../../shared/queues/writes.js';
import { eventually } from '../../support/poll.js';
import { type TextingAccount, useTextingStack, WEBHOOK_SECRET } from '../../support/vendors/texting.js';
import { withPgClient } from '../../support/writes/rows.js';

describe('webhooks of vendors', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await (await texting.createAccount()).connect();
  });

  const post = (path: string, init: RequestInit = {}) =>
    fetch(`${texting.stack.origin}${path}`, { method: 'POST', ...init });
  const countNotices = async (tenantId: string) =>
    (await texting.stack.rows(tenantId, 'select 1 from inbound_notices')).length;

  it('a signed webhook is stored, and answered with 200 and an empty body', async () => {
    const response = await account.postWebhook([{ id: 'first' }]);
    expect([response.status, await response.text()]).to.deep.equal([200, '']);
    expect(response.headers.get('set-cookie')).to.equal(null);
    await eventually('it is stored', async () => (await countNotices(account.tenant.id)) === 1);
    expect((await account.read()).health.last_webhook_at).to.be.a('string');
  });

  it("a webhook that arrives during a worker's step waits for the end of the step, without a deadlock", async () => {
    const { stack } = texting;
    const posted = await stack.runtime.db.transaction([account.tenant.id], async (tx) => {
      await tx.query({ text: "set local lock_timeout = '500ms'" });
      await tx.query({ text: 'select 1 from connection_queues for no key update' });
      const response = account.postWebhook([{ id: 'during a step' }]);
      await eventually('its command waits', async () => {
        const waiting = await stack.rows(account.tenant.id, 'select 1 from pg_locks where not granted');
        return waiting.length > 0;
      });
      await tx.query({ text: 'update sync_states set cursor = cursor' });
      return { response };
    });
    expect((await posted.response).status).to.equal(200);
    await eventually('it is stored', async () => (await countNotices(account.tenant.id)) === 2);
  });

  it('a webhook that no worker stores in time is answered with 200, because an operation keeps it', async () => {
    const { stack } = texting;
    const queue = openWritesQueue(stack.runtime);
    await queue.pause();
    try {
      expect((await account.postWebhook([{ id: 'late' }])).status).to.equal(200);
      expect(await countNotices(account.tenant.id)).to.equal(2);
      const kept = "select 1 from operations where command->'input' @> $1 and settled_at is null";
      const input = JSON.stringify({ notices: [{ dedupe_id: 'late' }] });
      expect(await stack.rows(account.tenant.id, kept, [input])).to.have.length(1);
    } finally {
      await queue.resume();
    }
    await eventually('it is stored', async () => (await countNotices(account.tenant.id)) === 3);
  });

  it('a webhook that cannot be stored is answered with 503, so that the vendor sends it again', async () => {
    await withPgClient(texting.stack.databaseUrl, async (client) => {
      await client.query("alter table inbound_notices add constraint refused check (dedupe_id <> 'refused')");
      expect((await account.postWebhook([{ id: 'refused' }])).status).to.equal(503);
      await client.query('alter table inbound_notices drop constraint refused');
    });
    expect((await account.postWebhook([{ id: 'refused' }])).status).to.equal(200);
    expect(await countNotices(account.tenant.id)).to.equal(4);
  });

  it('a bad signature is 401, stores nothing, and is audited once a minute', async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      const response = await account.postWebhook([{ id: 'forged' }], 'another secret');
      expect(response.status).to.equal(401);
    }
    expect(await countNotices(account.tenant.id)).to.equal(4);
    const { body } = await account.client.get('/audit-log?action=connection.notified&limit=100');
    const denied = body.data.items.filter(({ outcome }: { outcome: string }) => outcome === 'denied');
    expect(denied).to.have.length(1);
    expect(denied[0]).to.deep.include({ source: 'webhook', entity_id: account.connectionId });
    expect(denied[0].actor).to.include({ type: 'integration', name: 'parrot' });
  });

  it('an address that this service did not make is 404, and other methods are 405', async () => {
    const { pathname } = new URL(account.webhookUrl);
    for (const path of ['/hooks/parrot', '/hooks/nobody', '/hooks/parrot/abc', `${pathname}x`, '/hooks/smtp'])
      expect((await post(path, { body: '{}' })).status, path).to.equal(404);
    expect((await fetch(`${texting.stack.origin}${pathname}`)).status).to.equal(405);
  });

  it('a body over 1 MiB is 413, and a signed body that is no webhook is 400', async () => {
    const { pathname } = new URL(account.webhookUrl);
    expect((await post(pathname, { body: 'x'.repeat(1024 * 1024 + 1) })).status).to.equal(413);
    const init = texting.double.buildWebhook(null as never, WEBHOOK_SECRET);
    expect((await post(pathname, init)).status).to.equal(400);
  });

  it('a webhook signed per application reaches the accounts that it names, and no other', async () => {
    texting.double.acceptKey('live_key_of_keys');
    texting.double.account = 'acct-keys';
    const keyed = await texting.createAccount('Keyed Towing');
    const { body, status } = await keyed.client.post('/connections', {
      vendor: 'parrot_keys',
      credentials: { api_key: 'live_key_of_keys' },
      settings: { from_number: '+12125550100' },
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    expect([body.status, body.authorize_url]).to.deep.equal(['pending', null]);
    expect(new URL(body.webhook_url).pathname).to.equal('/hooks/parrot_keys');
    keyed.connectionId = body.id;
    await keyed.waitForStatus('active');
    const response = await post(
      '/hooks/parrot_keys',
      texting.double.buildWebhook([{ id: 'for-keys' }], WEBHOOK_SECRET),
    );
    expect(response.status).to.equal(200);
    expect(await countNotices(keyed.tenant.id)).to.equal(1);
    texting.double.account = 'acct-of-a-stranger';
    const stranger = texting.double.buildWebhook([{ id: 'for-nobody' }], WEBHOOK_SECRET);
    expect((await post('/hooks/parrot_keys', stranger)).status).to.equal(200);
    expect(await countNotices(keyed.tenant.id)).to.equal(1);
  });

  it('a webhook of an application is stored for all accounts that it names, also for more than twenty', async () => {
    const many = await texting.createAccount('Many Towing');
    const names = Array.from({ length: 30 }, (_, index) => `acct-many-${index}`);
    for (const name of names) {
      const { body } = await many.client.post('/connections', {
        vendor: 'parrot_keys',
        credentials: { api_key: `key_of_${name}` },
        settings: { from_number: '+12125550100' },
      });
      const hash = createHash('sha256').update(`parrot_keys\n${name}`).digest();
      const update = 'update connections set account_hash = $3 where tenant_id = $1 and id = $2';
      await texting.stack.rows(many.tenant.id, update, [many.tenant.id, body.id, hash]);
    }
    const events = names.map((name) => ({ id: `of-${name}`, account: name }));
    const init = texting.double.buildWebhook(events, WEBHOOK_SECRET);
    expect((await post('/hooks/parrot_keys', init)).status).to.equal(200);
    expect(await countNotices(many.tenant.id)).to.equal(30);
  });

  it('a repeated webhook is answered with 200 and leaves no further audit entry', async () => {
    const countEntries = async () =>
      (
        await texting.stack.rows(
          account.tenant.id,
          "select 1 from audit_entries where action = 'connection.notified' and outcome = 'ok'",
        )
      ).length;
    expect((await account.postWebhook([{ id: 'repeated' }])).status).to.equal(200);
    const before = await countEntries();
    for (let times = 0; times < 3; times += 1)
      expect((await account.postWebhook([{ id: 'repeated' }, { id: 'first' }])).status).to.equal(200);
    expect(await countEntries()).to.equal(before);
  });

  it('an account with more than 2000 items of webhooks a minute gets 429, and other accounts do not', async () => {
    const flooding = await (await texting.createAccount('Flooding Towing')).connect();
    const buildEvents = (webhook: number) =>
      Array.from({ length: 250 }, (_, index) => ({ id: `${webhook}-${index}` }));
    for (let webhook = 0; webhook < 8; webhook += 1)
      expect((await flooding.postWebhook(buildEvents(webhook))).status).to.equal(200);
    expect(await countNotices(flooding.tenant.id), 'at most 200 items of each').to.equal(1600);
    expect((await flooding.postWebhook(buildEvents(8))).status).to.equal(429);
    expect((await account.postWebhook([{ id: 'of-a-modest-account' }])).status).to.equal(200);
  });

  it('webhooks that one connection refuses do not block other connections in the same network', async () => {
    const other = await (await texting.createAccount('Other Towing')).connect();
    const left = await (await texting.createAccount('Left Towing')).connect();
    await left.client.delete(`/connections/${left.connectionId}`);
    for (let tries = 0; tries < 61; tries += 1) {
      expect((await other.postWebhook([{ id: 'forged' }], 'another secret')).status).to.equal(401);
      expect((await left.postWebhook([{ id: 'too late' }])).status).to.equal(404);
    }
    expect((await other.postWebhook([{ id: 'genuine' }])).status).to.equal(429);
    expect((await left.postWebhook([{ id: 'too late' }])).status).to.equal(429);
    expect((await account.postWebhook([{ id: 'of-a-neighbour' }])).status).to.equal(200);
  });

  it('wrong signatures of an application do not block its genuine webhooks from the same network', async () => {
    const send = (secret: string) =>
      post('/hooks/parrot_keys', texting.double.buildWebhook([{ id: 'any' }], secret));
    for (let tries = 0; tries < 61; tries += 1) expect((await send('another secret')).status).to.equal(401);
    expect((await send(WEBHOOK_SECRET)).status).to.equal(200);
  });

  it('a network that keeps calling unknown addresses gets 429 there, and its genuine webhooks are stored', async () => {
    const response = await eventually('429', async () => {
      const one = await post('/hooks/parrot/guess', { body: '{}' });
      return one.status === 429 && one;
    });
    expect(response.headers.get('retry-after')).to.equal('60');
    expect((await account.postWebhook([{ id: 'in-spite-of-a-stranger' }])).status).to.equal(200);
    const init = texting.double.buildWebhook([{ id: 'likewise' }], WEBHOOK_SECRET);
    expect((await post('/hooks/parrot_keys', init)).status).to.equal(200);
  });
});
