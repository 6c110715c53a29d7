import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { storeOperation } from '../../shared/resources/operations/store.js';
import { TABLES } from '../../shared/resources/tables.js';
import { makeCanaryRecords } from '../support/canary-records.js';
import type { Answer, CallOptions, TestClient } from '../support/client.js';
import { commandOf } from '../support/commands.js';
import { idPlaces, kindAt, setAt } from '../support/id-places.js';
import { recordReadyFor } from '../support/lifecycle-records.js';
import { makeNotice } from '../support/notices.js';
import {
  credentialOf,
  type DocumentedOperation,
  documentedOperations,
  type Json,
} from '../support/openapi-walk.js';
import { redPng } from '../support/pictures.js';
import { invoiceInput } from '../support/samples.js';
import { signIn } from '../support/sign-in.js';
import { TestStack } from '../support/stack.js';
import { makeSuggestion } from '../support/suggestions.js';
import { makeWebhookRecords } from '../support/webhook-rows.js';

// A stream does not end; stream.test.ts shows that it tells nothing of another tenant.
const operations = documentedOperations().filter(
  (one) =>
    one.path !== '/stream' &&
    // Signing in takes no credential; session.test.ts shows that it opens no other account.
    one.name !== 'POST /session' &&
    // An account's own log names what it asked for, be it a stranger's id; audit-log.test.ts shows that nothing of a stranger is in it.
    !one.path.startsWith('/audit-log'),
);

/** One tenant with a record of each kind, every text of which holds its canary. */
interface Account {
  name: string;
  tenantId: string;
  client: TestClient;
  canary: string;
  /** Ids by kind of record. */
  ids: Record<string, string>;
  /** What the records looked like when they were made, by path. */
  shown: Map<string, string>;
}

/** The kind of record behind the id of a path. */
function kindOf(path: string): string {
  const found = Object.entries(TABLES).find(([, { collection }]) => path.startsWith(`${collection}/`));
  if (found) return found[0];
  if (path.startsWith('/operations/')) return 'operation';
  if (path.startsWith('/webhook-endpoints/')) return 'endpoint';
  if (path.startsWith('/attempts/')) return 'attempt';
  throw new Error(
    `the crawl does not know what the id in ${path} is: tell it here, and let fillAccount make one`,
  );
}

/** The kind of record that a list holds. */
const listedKind = (path: string) => kindOf(`/${path.split('/').at(-1)}/`);

const withId = (path: string, id: string) => path.replace('{id}', id);

const queryIds = ({ parameters }: DocumentedOperation) =>
  parameters
    .filter((one) => one.in === 'query' && (one.schema as Json).format === 'uuid')
    .map((one) => String(one.name));
const takesCursor = ({ parameters }: DocumentedOperation) => parameters.some((one) => one.name === 'cursor');
const isWrite = ({ method }: DocumentedOperation) => method !== 'GET';

/** A body that is no JSON. */
const LOGO: CallOptions = { raw: redPng(), headers: { 'content-type': 'image/png' } };

/** What a caller can tell two answers apart by. */
function visible({ status, body, text, headers }: Answer): Json {
  const { requestId: _own, ...error } = (body?.error ?? {}) as Json;
  const told = ['location', 'x-idempotency-replay', 'content-type', 'allow', 'retry-after'].map(
    (name) => headers[name] ?? null,
  );
  return { status, told, body: body?.error ? { ...body, error } : text };
}

