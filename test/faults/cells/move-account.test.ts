/** Moves an account under load from one deployment to another, with the steps of the guide. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Balancer, startBalancer } from '../../support/load/cells/balancer.js';
import { type DeployedTenant, Deployment, SECRET_KEY } from '../../support/load/deployment.js';
import { Load, type LoadCall } from '../../support/load/load.js';
import { fetchStatus } from '../../support/load/processes.js';
import { reportLongestGap } from '../../support/load/report-pause.js';
import { eventually } from '../../support/poll.js';
import { findMissingProgram } from '../../support/redis/programs.js';
import { createDatabase } from '../../support/stores.js';
import { type StrictEndpoint, StrictReceiver } from '../../support/webhooks/strict-receiver.js';
import { insertSignedEndpoint } from '../../support/webhooks/webhooks.js';

const missing = findMissingProgram('haproxy');
const PACE = { clients: 4, thinkMs: 25, isBalanced: true };
const CALLS = 40;
const REPLAYED = 10;

interface Scene {
  a: Deployment;
  b: Deployment;
  balancer: Balancer;
  moved: DeployedTenant;
  stays: DeployedTenant;
  endpoint: StrictEndpoint;
  /** The folder of the dump. */
  out: string;
}

describe(`an account that moves to another deployment${missing ? ` (skipped: ${missing})` : ''}`, function () {
  this.timeout(180_000);
  let folder: string;

  before(async function () {
    if (missing) return this.skip();
    folder = await mkdtemp(join(tmpdir(), 'tow-cells-'));
  });
  after(() => folder && rm(folder, { recursive: true, force: true }));

  it('has every acknowledged write and event there, none is written here, and its credentials and links work on', () =>
    withTwoCells(folder, async (scene) => {
      const { a, b, balancer, moved, stays } = scene;
      const origins = [balancer.origin];
      const load = new Load({ origins, tenants: [moved], ...PACE });
      const other = new Load({ origins, tenants: [stays], ...PACE });
      const person = await addPerson(a, moved);
      const tracking = await createTrackingPath(scene);
      load.start();
      other.start();
      try {
        await load.waitForCalls(CALLS);
        await reportLongestGap('the account that stays', other, () =>
          reportLongestGap('the account that moves', load, () => move(scene)),
        );
        await Promise.all([load.stop(), other.stop()]);
        expectAcknowledged(load.calls);
        expectAcknowledged(other.calls);
        expect([...load.deviations, ...other.deviations]).to.deep.equal([]);
        await expectStoredOnce(b, moved, load.calls);
        await expectStoredOnce(a, stays, other.calls);
        await expectUnchangedSinceDump(scene);
        await expectSameReplays(load);
        await expectAllDelivered(scene, load.calls);
        await a.runTow('accounts', 'delete', '--tenant', moved.id, '--name', 'Tenant 1');
        await expectLinkLeadsThere(scene, tracking);
        await expectSignInLeadsThere(scene, person);
      } finally {
        await Promise.all([load.stop(0), other.stop(0)]);
      }
    }));
});

async function withTwoCells(folder: string, work: (scene: Scene) => Promise<void>): Promise<void> {
  const cell = async () => ({ databaseUrl: await createDatabase(), webhooks: 1 });
  await Deployment.run(await cell(), async (a) =>
    Deployment.run(await cell(), async (b) => {
      await Promise.all([a.start(), b.start()]);
      const [moved, stays] = (await a.createTenants(2)) as [DeployedTenant, DeployedTenant];
      const balancer = await startBalancer(a, b);
      const receiver = await StrictReceiver.start();
      const endpoint = receiver.add();
      const store = { db: await a.db(), config: { secretKey: SECRET_KEY } };
      const target = { url: endpoint.url, eventTypes: ['invoice.created'] };
      endpoint.secrets = [(await insertSignedEndpoint(store, moved.id, target)).secret];
      try {
        await work({ a, b, balancer, moved, stays, endpoint, out: join(folder, 'dump') });
      } finally {
        await receiver.stop();
        await balancer.stop();
      }
    }),
  );
}

/** The steps of docs/guides/cells.md. */
async function move({ a, b, balancer, moved, out }: Scene): Promise<void> {
  await a.runTow('accounts', 'freeze', '--tenant', moved.id);
  await a.runTow('accounts', 'dump', '--tenant', moved.id, '--out', out);
  await b.runTow('accounts', 'restore', out);
  const routes = ['accounts', 'routes', '--tenant', moved.id, '--cell', 'cell_b'];
  await balancer.addRoutes((await b.runTow<{ map: string }>(...routes)).map);
  await b.runTow('accounts', 'release', '--tenant', moved.id);
}

function expectAcknowledged(calls: LoadCall[]): void {
  const unfinished = calls.filter(({ outcome }) => outcome !== 'ok');
  expect(unfinished.map(({ outcome, attempts }) => ({ outcome, attempts }))).to.deep.equal([]);
}

