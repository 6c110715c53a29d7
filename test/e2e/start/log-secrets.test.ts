import { expect } from 'chai';
import { deriveKey, hashPassword } from '../../../shared/platform/crypto.js';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { openDatabase } from '../../../shared/platform/postgres/database.js';
import { mintKey } from '../../../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../../../shared/resources/api-keys/handlers.js';
import { createTenantPair, createTenantPairIds } from '../../../shared/resources/tenants/create-tenant.js';
import { insertUsers } from '../../../shared/resources/users/handlers.js';
import { TestClient } from '../../support/client.js';
import { NO_RATE_LIMITS, type TestProcess, useProcesses } from '../../support/load/processes.js';
import { useRealPasswords } from '../../support/password-cost.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { endpointInput, invoiceInput } from '../../support/records/samples.js';
import { createSessionClient, readCookie, requestSession } from '../../support/records/sign-in.js';
import { createDatabase, createRedisUrl } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const SECRET_KEY = 'Kk9-the-secret-key-of-this-deployment-4711';
const PASSWORD_IN_BODY = 'hunter2-in-a-body';
const SMTP_PASSWORD = 'sesame-of-the-mail-server';
const RECEIVER_HEADER = 'open-says-me-to-the-receiver';
const FIRST_EMAIL = 'first@example.com';
const USER_PASSWORD = 'a horse of battery staples';
const BASIC_CREDENTIAL = Buffer.from('ann:open-sesame').toString('base64');

/** Parses the JSON log entries, and skips the few lines of plain text for people. */
function parseLogEntries(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((entry) => entry.startsWith('{'))
    .map((entry) => JSON.parse(entry) as Record<string, unknown>);
}

