import { expect } from 'chai';
import { deriveKey, hashPassword } from '../../shared/platform/crypto.js';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { openDatabase } from '../../shared/platform/postgres.js';
import { mintKey } from '../../shared/resources/api-keys/credential.js';
import { insertApiKeys } from '../../shared/resources/api-keys/handlers.js';
import { createTenantPair, newTenantPair } from '../../shared/resources/tenants/create-tenant.js';
import { insertUsers } from '../../shared/resources/users/handlers.js';
import { TestClient } from '../support/client.js';
import { invoiceAfter } from '../support/lifecycle-records.js';
import { NO_LIMITS, type TestProcess, useProcesses } from '../support/processes.js';
import { withClient } from '../support/rows.js';
import { scriptCommand } from '../support/run-script.js';
import { endpointInput, invoiceInput } from '../support/samples.js';
import { cookieOf, personWith, trySignIn } from '../support/sign-in.js';
import { createDatabase, createRedisUrl } from '../support/stores.js';

const SECRET_KEY = 'Kk9-the-secret-key-of-this-deployment-4711';
const PASSWORD_IN_BODY = 'hunter2-in-a-body';
const SMTP_PASSWORD = 'sesame-of-the-mail-server';
const HEADER_OF_A_RECEIVER = 'open-says-me-to-the-receiver';
const FIRST_EMAIL = 'first@example.com';
const PASSWORD_OF_A_PERSON = 'a horse of battery staples';
const BASIC_CREDENTIAL = Buffer.from('ann:open-sesame').toString('base64');

