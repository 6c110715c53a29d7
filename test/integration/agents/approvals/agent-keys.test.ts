import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { AGENT_SCOPES } from '../../../../shared/contracts/vocabulary.js';
import { newId } from '../../../../shared/platform/ids.js';
import { expectError, listValidationErrors } from '../../../support/expect-error.js';
import { eventually } from '../../../support/poll.js';
import { openSession } from '../../../support/records/sign-in.js';
import { useStack, useTenant } from '../../../support/use-stack.js';

describe('agent keys', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const scopes = ['read_invoices', 'write_invoices_draft'];
  const createAgentKey = async (body: Record<string, unknown> = {}, client = tenant.client) => {
    const response = await client.post('/agent-keys', { name: 'Agent', scopes, ...body });
    expect(response.status, response.text).to.equal(201);
    return response.body as { id: string; key: string } & Record<string, unknown>;
  };
  const getMe = (key: string) => stack.createClient(key).get('/me');
  const getStatus = async (key: string) => (await getMe(key)).status;

  it('POST /agent-keys returns exactly the requested scopes and shows the key once', async () => {
    const made = await createAgentKey();
    const { key, ...record } = made;
    expect(key).to.match(/^tk_agent_(?!test_)[0-9A-Za-z]{49}$/);
    expect(record).to.deep.include({
      kind: 'agent',
      name: 'Agent',
      scopes,
      read_only: false,
      prefix: 'tk_agent_',
      last_four: key.slice(-4),
      expires_at: null,
      revoked_at: null,
    });
    expect(record).to.not.have.any.keys('permissions', 'tier');
    expect((await getMe(key)).body.key).to.deep.include({
      id: made.id,
      kind: 'agent',
      scopes,
      permissions: [],
    });
    const read = await tenant.client.get(`/agent-keys/${made.id}`);
    expect(read.text).to.not.include(key);
    expect(read.body).to.include({ id: made.id, name: 'Agent' });
    const expired = await createAgentKey({ expires_at: new Date(Date.now() - 1000).toISOString() });
    expect(await getStatus(expired.key)).to.equal(401);
  });

  it('an agent key created in the sandbox belongs to the sandbox', async () => {
    const { key } = await createAgentKey({}, tenant.sandbox);
    expect(key).to.match(/^tk_agent_test_/);
    expect((await getMe(key)).body.tenant.id).to.equal(tenant.sandboxId);
    const person = await openSession(stack, { tenantId: tenant.id }, 'sandbox');
    expect((await createAgentKey({}, person)).key).to.match(/^tk_agent_test_/);
  });

  it('a read-only agent key accepts only read scopes', async () => {
    const readScopes = AGENT_SCOPES.filter((scope) => scope.startsWith('read_'));
    const { key } = await createAgentKey({ scopes: readScopes, read_only: true });
    expect((await getMe(key)).body.key).to.deep.include({ scopes: readScopes, read_only: true });
    for (const scope of AGENT_SCOPES.filter((one) => !readScopes.includes(one))) {
      for (const members of [
        { read_only: true, scopes: ['read_audit', scope] },
        { scopes: ['read_audit', scope], read_only: true },
      ]) {
        const response = await tenant.client.post('/agent-keys', { name: 'x', ...members });
        expect(listValidationErrors(response), scope).to.deep.equal(['scopes readOnly']);
      }
    }
  });

  it('POST /agent-keys reports every validation error', async () => {
    const listErrors = async (body: unknown) =>
      listValidationErrors(await tenant.client.post('/agent-keys', body));
    expect(await listErrors({})).to.deep.equal(['name required', 'scopes required']);
    expect(await listErrors({ name: 'x', scopes: [] })).to.deep.equal(['scopes min']);
    expect(await listErrors({ name: 'x', scopes: ['read_audit', 'read_audit'] })).to.deep.equal([
      'scopes[1] unique',
    ]);
    expect(
      await listErrors({ name: 'x', scopes: ['admin'], read_only: 'yes', expires_at: 'never' }),
    ).to.deep.equal(['expires_at dateTime', 'read_only base', 'scopes[0] only']);
  });

  it('rolling an agent key gives the successor the same scopes and ends the old key after the overlap', async () => {
    const old = await createAgentKey({ name: 'Rolling' });
    const rolled = await tenant.client.post(`/agent-keys/${old.id}/roll`, { overlap_hours: 0 });
    expect(rolled.status, rolled.text).to.equal(201);
    expect(rolled.headers.location).to.equal(`/v1/agent-keys/${rolled.body.id}`);
    expect(rolled.body).to.deep.include({ name: 'Rolling', scopes, kind: 'agent' });
    expect(rolled.body.key).to.match(/^tk_agent_/);
    expect(await getStatus(rolled.body.key)).to.equal(200);
    await eventually('the old key ends', async () => (await getStatus(old.key)) === 401, 6000);
    expectError(await tenant.client.post(`/agent-keys/${old.id}/roll`, {}), 409, 'conflict');
  });

  it('a revoked agent key stops working within 2 seconds, and a second DELETE returns the same response', async () => {
    const { id, key } = await createAgentKey();
    expect(await getStatus(key)).to.equal(200);
    const revoked = await tenant.client.delete(`/agent-keys/${id}`);
    expect(revoked.body.revoked_at, revoked.text).to.be.a('string');
    await eventually('401', async () => (await getStatus(key)) === 401, 2000);
    expect((await tenant.client.delete(`/agent-keys/${id}`)).text).to.equal(revoked.text);
  });

  it('agent keys and API keys have separate lists and ids', async () => {
    const owner = await stack.createTenant();
    const agent = await createAgentKey({}, owner.client);
    const api = (await owner.client.post('/api-keys', { name: 'api' })).body as { id: string; key: string };
    const listIds = async (path: string) =>
      (await owner.client.get(path)).body.data.items.map((item: { id: string }) => item.id);
    expect(await listIds('/agent-keys')).to.deep.equal([agent.id]);
    expect(await listIds('/api-keys'))
      .to.include(api.id)
      .and.not.include(agent.id);
    for (const [path, id] of [
      ['/api-keys', agent.id],
      ['/agent-keys', api.id],
    ]) {
      expectError(await owner.client.get(`${path}/${id}`), 404, 'not_found');
      expectError(await owner.client.post(`${path}/${id}/roll`, {}), 404, 'not_found');
      expectError(await owner.client.delete(`${path}/${id}`), 404, 'not_found');
    }
    expect([await getStatus(agent.key), await getStatus(api.key)]).to.deep.equal([200, 200]);
  });

  it('a repeated Idempotency-Key returns the same agent key, a dry run returns none, and no table stores it', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = { name: newId(), scopes };
    const first = await tenant.client.post('/agent-keys', body, { headers });
    const again = await tenant.client.post('/agent-keys', body, { headers });
    expect(again.text).to.equal(first.text);
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    const dry = await tenant.client.post('/agent-keys', body, { headers: { 'x-service-dry-run': 'true' } });
    expect(dry.body.data.key).to.equal(null);
    const rows = await stack.rows<{ text: string }>(
      tenant.id,
      `select row_to_json(a)::text as text from audit_entries a union all select row_to_json(k)::text from idempotency_keys k
       union all select row_to_json(k)::text from api_keys k`,
    );
    for (const { text } of rows) expect(text).to.not.include(first.body.key.slice(9, 40));
    const [entry] = (await tenant.client.get(`/audit-log?entity_id=${first.body.id}`)).body.data.items;
    expect(entry).to.deep.include({ action: 'agent_key.created', entity_type: 'agent_key', outcome: 'ok' });
  });
});