describe('log output at LOG_LEVEL=trace', () => {
  // The tests hash passwords cheaply in this process. The product runs in another process, which
  // can check only real hashes.
  useRealPasswords();
  const processes = useProcesses();
  const secrets = new Map<string, string>([
    ['SECRET_KEY', SECRET_KEY],
    ['a password in a body', PASSWORD_IN_BODY],
    ["a person's password", USER_PASSWORD],
    ['a Basic credential', BASIC_CREDENTIAL],
    ['the password of SMTP_URL', SMTP_PASSWORD],
    ['the header for a receiver', RECEIVER_HEADER],
  ]);
  let databaseUrl: string;
  let product: TestProcess;
  let client: TestClient;
  let tenantId: string;

  before(async () => {
    databaseUrl = await createDatabase();
    secrets.set('the password of DATABASE_URL', new URL(databaseUrl).password);
    const redisUrl = await createRedisUrl();
    const key = await createTenantWithKey();
    secrets.set('the key of every request', key);
    product = processes.start({
      command: ['node', 'dist/bin/start.js'],
      env: {
        ...NO_RATE_LIMITS,
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        DATABASE_URL: databaseUrl,
        DATA_DIR: await processes.createFolder(),
        SECRET_KEY,
        PORT: '0',
        DEMO: 'false',
        LOG_LEVEL: 'trace',
        BAD_CREDENTIALS_PER_MINUTE: '4',
        // No mail server listens on port 1.
        SMTP_URL: `smtp://mailer:${SMTP_PASSWORD}@127.0.0.1:1`,
        MAIL_FROM: 'invoices@example.com',
      },
    });
    const [, origin = ''] = await product.waitForOutput(/REST (http:\/\/[\w.:]+)\/v1/);
    client = new TestClient(origin, key);
    await sendWrites();
    await sendAndViewInvoice();
    await sendBadCredentials();
    await provokeServerErrors();
    await product.stop();
  });

  async function createTenantWithKey(): Promise<string> {
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl, poolSize: 1, applicationName: 'test', logger });
    const pair = createTenantPairIds();
    tenantId = pair.live;
    const { key, material } = mintKey('api', 'live', deriveKey(SECRET_KEY, 'credentials'));
    const password_hash = await hashPassword(USER_PASSWORD);
    await db.transaction([pair.live, pair.sandbox], async (tx) => {
      await createTenantPair(tx, pair, { name: 'Silent Towing' });
      await insertUsers(tx, [
        { tenant_id: tenantId, id: newId(), name: 'First', email: FIRST_EMAIL, password_hash },
      ]);
      await insertApiKeys(tx, [
        {
          tenant_id: tenantId,
          id: newId(),
          kind: 'api',
          name: 'test key',
          prefix: material.prefix,
          last_four: material.lastFour,
          key_hash: material.hash,
          permissions: ['read', 'write', 'approve', 'admin'],
          scopes: [],
          read_only: false,
          tier: null,
          rolled_from: null,
          expires_at: null,
        },
      ]);
    });
    await db.close();
    return key;
  }

  async function sendWrites(): Promise<void> {
    const expectStatus = async (response: Promise<{ status: number; text: string }>, expected: number) => {
      const { status: got, text } = await response;
      expect(got, text).to.equal(expected);
    };
    const create = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const response = await client.post(path, body, { headers });
      expect(response.status, response.text).to.equal(201);
      if (response.body.key) secrets.set(`a key made by ${path}`, response.body.key);
      return response.body as { id: string; key?: string };
    };
    const customer = await create('/customers', { company_name: 'Club', password: PASSWORD_IN_BODY });
    const workOrder = await create('/work-orders', { service_type: 'tow', customer_id: customer.id });
    const invoice = await create('/invoices', invoiceInput({ customer_id: customer.id }));
    await expectStatus(client.patch(`/customers/${customer.id}`, { city: 'Hudson' }), 200);
    await expectStatus(client.patch(`/work-orders/${workOrder.id}`, { notes: 'n' }), 200);
    await expectStatus(client.patch(`/invoices/${invoice.id}`, { notes: 'n' }), 200);
    const idempotent = { 'Idempotency-Key': newId() };
    const firstKey = await create('/api-keys', { name: 'one' }, idempotent);
    expect((await create('/api-keys', { name: 'one' }, idempotent)).key, 'replayed with its key').to.equal(
      firstKey.key,
    );
    await signInAndOut();
    await create(`/api-keys/${firstKey.id}/roll`, { overlap_hours: 0 });
    await expectStatus(client.delete(`/api-keys/${firstKey.id}`), 200);
    await expectStatus(
      client.post('/api-keys', { name: 'rehearsed' }, { headers: { 'X-Service-Dry-Run': 'true' } }),
      200,
    );
    await createEndpoints();
    expect([...secrets.keys()].filter((name) => name.startsWith('a key made by'))).to.have.length(2);
  }

  /** Creates an endpoint, and adds its signing secrets to `secrets`. */
  async function createEndpoints(): Promise<void> {
    const headers = { 'X-Receiver': RECEIVER_HEADER };
    const createdEndpoint = await client.post(
      '/webhook-endpoints',
      endpointInput({ headers, asymmetric: true }),
    );
    expect(createdEndpoint.status, createdEndpoint.text).to.equal(201);
    const path = `/webhook-endpoints/${createdEndpoint.body.id}`;
    const rotated = await client.post(`${path}/rotate-secret`, {});
    await client.patch(path, { headers });
    secrets.set('the secret of an endpoint', createdEndpoint.body.secret.slice('whsec_'.length));
    secrets.set('the next secret of an endpoint', rotated.body.secret.slice('whsec_'.length));
    const refused = await client.post('/webhook-endpoints', { headers: { Host: RECEIVER_HEADER } });
    expect(refused.status).to.equal(400);
  }

  /**
   * Sends an invoice, and adds the token of the invoice's link to `secrets`. Anyone with the link
   * can read the invoice.
   */
  async function sendAndViewInvoice(): Promise<void> {
    const id = await createInvoiceAfter(client, ['approve']);
    const { body } = await client.post(`/invoices/${id}/send`, {});
    const { pathname } = new URL(body.view_url);
    secrets.set('the link of an invoice', pathname.slice('/i/'.length));
    for (const part of ['', '/pdf', '/other'])
      await (await fetch(client.origin + pathname + part)).arrayBuffer();
    await product.waitForOutput(/"msg":"message"/);
  }

  async function signInAndOut(): Promise<void> {
    const first = await requestSession(client.origin, { email: FIRST_EMAIL, password: USER_PASSWORD });
    const email = 'silent@example.com';
    const user = { name: 'Silent', email, password: USER_PASSWORD };
    const added = await createSessionClient(client.origin, readCookie(first)).post('/users', user);
    expect(added.status, added.text).to.equal(201);
    const response = await requestSession(client.origin, { email, password: USER_PASSWORD });
    expect(response.status, response.text).to.equal(200);
    const cookie = readCookie(response);
    secrets.set("a session's token", cookie.slice('tow_session=tk_session_'.length));
    const person = createSessionClient(client.origin, cookie);
    expect(
      (await person.get('/me', { headers: { 'X-Request-Id': cookie.split('=')[1] ?? '' } })).status,
    ).to.equal(200);
    await requestSession(client.origin, { email, password: `${USER_PASSWORD}!` });
    expect((await person.delete('/session')).status).to.equal(200);
  }

  async function sendBadCredentials(): Promise<void> {
    const unknown = mintKey('api', 'live', deriveKey('another secret', 'credentials')).key;
    const mistyped = `${unknown.slice(0, -1)}${unknown.endsWith('a') ? 'b' : 'a'}`;
    secrets.set('an unknown key', unknown);
    secrets.set('a mistyped key', mistyped.slice('tk_live_'.length));
    const authorizations = [
      `Bearer ${unknown}`,
      `Bearer ${mistyped}`,
      `Basic ${BASIC_CREDENTIAL}`,
      unknown,
      `Bearer ${unknown} x`,
      `bearer ${unknown}`,
    ];
    const statuses: number[] = [];
    for (const authorization of authorizations) {
      statuses.push((await client.get('/me', { key: null, headers: { authorization } })).status);
    }
    expect(new Set(statuses), 'refused, and limited in the end').to.deep.equal(new Set([401, 429]));
    // Send a key in places where no key belongs.
    await client.send('GET', `/invoices/${unknown}`, {
      headers: { 'X-Request-Id': unknown, 'User-Agent': unknown, Cookie: `key=${unknown}` },
    });
    await client.send('GET', `/invoices?search=${unknown}&api_key=${unknown}`);
    await client.send('POST', '/customers', { raw: `{"company_name": "${unknown}", oops` });
    await client.send('POST', '/customers', { body: { company_name: unknown } });
  }

  async function provokeServerErrors(): Promise<void> {
    await withPgClient(databaseUrl, async (owner) => {
      await owner.query("alter table api_keys add constraint boom check (name <> 'boom')");
      await owner.query("alter table customers add constraint boom check (company_name <> 'boom')");
    });
    for (const path of ['/api-keys', '/customers']) {
      const body = { name: 'boom', company_name: 'boom', password: PASSWORD_IN_BODY };
      const response = await client.post(path, body);
      expect(response.status, response.text).to.equal(500);
      expect((await client.post(path, body, { headers: { 'X-Service-Dry-Run': 'true' } })).status).to.equal(
        500,
      );
    }
    await withPgClient(databaseUrl, (owner) => owner.query('alter table invoices rename to hidden'));
    expect((await client.get('/invoices')).status).to.equal(500);
    await withPgClient(databaseUrl, async (owner) => {
      await owner.query('alter table hidden rename to invoices');
      await owner.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tow-all' and datname = current_database()",
      );
    });
    await client.send('GET', '/me');
  }

  it('no line of the trace log contains a secret', () => {
    expect(secrets.size).to.be.above(7);
    for (const entry of product.output.split('\n')) {
      for (const [description, secret] of secrets)
        expect(entry.includes(secret), `${description} in: ${entry}`).to.equal(false);
      expect(entry).to.not.match(/authorization":"(?!\[redacted\])/i);
    }
  });

  it('no line of the trace log contains a URL with a password', () => {
    expect(product.output).to.not.match(/\w+:\/\/[^\s:/@"]*:(?!\[redacted\])[^\s@/"]+@/);
  });

  it('the trace log has each request with its id, tenant, route, status and time', () => {
    const requests = parseLogEntries(product.output).filter((entry) => entry.msg === 'request');
    const createRequests = requests.filter((entry) => entry.route === '/customers' && entry.status === 201);
    expect(createRequests).to.not.deep.equal([]);
    for (const entry of createRequests) {
      expect(entry).to.deep.include({ tenant: tenantId, method: 'POST', path: '/v1/customers' });
      expect(entry.requestId).to.be.a('string').with.length.above(8);
      expect(entry.ms).to.be.a('number');
    }
    const refused = requests.filter((entry) => entry.status === 401);
    expect(refused, 'a refused credential is logged as well').to.not.deep.equal([]);
    for (const entry of refused) expect(entry).to.not.have.property('tenant');
  });

  it('the trace log has each batch with its request ids, tenants and time, so that a write can be traced', () => {
    const entries = parseLogEntries(product.output);
    const batches = entries.filter((entry) => entry.msg === 'batch');
    // The clock also writes for other accounts, such as the first one.
    const own = batches.filter(({ tenants }) => (tenants as string[]).includes(tenantId));
    expect(own).to.not.deep.equal([]);
    for (const entry of own) {
      expect(entry.ms).to.be.a('number');
      expect(entry.commands).to.be.at.least(1);
    }
    const batched = new Set(own.flatMap((entry) => entry.requestIds as string[]));
    const written = entries
      .filter((entry) => entry.msg === 'request' && entry.status === 201)
      .map((entry) => entry.requestId as string);
    for (const requestId of written)
      expect(batched.has(requestId), `request ${requestId} in a batch`).to.equal(true);
  });

  it('the trace log has the server errors, so the tests for secrets do not pass on an empty log', () => {
    const errors = parseLogEntries(product.output).filter((entry) => Number(entry.level) >= 50);
    expect(JSON.stringify(errors)).to.include('api_keys').and.to.include('boom').and.to.include('invoices');
  });
});

describe('log output of a process that cannot start', () => {
  const processes = useProcesses();

  it('a process with a wrong database password logs the reason without the password', async () => {
    const url = new URL(await createDatabase());
    url.password = 'wrong-but-still-secret';
    const { code, output } = await processes.run({
      command: ['node', 'dist/bin/start.js'],
      env: {
        DATABASE_URL: url.href,
        SECRET_KEY,
        PORT: '0',
        DEMO: 'false',
        LOG_LEVEL: 'trace',
        DATA_DIR: await processes.createFolder(),
      },
    });
    expect(code, output).to.equal(1);
    expect(output).to.include('password authentication failed');
    for (const secret of ['wrong-but-still-secret', SECRET_KEY]) expect(output).to.not.include(secret);
  });
});