/** Lines of the log, each of them JSON; the few lines for people are left out. */
function logLines(output: string): Record<string, unknown>[] {
  return output
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('what the product prints at LOG_LEVEL=trace', () => {
  const processes = useProcesses();
  /** Every secret that came up, by what it is. */
  const secrets = new Map<string, string>([
    ['SECRET_KEY', SECRET_KEY],
    ['a password in a body', PASSWORD_IN_BODY],
    ["a person's password", PASSWORD_OF_A_PERSON],
    ['a Basic credential', BASIC_CREDENTIAL],
    ['the password of SMTP_URL', SMTP_PASSWORD],
    ['the header of a receiver', HEADER_OF_A_RECEIVER],
  ]);
  let databaseUrl: string;
  let product: TestProcess;
  let client: TestClient;
  let tenantId: string;

  before(async () => {
    databaseUrl = await createDatabase();
    secrets.set('the password of DATABASE_URL', new URL(databaseUrl).password);
    const redisUrl = await createRedisUrl();
    const key = await makeTenantWithKey();
    secrets.set('the key that every request bears', key);
    product = processes.start({
      command: scriptCommand('bin/start.ts'),
      env: {
        ...NO_LIMITS,
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        DATABASE_URL: databaseUrl,
        DATA_DIR: await processes.folder(),
        SECRET_KEY,
        PORT: '0',
        DEMO: 'false',
        LOG_LEVEL: 'trace',
        BAD_CREDENTIALS_PER_MINUTE: '4',
        // Nobody listens on this port.
        SMTP_URL: `smtp://mailer:${SMTP_PASSWORD}@127.0.0.1:1`,
        MAIL_FROM: 'invoices@example.com',
      },
    });
    const [, origin = ''] = await product.prints(/REST (http:\/\/[\w.:]+)\/v1/);
    client = new TestClient(origin, key);
    await writeEverything();
    await sendAndLook();
    await offerBadCredentials();
    await provokeFaults();
    await product.stop();
  });

  async function makeTenantWithKey(): Promise<string> {
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const db = openDatabase({ databaseUrl, poolSize: 1, applicationName: 'test', logger });
    const pair = newTenantPair();
    tenantId = pair.live;
    const { key, material } = mintKey('api', 'live', deriveKey(SECRET_KEY, 'credentials'));
    const password_hash = await hashPassword(PASSWORD_OF_A_PERSON);
    await db.transaction([pair.live, pair.sandbox], async (tx) => {
      await createTenantPair(tx, pair, { name: 'Silent Towing' });
      await insertUsers(tx, [
        { tenant_id: tenantId, id: newId(), name: 'First', email: FIRST_EMAIL, password_hash },
      ]);
      await insertApiKeys(tx, [
        {
          ...{ tenant_id: tenantId, id: newId(), kind: 'api', name: 'test key' },
          ...{ prefix: material.prefix, last_four: material.lastFour, key_hash: material.hash },
          ...{ permissions: ['read', 'write', 'approve', 'admin'], scopes: [], read_only: false },
          ...{ tier: null, rolled_from: null, expires_at: null },
        },
      ]);
    });
    await db.close();
    return key;
  }

  async function writeEverything(): Promise<void> {
    const status = async (answer: Promise<{ status: number; text: string }>, expected: number) => {
      const { status: got, text } = await answer;
      expect(got, text).to.equal(expected);
    };
    const made = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const answer = await client.post(path, body, { headers });
      expect(answer.status, answer.text).to.equal(201);
      if (answer.body.key) secrets.set(`a key made by ${path}`, answer.body.key);
      return answer.body as { id: string; key?: string };
    };
    const customer = await made('/customers', { company_name: 'Club', password: PASSWORD_IN_BODY });
    const job = await made('/work-orders', { service_type: 'tow', customer_id: customer.id });
    const invoice = await made('/invoices', invoiceInput({ customer_id: customer.id }));
    await status(client.patch(`/customers/${customer.id}`, { city: 'Hudson' }), 200);
    await status(client.patch(`/work-orders/${job.id}`, { notes: 'n' }), 200);
    await status(client.patch(`/invoices/${invoice.id}`, { notes: 'n' }), 200);
    const idempotent = { 'Idempotency-Key': newId() };
    const made1 = await made('/api-keys', { name: 'one' }, idempotent);
    expect((await made('/api-keys', { name: 'one' }, idempotent)).key, 'replayed with its key').to.equal(
      made1.key,
    );
    await signInAndOut();
    await made(`/api-keys/${made1.id}/roll`, { overlap_hours: 0 });
    await status(client.delete(`/api-keys/${made1.id}`), 200);
    await status(
      client.post('/api-keys', { name: 'rehearsed' }, { headers: { 'X-Service-Dry-Run': 'true' } }),
      200,
    );
    await makeEndpoints();
    expect([...secrets.keys()].filter((name) => name.startsWith('a key made by'))).to.have.length(2);
  }

  /** What signs deliveries, and what a receiver wants to hear. */
  async function makeEndpoints(): Promise<void> {
    const headers = { 'X-Receiver': HEADER_OF_A_RECEIVER };
    const made = await client.post('/webhook-endpoints', endpointInput({ headers, asymmetric: true }));
    expect(made.status, made.text).to.equal(201);
    const path = `/webhook-endpoints/${made.body.id}`;
    const rotated = await client.post(`${path}/rotate-secret`, {});
    await client.patch(path, { headers });
    secrets.set('the secret of an endpoint', made.body.secret.slice('whsec_'.length));
    secrets.set('the next secret of an endpoint', rotated.body.secret.slice('whsec_'.length));
    const refused = await client.post('/webhook-endpoints', { headers: { Host: HEADER_OF_A_RECEIVER } });
    expect(refused.status).to.equal(400);
  }

  /** The link of an invoice is a secret too: whoever has it sees the invoice. */
  async function sendAndLook(): Promise<void> {
    const id = await invoiceAfter(client, ['approve']);
    const { body } = await client.post(`/invoices/${id}/send`, {});
    const { pathname } = new URL(body.view_url);
    secrets.set('the link of an invoice', pathname.slice('/i/'.length));
    for (const part of ['', '/pdf', '/other'])
      await (await fetch(client.origin + pathname + part)).arrayBuffer();
    await product.prints(/"msg":"message"/);
  }

  async function signInAndOut(): Promise<void> {
    const first = await trySignIn(client.origin, { email: FIRST_EMAIL, password: PASSWORD_OF_A_PERSON });
    const email = 'silent@example.com';
    const user = { name: 'Silent', email, password: PASSWORD_OF_A_PERSON };
    const added = await personWith(client.origin, cookieOf(first)).post('/users', user);
    expect(added.status, added.text).to.equal(201);
    const answer = await trySignIn(client.origin, { email, password: PASSWORD_OF_A_PERSON });
    expect(answer.status, answer.text).to.equal(200);
    const cookie = cookieOf(answer);
    secrets.set("a session's token", cookie.slice('tow_session=tk_session_'.length));
    const person = personWith(client.origin, cookie);
    expect(
      (await person.get('/me', { headers: { 'X-Request-Id': cookie.split('=')[1] ?? '' } })).status,
    ).to.equal(200);
    await trySignIn(client.origin, { email, password: `${PASSWORD_OF_A_PERSON}!` });
    expect((await person.delete('/session')).status).to.equal(200);
  }

  async function offerBadCredentials(): Promise<void> {
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
    // A key in places where it does not belong.
    await client.send('GET', `/invoices/${unknown}`, {
      headers: { 'X-Request-Id': unknown, 'User-Agent': unknown, Cookie: `key=${unknown}` },
    });
    await client.send('GET', `/invoices?search=${unknown}&api_key=${unknown}`);
    await client.send('POST', '/customers', { raw: `{"company_name": "${unknown}", oops` });
    await client.send('POST', '/customers', { body: { company_name: unknown } });
  }

  async function provokeFaults(): Promise<void> {
    await withClient(databaseUrl, async (owner) => {
      await owner.query("alter table api_keys add constraint boom check (name <> 'boom')");
      await owner.query("alter table customers add constraint boom check (company_name <> 'boom')");
    });
    for (const path of ['/api-keys', '/customers']) {
      const body = { name: 'boom', company_name: 'boom', password: PASSWORD_IN_BODY };
      const answer = await client.post(path, body);
      expect(answer.status, answer.text).to.equal(500);
      expect((await client.post(path, body, { headers: { 'X-Service-Dry-Run': 'true' } })).status).to.equal(
        500,
      );
    }
    await withClient(databaseUrl, (owner) => owner.query('alter table invoices rename to hidden'));
    expect((await client.get('/invoices')).status).to.equal(500);
    await withClient(databaseUrl, async (owner) => {
      await owner.query('alter table hidden rename to invoices');
      await owner.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'tow-all' and datname = current_database()",
      );
    });
    await client.send('GET', '/me');
  }

  it('holds no secret, in no line', () => {
    expect(secrets.size).to.be.above(7);
    for (const line of product.output.split('\n')) {
      for (const [what, secret] of secrets)
        expect(line.includes(secret), `${what} in: ${line}`).to.equal(false);
      expect(line).to.not.match(/authorization":"(?!\[redacted\])/i);
    }
  });

  it('holds no address with a password, in no line', () => {
    expect(product.output).to.not.match(/\w+:\/\/[^\s:/@"]*:(?!\[redacted\])[^\s@/"]+@/);
  });

  it('tells of every request: its id, tenant, route, status and time', () => {
    const requests = logLines(product.output).filter((line) => line.msg === 'request');
    const made = requests.filter((line) => line.route === '/customers' && line.status === 201);
    expect(made).to.not.deep.equal([]);
    for (const line of made) {
      expect(line).to.deep.include({ tenant: tenantId, method: 'POST', path: '/v1/customers' });
      expect(line.requestId).to.be.a('string').with.length.above(8);
      expect(line.ms).to.be.a('number');
    }
    const refused = requests.filter((line) => line.status === 401);
    expect(refused, 'a refused credential is told as well').to.not.deep.equal([]);
    for (const line of refused) expect(line).to.not.have.property('tenant');
  });

  it('tells of every batch: its requests, tenants and time, so that a write can be followed', () => {
    const lines = logLines(product.output);
    const batches = lines.filter((line) => line.msg === 'batch');
    expect(batches).to.not.deep.equal([]);
    for (const line of batches) {
      // A canary, which has no tenant, may travel with them.
      expect(line.tenants).to.include(tenantId);
      expect(line.ms).to.be.a('number');
      expect(line.commands).to.be.at.least(1);
    }
    const batched = new Set(batches.flatMap((line) => line.requestIds as string[]));
    const written = lines
      .filter((line) => line.msg === 'request' && line.status === 201)
      .map((line) => line.requestId as string);
    for (const requestId of written)
      expect(batched.has(requestId), `request ${requestId} in a batch`).to.equal(true);
  });

  it('tells of the faults it met, so that silence is no proof of the above', () => {
    const errors = logLines(product.output).filter((line) => Number(line.level) >= 50);
    expect(JSON.stringify(errors)).to.include('api_keys').and.to.include('boom').and.to.include('invoices');
  });
});

describe('a process that cannot start', () => {
  const processes = useProcesses();

  it('says why without the password of its database', async () => {
    const url = new URL(await createDatabase());
    url.password = 'wrong-but-still-secret';
    const { code, output } = await processes.run({
      command: scriptCommand('bin/start.ts'),
      env: {
        DATABASE_URL: url.href,
        SECRET_KEY,
        PORT: '0',
        DEMO: 'false',
        LOG_LEVEL: 'trace',
        DATA_DIR: await processes.folder(),
      },
    });
    expect(code, output).to.equal(1);
    expect(output).to.include('password authentication failed');
    for (const secret of ['wrong-but-still-secret', SECRET_KEY]) expect(output).to.not.include(secret);
  });
});