/** The queries that list the invoice of each record of one kind. */
const ONE_PER_INVOICE = {
  invoice: 'select id from invoices where tenant_id = $1',
  'line item': 'select invoice_id as id from invoice_line_items where tenant_id = $1',
  'audit entry': `select entity_id as id from audit_entries
                  where tenant_id = $1 and action = 'invoice.created' and outcome = 'ok'`,
  event: `select (body::jsonb #>> '{data,object,id}')::uuid as id from events
          where tenant_id = $1 and type = 'invoice.created'`,
  'stored response': `select (body::jsonb ->> 'id')::uuid as id from idempotency_keys
                      where tenant_id = $1 and body::jsonb ? 'invoice_number'`,
};

async function expectStoredOnce(
  deployment: Deployment,
  { id }: DeployedTenant,
  calls: LoadCall[],
): Promise<void> {
  const db = await deployment.db();
  const acknowledged = calls.map((call) => call.id as string).sort();
  for (const [label, text] of Object.entries(ONE_PER_INVOICE)) {
    const rows = await db.read<{ id: string }>(id, { text, values: [id] });
    expect(rows.map((row) => row.id).sort(), label).to.deep.equal(acknowledged);
  }
}

/** Asserts that the old deployment has written none of the account's records since the dump. */
async function expectUnchangedSinceDump({ a, moved, out }: Scene): Promise<void> {
  const [, ...lines] = (await readFile(join(out, 'manifest.json'), 'utf8')).split('\n');
  const { tables, tenantIds } = JSON.parse(lines.join('\n'));
  const db = await a.db();
  expect(tenantIds[0]).to.equal(moved.id);
  for (const { name, rows } of tables) {
    const [row] = await db.runAndRollBack(tenantIds, (tx) =>
      tx.query<{ count: number }>({
        text: `select count(*)::int as count from ${name} where tenant_id = any ($1::uuid[])`,
        values: [tenantIds],
      }),
    );
    expect(row?.count, name).to.equal(rows);
  }
}

/** Sends the first calls again. The other deployment returns the response of the first one. */
async function expectSameReplays(load: Load): Promise<void> {
  for (const call of load.calls.slice(0, REPLAYED)) {
    const reply = await load.resend(call);
    expect([reply?.status, reply?.body.id], reply?.text).to.deep.equal([201, call.id]);
    if (call.text !== undefined) expect(reply?.text).to.equal(call.text);
  }
}

/** Asserts that the event of each invoice has arrived, signed with the earlier secret. */
async function expectAllDelivered({ endpoint }: Scene, calls: LoadCall[]): Promise<void> {
  await eventually(
    'the event of every invoice',
    () => {
      const arrived = new Set(endpoint.requests.map(({ event }) => event.data.object.id));
      return calls.every(({ id }) => arrived.has(id));
    },
    60_000,
  );
  const invalid = endpoint.problems.filter((problem) => /signature/i.test(problem));
  expect(invalid).to.deep.equal([]);
}

async function createTrackingPath({ balancer, moved }: Scene): Promise<string> {
  const response = await fetch(`${balancer.origin}/v1/work-orders`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${moved.key}`,
      'content-type': 'application/json',
      'idempotency-key': crypto.randomUUID(),
    },
    body: JSON.stringify({ service_type: 'tow' }),
  });
  const text = await response.text();
  expect(response.status, text).to.equal(201);
  return new URL(JSON.parse(text).tracking_url).pathname;
}

/** The balancer asks either deployment first, so it needs several requests to have asked both. */
async function expectLinkLeadsThere({ balancer }: Scene, path: string): Promise<void> {
  for (let nth = 0; nth < 4; nth += 1) expect(await fetchStatus(`${balancer.origin}${path}`)).to.equal(200);
}

interface Person {
  email: string;
  password: string;
}

/** Creates a person who has proved the address, as a link in a mail does. */
async function addPerson(a: Deployment, { id }: DeployedTenant): Promise<Person> {
  const args = ['--tenant', id, '--name', 'Ann', '--email', 'Ann@example.com'];
  const person = await a.runTow<Person>('users', 'create', ...args);
  const prove = { text: 'update users set email_proved_at = now() where tenant_id = $1', values: [id] };
  await (await a.db()).transaction([id], (tx) => tx.query(prove));
  return person;
}

/** Asserts that a person signs in there by e-mail, and that the balancer knows the new session. */
async function expectSignInLeadsThere(
  { balancer, b, moved }: Scene,
  { email, password }: Person,
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-requested-with': 'test' };
  const body = JSON.stringify({ email, password });
  const signIn = await fetch(`${balancer.origin}/v1/session`, { method: 'POST', headers, body });
  expect(signIn.status, await signIn.text()).to.be.oneOf([200, 201]);
  const cookie = (signIn.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const session = await fetch(`${balancer.origin}/v1/session`, { headers: { cookie } });
  expect(session.status, await session.text()).to.equal(200);
  const db = await b.db();
  const sessions = await db.read(moved.id, {
    text: 'select id from sessions where tenant_id = $1',
    values: [moved.id],
  });
  expect(sessions).to.have.length(1);
}
