import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { TestClient } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { createUser, signIn, type TestUser } from '../../support/records/sign-in.js';
import { useStack, useTenant } from '../../support/use-stack.js';

interface Entry {
  id: string;
  occurred_at: string;
  actor: { type: string; id: string | null; name: string | null };
  action: string;
  entity_type: string;
  entity_id: string;
  outcome: string;
  changes: { field: string; from: unknown; to: unknown }[];
}

describe('GET /audit-log', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let user: TestUser;
  let person: TestClient;
  let keyId: string;
  const customers: string[] = [];
  /** All audit entries of the account, newest first. */
  let entries: Entry[];

  before(async () => {
    user = await createUser(stack, tenant.id, { name: 'Dana' });
    keyId = (await tenant.client.get('/me')).body.key.id;
    person = await signIn(stack, user);
    for (let nth = 0; nth < 4; nth += 1) {
      const client = nth % 2 === 0 ? person : tenant.client;
      customers.push((await client.post('/customers', { company_name: `C${nth}` })).body.id);
    }
    await person.patch(`/customers/${customers[1]}`, { city: 'Hudson' });
    await tenant.client.patch(`/customers/${newId()}`, { city: 'Nowhere' });
    await tenant.client.post(
      '/customers',
      { company_name: 'Dry' },
      { headers: { 'x-service-dry-run': 'true' } },
    );
    entries = await listEntries('');
  });

  const listEntries = async (query: string, client = tenant.client): Promise<Entry[]> => {
    const response = await client.get(`/audit-log${query}`);
    expect(response.status, response.text).to.equal(200);
    return response.body.data.items;
  };
  const listIds = (items: Entry[]) => items.map(({ id }) => id);
  const idsWhere = (keep: (entry: Entry) => boolean) => listIds(entries.filter(keep));

  it('GET /audit-log lists actor, action, record and changes, newest first', async () => {
    // The log has one entry for the sign-up, one for the sign-in and seven for writes.
    expect(entries).to.have.length(9);
    expect(listIds(entries)).to.deep.equal(listIds(entries).sort().reverse());
    const [failed, changed] = entries.filter(({ action }) => action === 'customer.updated') as [Entry, Entry];
    expect(failed).to.deep.include({ outcome: 'failed', changes: [] });
    expect(changed).to.deep.include({
      actor: { type: 'user', id: user.id, name: 'Dana' },
      entity_type: 'customer',
      entity_id: customers[1],
      outcome: 'ok',
      source: 'dashboard',
      changes: [{ field: 'city', from: null, to: 'Hudson' }],
    });
    expect((await tenant.client.get(`/audit-log/${changed.id}`)).body).to.deep.equal(changed);
  });

  it('GET /audit-log filters by record, actor, actor type, action and outcome, alone and combined', async () => {
    const [, second] = customers;
    const cases: [string, (entry: Entry) => boolean][] = [
      ['entity_type=customer', (entry) => entry.entity_type === 'customer'],
      [`entity_id=${second}`, (entry) => entry.entity_id === second],
      [`entity_type=customer&entity_id=${second?.toUpperCase()}`, (entry) => entry.entity_id === second],
      [`actor=${user.id}`, (entry) => entry.actor.id === user.id],
      [`actor=${keyId}`, (entry) => entry.actor.id === keyId],
      ['actor=user', (entry) => entry.actor.type === 'user'],
      ['actor=system', (entry) => entry.actor.type === 'system'],
      ['action=session.created', (entry) => entry.action === 'session.created'],
      ['outcome=failed', (entry) => entry.outcome === 'failed'],
      ['outcome=dry_run', (entry) => entry.outcome === 'dry_run'],
      [
        `actor=${user.id}&action=customer.created&outcome=ok`,
        (entry) => entry.actor.id === user.id && entry.action === 'customer.created',
      ],
    ];
    for (const [query, keep] of cases) {
      expect(idsWhere(keep), query).to.have.length.within(1, 8);
      expect(listIds(await listEntries(`?${query}`)), query).to.deep.equal(idsWhere(keep));
    }
    expect(await listEntries('?entity_type=invoice')).to.deep.equal([]);
    expect(await listEntries(`?actor=${newId()}`)).to.deep.equal([]);
  });

  it('GET /audit-log includes entries at since and excludes those at until, also after a late commit with an old id', async () => {
    for (const { occurred_at } of entries) {
      expect(listIds(await listEntries(`?since=${occurred_at}`))).to.deep.equal(
        idsWhere((one) => one.occurred_at >= occurred_at),
      );
      expect(listIds(await listEntries(`?until=${occurred_at}`))).to.deep.equal(
        idsWhere((one) => one.occurred_at < occurred_at),
      );
    }
    expect(await listEntries('?since=2099-01-01')).to.deep.equal([]);
    expect(await listEntries('?until=2020-01-01')).to.deep.equal([]);
    const { id: late } = await stack.createTenant();
    const client = stack.createClient(await stack.createKey(late));
    const text = `insert into audit_entries (tenant_id, id, occurred_at, actor_type, action, outcome, source)
      values ($1, '0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e', to_timestamp(1730570550.460) + interval '2 days', 'system', 'x.created', 'ok', 'job')`;
    await stack.rows(late, text, [late]);
    const from = new Date(1_730_570_550_460 + 24 * 3600 * 1000).toISOString();
    expect(await listEntries(`?since=${from}&until=2025-01-01`, client)).to.have.length(1);
  });

  it('GET /audit-log pages have no duplicates and no gaps while entries are added', async () => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const { body } = await tenant.client.get(`/audit-log?limit=2${cursor && `&cursor=${cursor}`}`);
      seen.push(...listIds(body.data.items));
      cursor = body.data.cursor;
      await tenant.client.post('/customers', { company_name: 'Meanwhile' });
    } while (cursor);
    expect(seen.slice(-entries.length)).to.deep.equal(listIds(entries));
    expect(new Set(seen).size).to.equal(seen.length);
  });

  it('GET /audit-log refuses invalid parameters and more than 100 entries a page', async () => {
    const query = 'entity_id=x&actor=robot&outcome=maybe&since=yesterday&limit=101';
    expect(listValidationErrors(await tenant.client.get(`/audit-log?${query}`))).to.deep.equal([
      'actor pattern',
      'entity_id guid',
      'limit max',
      'outcome only',
      'since dateTime',
    ]);
  });

  it('GET /audit-log is for API keys with admin, agents with read_audit and people, and no method writes to it', async () => {
    const reader = stack.createClient(
      await stack.createKey(tenant.id, { permissions: ['read', 'write', 'approve'] }),
    );
    expectError(await reader.get('/audit-log'), 403, 'insufficient_scope');
    const agent = stack.createClient(
      await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_audit'] }),
    );
    expect(listIds(await listEntries('?limit=1', agent))).to.deep.equal(
      listIds(await listEntries('?limit=1', person)),
    );
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE'])
      expect((await tenant.client.send(method, `/audit-log/${entries[0]?.id}`)).status, method).to.equal(405);
  });

  it("GET /audit-log shows nothing of another account or of the account's sandbox", async () => {
    const other = await stack.createTenant('Other');
    for (const [client, owner] of [
      [other.client, other.id],
      [tenant.sandbox, tenant.sandboxId],
    ] as const) {
      const { id } = (await client.post('/customers', { company_name: 'Theirs' })).body;
      const [theirs] = await listEntries(`?entity_id=${id}`, client);
      expect(theirs?.entity_id).to.equal(id);
      expectError(await tenant.client.get(`/audit-log/${theirs?.id}`), 404, 'not_found');
      expect(await listEntries(`?entity_id=${id}`)).to.deep.equal([]);
      expect(await listEntries(`?actor=${theirs?.actor.id}`)).to.deep.equal([]);
      const mine = (await tenant.client.get('/audit-log?limit=100')).text;
      for (const secret of [id, owner, theirs?.actor.id as string]) expect(mine).to.not.include(secret);
      const { cursor } = (await client.get('/audit-log?limit=1')).body.data;
      expectError(await tenant.client.get(`/audit-log?limit=1&cursor=${cursor}`), 400, 'invalid_cursor');
    }
    // An audit entry belongs to the account that sent the request, even if the record belongs to
    // another account.
    const { id } = (await other.client.post('/customers', { company_name: 'Foreign' })).body;
    expectError(await tenant.client.patch(`/customers/${id}`, {}), 404, 'not_found');
    const [own] = await listEntries(`?entity_id=${id}`);
    expect(own).to.deep.include({ outcome: 'failed', changes: [] });
    expect(await listEntries(`?entity_id=${id}`, other.client)).to.have.length(1);
  });

  it('GET /audit-log filters by several outcomes, and by the X-Request-Id of one request', async () => {
    const all = await listEntries('?limit=100');
    const others = all.filter(({ outcome }) => outcome !== 'dry_run');
    expect(others).to.have.length(all.length - 1);
    expect(await listEntries('?limit=100&outcome=ok,denied,failed,held')).to.deep.equal(others);
    expect(listValidationErrors(await tenant.client.get('/audit-log?outcome=ok,lost'))).to.deep.equal([
      'outcome only',
    ]);
    const headers = { 'x-request-id': 'ticket-4711' };
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'Asked' }, { headers });
    const [entry, ...more] = await listEntries('?request_id=ticket-4711');
    expect(entry).to.include({ action: 'customer.created', entity_id: customer.id });
    expect(more).to.deep.equal([]);
    expect(await listEntries('?request_id=ticket-4712')).to.deep.equal([]);
  });
});
