import { expect } from 'chai';
import { checkConnections } from '../../../bin/commands/doctor-connections.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import type { TestClient } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import { createUser, openSession } from '../../support/records/sign-in.js';
import { type TextingAccount, useTextingStack } from '../../support/vendors/texting.js';

const KEY = 'live_key_that_must_not_leak';
const settings = { from_number: '+12125550100' };

describe('connections', () => {
  const texting = useTextingStack();
  let account: TextingAccount;

  before(async () => {
    account = await texting.createAccount();
    texting.double.acceptKey(KEY);
  });

  const create = (body: object, client = account.client) => client.post('/connections', body);
  const withKey = (api_key = KEY) => ({ vendor: 'parrot_keys', credentials: { api_key }, settings });

  it('the catalogue lists the vendors of accounts with their schemas, and not the mail server', async () => {
    const { body } = await account.client.get('/integrations');
    expect(body.data.items.map(({ vendor }: { vendor: string }) => vendor)).to.deep.equal([
      'parrot',
      'parrot_keys',
    ]);
    const [, keyed] = body.data.items;
    expect(keyed).to.include({ kind: 'messaging', auth: 'api_key', label: 'Parrot Texts' });
    expect(keyed.credentials_schema.required).to.deep.equal(['api_key']);
    expect(keyed.settings_schema.properties).to.have.property('from_number');
  });

  it('credentials and settings are checked by the schemas of the vendor, with every fault at once', async () => {
    const unknown = await create({ vendor: 'nobody' });
    expect([unknown.status, unknown.body.error.details[0].field]).to.deep.equal([400, 'vendor']);
    const wrong = await create({ vendor: 'parrot_keys', credentials: { key: 'x' }, settings: {} });
    const fields = wrong.body.error.details.map(({ field }: { field: string }) => field);
    expect(fields.sort()).to.deep.equal(['credentials.api_key', 'credentials.key', 'settings.from_number']);
  });

  it('a connection with a key becomes active, and its secrets are nowhere in clear text', async () => {
    const { body, text } = await create(withKey());
    expect(text).to.not.include(KEY);
    account.connectionId = body.id;
    const connection = await account.waitForStatus('active');
    expect(connection).to.include({ external_account: texting.double.account, label: 'Parrot of Hudson' });
    const tables = await texting.stack.rows<{ name: string }>(
      account.tenant.id,
      "select tablename as name from pg_tables where schemaname = 'public'",
    );
    for (const { name } of tables) {
      const rows = await texting.stack
        .rows(account.tenant.id, `select to_jsonb(t)::text as row from ${name} t`)
        .catch(() => []);
      expect(JSON.stringify(rows), name).to.not.include(KEY);
    }
    const calls = await account.client.get(`/connections/${body.id}/calls`);
    expect(calls.text).to.not.include(KEY);
    const described = calls.body.data.items.find(({ path }: { path: string }) => path === '/account');
    expect(described).to.include({ method: 'GET', response_status: 200 });
    expect(described.response_fields).to.deep.equal(['id', 'name', 'mode']);
    const runs = await account.client.get(`/connections/${body.id}/runs`);
    expect(runs.body.data.items.map(({ stream }: { stream: string }) => stream)).to.include('describe');
  });

  it('the same account cannot be connected twice', async () => {
    const { body } = await create(withKey());
    await eventually('the second is refused', async () => {
      const { body: second } = await account.client.get(`/connections/${body.id}`);
      return second.status === 'needs_reauth' && second.status_reason.startsWith('Another connection');
    });
    await account.client.delete(`/connections/${body.id}`);
  });

  it('live credentials are refused in a sandbox, and a sandbox account of the vendor in a live one', async () => {
    const { body } = await create(withKey(), account.tenant.sandbox);
    await eventually('refused in the sandbox', async () => {
      const { body: found } = await account.tenant.sandbox.get(`/connections/${body.id}`);
      return found.status === 'needs_reauth' && found.status_reason.startsWith('These are live credentials');
    });
    texting.double.mode = 'sandbox';
    const other = await texting.createAccount();
    const live = await create(withKey(), other.client);
    await eventually('refused in the live account', async () => {
      const { body: found } = await other.client.get(`/connections/${live.body.id}`);
      return found.status === 'needs_reauth';
    });
    texting.double.mode = 'live';
  });

  it('settings and credentials can be changed, tested and synchronized', async () => {
    const path = `/connections/${account.connectionId}`;
    const patched = await account.client.patch(path, { label: 'Main', settings: { from_number: '+1' } });
    expect(patched.body).to.deep.include({ label: 'Main', settings: { from_number: '+1' } });
    const empty = await account.client.patch(path, {});
    expect(empty.body.updated_at).to.equal(patched.body.updated_at);
    const wrong = await account.client.patch(path, { settings: { from: '+1' } });
    expect(wrong.status).to.equal(400);
    const renewed = await account.client.patch(path, { credentials: { api_key: 'no such key' } });
    expect(renewed.status).to.equal(200);
    await account.waitForStatus('needs_reauth');
    await account.client.patch(path, { credentials: { api_key: KEY } });
    await account.waitForStatus('active');
    expect((await account.client.post(`${path}/test`)).status).to.equal(200);
    expect((await account.client.post(`${path}/sync`, { since: '2026-01-01T00:00:00Z' })).status).to.equal(
      200,
    );
    expect((await account.client.post(`${path}/reconnect`)).status).to.equal(409);
    const wait = await account.client.post(`${path}/operations/replay`, { since: '2026-01-01T00:00:00Z' });
    expect(wait.body.replayed).to.equal(0);
    expect((await account.client.get(`${path}/operations?state=dead`)).body.data.count).to.equal(0);
    expect((await account.client.get('/sync-issues?status=open')).body.data.count).to.equal(0);
    const { body } = await account.client.get('/connections?vendor=parrot_keys&status=active');
    expect(body.data.items.map(({ id }: { id: string }) => id)).to.deep.equal([account.connectionId]);
  });

  it('allowed_actions names what the status of a connection allows, and the API refuses everything else', async () => {
    const path = `/connections/${account.connectionId}`;
    const allowed = async () => (await account.client.get(path)).body.allowed_actions;
    expect(await allowed()).to.deep.equal(['test', 'sync', 'pause', 'reconnect', 'disconnect']);
    const paused = await account.client.post(`${path}/pause`);
    expect(paused.body.allowed_actions).to.deep.equal(['resume', 'reconnect', 'disconnect']);
    for (const action of ['test', 'sync'])
      expect((await account.client.post(`${path}/${action}`)).status, action).to.equal(409);
    await account.client.post(`${path}/resume`);
    await account.waitForStatus('active');
  });

  it('tow doctor counts connections by vendor and status, and finds work that no worker does', async () => {
    const { id } = account.tenant;
    await texting.stack.runtime.db.runAndRollBack([id], async (tx) => {
      // The transaction is not committed, so no worker sees its late work. Other files share the
      // database, so `db` lists only this account.
      const db = {
        runAndRollBack: (_ids: string[], work: (same: typeof tx) => unknown) => work(tx),
        listTenantIds: async () => [id],
      } as unknown as Database;
      const values = [account.connectionId];
      const set = (changes: string) =>
        tx.query({ text: `update connection_queues set ${changes} where connection_id = $1`, values });
      // Lock the queue first, as workers do.
      await set('owner = owner');
      expect(await checkConnections(db)).to.match(/^1 parrot_keys active\b/);
      await tx.query({
        text: `update sync_states set next_at = now() - interval '6 min'
               where connection_id = $1 and stream = 'messages'`,
        values,
      });
      await set('owner = null');
      const problem = await checkConnections(db).catch((error: Error) => error.message);
      expect(problem).to.match(/more than 5 minutes: .*1 parrot_keys late/);
      await set("throttled_until = now() + interval '1 h'");
      expect(await checkConnections(db), 'the vendor asked to wait').to.include('1 parrot_keys active');
    });
  });

  it('only the permission admin reads or changes connections', async () => {
    const key = await texting.stack.createKey(account.tenant.id, { permissions: ['read', 'write'] });
    const client = texting.stack.createClient(key);
    for (const path of ['/integrations', '/connections', '/sync-issues'])
      expect((await client.get(path)).status, path).to.equal(403);
    expect((await create(withKey(), client)).status).to.equal(403);
  });

  it('a sign-in at the vendor works once, and not with another state', async () => {
    const { body } = await create({ vendor: 'parrot', settings });
    const back = texting.double.permit(body.authorize_url);
    const url = `${texting.stack.origin}${back.pathname}`;
    const state = back.searchParams.get('state') as string;
    const forged = `${url}?code=x&state=${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}`;
    expect((await fetch(forged)).status).to.equal(400);
    expect((await fetch(`${url}?error=access_denied&state=${state}`)).status).to.equal(400);
    const confirm = () => fetch(`${url}${back.search}`, { method: 'POST' });
    expect((await confirm()).status).to.equal(200);
    expect((await confirm()).status, 'used before').to.equal(400);
    expect((await fetch(`${url}${back.search}`)).status, 'used before').to.equal(400);
    const dry = await account.client.post(
      '/connections',
      { vendor: 'parrot', settings },
      { headers: { 'X-Service-Dry-Run': 'true' } },
    );
    expect(dry.body.data.authorize_url).to.equal(null);
  });

  it('a sign-in that a key began connects only after a person confirmed the account by its name', async () => {
    const { body } = await create({ vendor: 'parrot', settings });
    const back = texting.double.permit(body.authorize_url);
    const url = `${texting.stack.origin}${back.pathname}${back.search}`;
    const isUsed = async () => {
      const query = 'select used_at from oauth_attempts where connection_id = $1 and used_at is not null';
      return (await texting.stack.rows(account.tenant.id, query, [body.id])).length > 0;
    };
    const response = await fetch(url);
    const page = await response.text();
    expect(response.status).to.equal(200);
    expect(page).to.include('Go on only if you work for').and.to.include('<form method="post">');
    const [{ name }] = (await texting.stack.rows(account.tenant.id, 'select name from tenants')) as [
      { name: string },
    ];
    expect(page).to.include(`to ${name}?`);
    expect(response.headers.get('content-security-policy')).to.include("form-action 'self'");
    expect(await isUsed()).to.equal(false);
    const confirmed = await fetch(url, { method: 'POST' });
    expect([confirmed.status, await isUsed()]).to.deep.equal([200, true]);
    expect((await fetch(url, { method: 'PUT' })).status).to.equal(405);
  });

  it('a sign-in that a person began completes only in the session of that person, without a question', async () => {
    const { stack, double } = texting;
    const user = await createUser(stack, account.tenant.id);
    const [person, elsewhere] = [await openSession(stack, user), await openSession(stack, user)];
    const cookieOf = ({ defaultHeaders: { cookie = '' } }: TestClient) => ({ headers: { cookie } });
    const { body, status } = await create({ vendor: 'parrot', settings }, person);
    expect(status, JSON.stringify(body)).to.equal(201);
    const back = double.permit(body.authorize_url);
    const url = `${stack.origin}${back.pathname}${back.search}`;
    expect((await fetch(url)).status, 'without a session').to.equal(400);
    expect((await fetch(url, { method: 'POST' })).status, 'without a session').to.equal(400);
    expect((await fetch(url, cookieOf(elsewhere))).status, 'in another session').to.equal(400);
    const completed = await fetch(url, cookieOf(person));
    expect(completed.status).to.equal(200);
    expect(await completed.text()).to.not.include('<form');
  });
});