describe('no tenant can tell that another exists', () => {
  let stack: TestStack;
  let intruder: Account;
  /** Somebody of the intruder's who signed in, for what no key may do. */
  let person: TestClient;
  /** Another company, and the intruder's own sandbox twin. */
  let victims: Account[];
  const covered = new Set<string>();

  before(async () => {
    stack = await TestStack.start();
    const [alpha, beta] = [await stack.createTenant('Alpha'), await stack.createTenant('Beta')];
    intruder = await fillAccount('alpha', alpha.id, alpha.client);
    person = await signIn(stack, { tenantId: alpha.id });
    victims = [
      await fillAccount('beta', beta.id, beta.client),
      await fillAccount('alpha sandbox', alpha.sandboxId, alpha.sandbox),
    ];
  });
  after(() => stack.stop());

  async function fillAccount(name: string, tenantId: string, client: TestClient): Promise<Account> {
    const canary = `canary-${name.replace(' ', '-')}-${newId().slice(-12)}`;
    const ids = await makeCanaryRecords(client, { canary, isLive: !name.includes('sandbox') });
    for (const _round of [1, 2])
      ids.suggestion = await makeSuggestion(stack, tenantId, { entity_id: newId(), title: canary });
    for (const _round of [1, 2]) ids.notice = await makeNotice(stack, tenantId, { title: canary });
    ids.event = (await client.get('/events?limit=1')).body.data.items[0].id;
    const webhooks = { stack, tenantId };
    for (const _round of [1, 2])
      Object.assign(ids, await makeWebhookRecords(webhooks, { eventId: ids.event as string, canary }));
    const command = commandOf('customer.create', tenantId, { company_name: canary });
    await storeOperation(stack.runtime.db, command, 3600);
    expect((await client.call('PUT', '/settings/logo', LOGO)).status).to.equal(200);
    const account: Account = {
      name,
      tenantId,
      client,
      canary,
      ids: { ...ids, operation: command.id },
      shown: new Map(),
    };
    for (const { path } of operations.filter((one) => one.method === 'GET' && one.path.includes('{id}'))) {
      // It tells until when it is, which is now.
      if (path.endsWith('/statement')) continue;
      const kind = kindOf(path);
      if (!account.ids[kind]) continue;
      const own = withId(path, account.ids[kind]);
      account.shown.set(own, (await client.get(own)).text);
    }
    return account;
  }

  /** The intruder's key, or its person where it takes one; who signs out is nobody that others still need. */
  async function callerOf(operation: DocumentedOperation): Promise<TestClient> {
    if (credentialOf(operation) === 'key') return intruder.client;
    return operation.name === 'DELETE /session' ? signIn(stack, intruder) : person;
  }

  /** A call as the intruder: whatever it answers, it may show nothing of a victim. */
  async function call(
    operation: DocumentedOperation,
    path: string,
    options: CallOptions = {},
  ): Promise<Answer> {
    covered.add(operation.name);
    const caller = await callerOf(operation);
    const answer = await caller.call(operation.method, path, options);
    for (const victim of victims) {
      const secrets = [victim.canary, victim.tenantId, ...Object.values(victim.ids)];
      for (const secret of secrets)
        expect(answer.text, `${operation.method} ${path} shows ${victim.name}`).to.not.include(secret);
    }
    return answer;
  }

  /** The example of the document, with ids of the intruder's own records. */
  function ownBody(body: NonNullable<DocumentedOperation['body']>): unknown {
    return idPlaces(body.schema).reduce<unknown>((value, place) => {
      const kind = kindAt(place);
      const id = intruder.ids[kind];
      if (!id) throw new Error(`the crawl knows no ${kind} for ${place.join('.')}: let fillAccount make one`);
      return setAt(value, place, id);
    }, body.example);
  }

  /** A list's path; of a record's own list, with the record that has something to list. */
  function ownPath({ path }: DocumentedOperation, { ids } = intruder): string {
    return withId(path, ids[path.startsWith('/invoices') ? 'paid_invoice' : 'webhook_delivery'] as string);
  }

  function bodyOf({ body, path, name }: DocumentedOperation): CallOptions {
    if (name === 'PUT /settings/logo') return LOGO;
    if (!body) return {};
    const own = ownBody(body) as Json;
    if (!path.startsWith('/users')) return { body: own };
    // To make the hash of a password takes half a second, and only a person may set one.
    const { password: _password, ...rest } = own;
    return { body: rest };
  }

  for (const operation of operations.filter(({ path }) => path.includes('{id}'))) {
    it(`${operation.name}: the id of another tenant's record is like one that does not exist`, async () => {
      const { path } = operation;
      const dryRun = { headers: { 'X-Service-Dry-Run': 'true' } };
      for (const options of [
        bodyOf(operation),
        ...(isWrite(operation) ? [{ ...bodyOf(operation), ...dryRun }] : []),
      ]) {
        const unknown = visible(await call(operation, withId(path, newId()), options));
        expect(unknown.status).to.equal(404);
        for (const victim of victims) {
          for (const [kind, id] of Object.entries(victim.ids)) {
            const answer = await call(operation, withId(path, id), options);
            expect(visible(answer), `${kind} of ${victim.name}`).to.deep.equal(unknown);
          }
        }
      }
    });
  }

  for (const operation of operations.filter(({ body }) => body && idPlaces(body.schema).length > 0)) {
    it(`${operation.name}: another tenant's id in the body is like one that does not exist`, async () => {
      const { body, path } = operation as DocumentedOperation & {
        body: NonNullable<DocumentedOperation['body']>;
      };
      const own = path.includes('{id}') ? withId(path, intruder.ids[kindOf(path)] as string) : path;
      for (const place of idPlaces(body.schema)) {
        const send = (id: string) => call(operation, own, { body: setAt(ownBody(body), place, id) });
        const unknown = visible(await send(newId()));
        expect(unknown.status, place.join('.')).to.equal(400);
        for (const victim of victims) {
          for (const [kind, id] of Object.entries(victim.ids)) {
            expect(visible(await send(id)), `${place.join('.')} of ${kind} of ${victim.name}`).to.deep.equal(
              unknown,
            );
          }
        }
      }
    });
  }

  for (const operation of operations.filter((one) => queryIds(one).length > 0)) {
    it(`${operation.name}: another tenant's id in the query finds what an unknown one finds: nothing`, async () => {
      for (const name of queryIds(operation)) {
        const unknown = await call(operation, `${operation.path}?${name}=${newId()}`);
        expect(unknown.body.data).to.deep.equal({ items: [], cursor: null, count: 0 });
        for (const id of victims.flatMap((victim) => Object.values(victim.ids))) {
          expect(visible(await call(operation, `${operation.path}?${name}=${id}`)), name).to.deep.equal(
            visible(unknown),
          );
        }
      }
    });
  }

  for (const operation of operations.filter(takesCursor)) {
    it(`${operation.name}: lists its own records only, and finds no other by their text`, async () => {
      const { parameters } = operation;
      const path = ownPath(operation);
      const page = await call(operation, `${path}?limit=200`);
      expect(page.text, 'a list without its own records proves nothing').to.include(intruder.canary);
      const shown = page.body.data.items.map((item: { id: string }) => item.id);
      expect(shown).to.include(intruder.ids[listedKind(operation.path)]);
      if (!parameters.some((one) => one.name === 'search')) return;
      for (const victim of victims) {
        const found = await call(operation, `${path}?search=${victim.canary}`);
        expect(found.body.data.count).to.equal(0);
        const theirs = await victim.client.get(`${path}?search=${intruder.canary}`);
        expect(theirs.body.data.count).to.equal(0);
      }
    });

    it(`${operation.name}: refuses the cursor of another tenant like a broken one`, async () => {
      const pathOf = (client: TestClient) => {
        const account = [intruder, ...victims].find((one) => one.client === client) as Account;
        return ownPath(operation, account);
      };
      const cursorOf = async (client: TestClient) =>
        (await client.get(`${pathOf(client)}?limit=1`)).body.data.cursor as string;
      const own = await cursorOf(intruder.client);
      expect((await call(operation, `${ownPath(operation)}?limit=1&cursor=${own}`)).status).to.equal(200);
      const broken = visible(
        await call(operation, `${ownPath(operation)}?limit=1&cursor=${own.slice(0, -2)}xx`),
      );
      expect(broken.status).to.equal(400);
      for (const victim of victims.filter((one) => one.ids[listedKind(operation.path)])) {
        const foreign = await call(
          operation,
          `${ownPath(operation)}?limit=1&cursor=${await cursorOf(victim.client)}`,
        );
        expect(visible(foreign), victim.name).to.deep.equal(broken);
      }
    });
  }

  for (const operation of operations.filter(({ path }) => path.includes('{token}'))) {
    // What a link of one's own opens, and a tampered one does not, is in export-download.test.ts.
    it(`${operation.name}: opens nothing without a link`, async () => {
      const path = operation.path.replace('{token}', 'A'.repeat(140));
      expect((await call(operation, path)).status).to.equal(404);
    });
  }

  for (const operation of operations.filter(({ path }) => !/\{(id|token)\}/.test(path))) {
    it(`${operation.name}: answers, and shows nothing of another tenant`, async () => {
      const path = operation.path.replace('{type}', 'invoice.created');
      const answer = await call(operation, path, bodyOf(operation));
      expect(answer.status, answer.text).to.be.oneOf([200, 201, 202]);
    });
  }

  for (const operation of operations.filter(({ path }) => path.includes('{id}'))) {
    it(`${operation.name}: works with an id of its own, or the crawl would prove nothing`, async () => {
      const kind = kindOf(operation.path);
      const ready =
        kind === 'suggestion'
          ? await makeSuggestion(stack, intruder.tenantId, { entity_id: newId() })
          : await recordReadyFor(operation.name, intruder.client);
      const id = ready ?? (intruder.ids[kind] as string);
      // The hash of the example is of no approval.
      const options = operation.name === 'POST /approvals/{id}/approve' ? {} : bodyOf(operation);
      const answer = await call(operation, withId(operation.path, id), options);
      // No key may reopen a job: its refusal is what a key gets of its own record.
      const isRefused = operation.name === 'POST /work-orders/{id}/reopen' && answer.status === 409;
      expect(answer.status, answer.text).to.be.oneOf(isRefused ? [409] : [200, 201]);
    });
  }

  it('takes the same Idempotency-Key from each tenant for a key of its own', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const body = invoiceInput();
    const made = new Set<string>();
    for (const { client } of [intruder, ...victims]) {
      const first = await client.post('/invoices', body, { headers });
      expect(first.status, first.text).to.equal(201);
      expect(first.headers['x-idempotency-replay']).to.equal(undefined);
      const again = await client.post('/invoices', body, { headers });
      expect(again.headers['x-idempotency-replay']).to.equal('true');
      expect(again.text).to.equal(first.text);
      made.add(first.body.id);
    }
    expect(made.size).to.equal(1 + victims.length);
  });

  it('left every record of the others as it was, and nothing in their audit logs', async () => {
    for (const victim of victims) {
      for (const [path, text] of victim.shown)
        expect((await victim.client.get(path)).text, path).to.equal(text);
      const [entries] = await stack.rows<{ count: number }>(
        victim.tenantId,
        `select count(*)::int as count from audit_entries where actor_id is not null and actor_id not in (select id from api_keys)`,
      );
      expect(entries?.count, `${victim.name}: entries by a stranger`).to.equal(0);
    }
  });

  it('covered every route of the document', () => {
    expect(operations.map(({ name }) => name).filter((name) => !covered.has(name))).to.deep.equal([]);
  });
});