describe('connections of several accounts', () => {
  /** How many connections an account has that wait for a vendor that hangs. */
  const GREEDY = 45;
  const texting = useTextingStack();

  afterEach(async () => {
    texting.double.misbehave = () => undefined;
    await texting.disconnectAll();
  });

  it('an account whose vendor hangs cannot keep the texts of others waiting', async () => {
    const [greedy, modest] = [await texting.createAccount(), await texting.createAccount()];
    await modest.connect();
    texting.double.misbehave = (name) => (name === 'GET /account' ? { kind: 'slow', ms: 1900 } : undefined);
    texting.double.requests.length = 0;
    // At once: on a busy machine, one after the other would take as long as all checks.
    await Promise.all(
      Array.from({ length: GREEDY }, (_, index) =>
        greedy.client.post('/connections', {
          vendor: 'parrot_keys',
          credentials: { api_key: `hanging-key-${index}` },
          settings,
        }),
      ),
    );
    const id = await modest.sendText();
    await modest.waitForMessages([id], 'sent');
    const asked = texting.double.requests.filter(({ name }) => name === 'GET /account').length;
    expect(asked, 'the text did not wait for all checks').to.be.below(GREEDY);
    const sixth = Array.from({ length: 6 }, () =>
      greedy.client.post('/connections', {
        vendor: 'parrot_keys',
        credentials: { api_key: 'one key too many' },
        settings,
      }),
    );
    expect(
      (await Promise.all(sixth)).map(({ status }) => status).filter((one) => one === 409),
    ).to.have.length(1);
  });

  it('a vendor that hangs for many accounts gets half of the steps, and texts at another vendor leave', async () => {
    const modest = await (await texting.createAccount()).connect();
    let hanging = 0;
    let most = 0;
    texting.double.misbehave = (name) => {
      if (name !== 'GET /account') return undefined;
      hanging += 1;
      most = Math.max(most, hanging);
      setTimeout(() => {
        hanging -= 1;
      }, 1400);
      return { kind: 'slow', ms: 1700 };
    };
    const accounts = await Promise.all(Array.from({ length: 4 }, () => texting.createAccount()));
    await Promise.all(
      accounts.flatMap(({ client }, account) =>
        Array.from({ length: 15 }, (_, index) =>
          client.post('/connections', {
            vendor: 'parrot_keys',
            credentials: { api_key: `hanging-key-${account}-${index}` },
            settings,
          }),
        ),
      ),
    );
    await eventually('calls hang', async () => hanging > 0);
    const id = await modest.sendText();
    await modest.waitForMessages([id], 'sent', 5000);
    expect(most).to.be.within(1, 16);
    expect(hanging, 'still').to.be.greaterThan(0);
  });
});
