import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { addTotp, createPersonWithFactor } from '../../support/factors/authenticator-app.js';
import { eventually } from '../../support/poll.js';
import { createSessionClient, createUser, openSession } from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { connectionAccess } from '../../support/vendors/connection-rows.js';
import { TEST_VENDORS } from '../../support/vendors/texting.js';

const newKey = { name: 'Program', permissions: ['read'] };

describe('asking again for a second factor', () => {
  const stack = useStack({ vendors: TEST_VENDORS });
  let tenant: TestTenant;

  beforeEach(async () => {
    tenant = await stack.createTenant();
  });

  /** Moves the last proof of a factor eleven minutes into the past, so that it has expired. */
  const forgetProof = (tenantId: string) =>
    stack.rows(
      tenantId,
      `update sessions set factor_proved_at = factor_proved_at - interval '11 minutes' where tenant_id = $1`,
      [tenantId],
    );

  it('a session of a person with a factor changes keys, people, factors and require_factor only within ten minutes of a proof', async () => {
    const { client, id, user } = await createPersonWithFactor(stack, tenant.id);
    const key = (await client.post('/api-keys', newKey)).body;
    const agent = (await client.post('/agent-keys', { name: 'Agent', scopes: ['read_invoices'] })).body;
    expect([key.id, agent.id]).to.satisfy((ids: unknown[]) => ids.every(Boolean));
    await forgetProof(tenant.id);
    const refused = [
      await client.post('/api-keys', newKey),
      await client.post(`/api-keys/${key.id}/roll`, { overlap_hours: 1 }),
      await client.delete(`/api-keys/${key.id}`),
      await client.post('/agent-keys', { name: 'Agent', scopes: ['read_invoices'] }),
      await client.post(`/agent-keys/${agent.id}/roll`, { overlap_hours: 1 }),
      await client.delete(`/agent-keys/${agent.id}`),
      await client.post('/users', { name: 'Ann', email: 'ann@example.com' }),
      await client.patch(`/users/${user.id}`, { name: 'Ann' }),
      await client.delete(`/users/${user.id}`),
      await client.post('/me/factors', { kind: 'totp', name: 'Other phone' }),
      await client.post('/me/factors/recovery-codes'),
      await client.delete(`/me/factors/${id}`),
      await client.patch('/settings', { require_factor: true }),
    ];
    for (const response of refused) expectError(response, 403, 'factor_required');
    expect((await client.patch('/settings', { grace_days: 3 })).status).to.equal(200);
    expect((await client.post('/customers', { company_name: 'Club' })).status).to.equal(201);
  });

  it('connecting a vendor, its credentials and a new sign-in, which decide where payouts go, need a proof of the last ten minutes', async () => {
    const { client } = await createPersonWithFactor(stack, tenant.id);
    const body = { vendor: 'parrot_keys', ...connectionAccess('secret-of-the-account', true) };
    const created = await client.post('/connections', body);
    expect(created.status, created.text).to.equal(201);
    const path = `/connections/${created.body.id}`;
    await forgetProof(tenant.id);
    const refused = [
      await client.post('/connections', body),
      await client.patch(path, { credentials: { api_key: 'of another company' } }),
      await client.post(`${path}/reconnect`, {}),
    ];
    for (const response of refused) expectError(response, 403, 'factor_required');
    const renamed = await client.patch(path, { label: 'Texts' });
    expect(renamed.status, renamed.text).to.equal(200);
  });

  it('POST /session/confirm with an unused code lets the session change keys and people again', async () => {
    const { client, app } = await createPersonWithFactor(stack, tenant.id);
    await forgetProof(tenant.id);
    expectError(await client.post('/api-keys', newKey), 403, 'factor_required');
    const code = app.takeCode();
    const confirmed = await client.post('/session/confirm', { code });
    expect(confirmed.status, confirmed.text).to.equal(200);
    expect((await client.post('/api-keys', newKey)).status).to.equal(201);
    await forgetProof(tenant.id);
    expect(listValidationErrors(await client.post('/session/confirm', { code }))).to.deep.equal([
      'code wrong',
    ]);
    expectError(await client.post('/api-keys', newKey), 403, 'factor_required');
  });

  it('a second factor that is proved in one session counts in no other session of the person', async () => {
    const { client, user } = await createPersonWithFactor(stack, tenant.id);
    const other = await openSession(stack, user);
    expectError(await other.post('/api-keys', newKey), 403, 'factor_required');
    expect((await client.post('/api-keys', newKey)).status).to.equal(201);
  });

  it('POST /session/confirm answers 429 after too many wrong codes in a session', async () => {
    const { client, app } = await createPersonWithFactor(stack, tenant.id);
    const guess = () => client.post('/session/confirm', { code: app.inventCode() });
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries += 1) statuses.push((await guess()).status);
    expect(statuses[0]).to.equal(400);
    expect(statuses[5]).to.equal(429);
  });

  it('people without a second factor, and keys, change keys and people without a proof', async () => {
    const person = await openSession(stack, { tenantId: tenant.id });
    expect((await person.post('/api-keys', newKey)).status).to.equal(201);
    await createPersonWithFactor(stack, tenant.id);
    expect((await tenant.client.post('/api-keys', newKey)).status).to.equal(201);
  });

  it('GET /session/challenge names the second factors that can answer it', async () => {
    const { client } = await createPersonWithFactor(stack, tenant.id);
    const { body } = await client.get('/session/challenge');
    expect(body).to.deep.include({ kinds: ['totp', 'recovery_codes'], passkey: null });
    expectError(await tenant.client.get('/session/challenge'), 403, 'forbidden');
  });
});

describe('an account that requires a second factor', () => {
  const stack = useStack();
  let tenant: TestTenant;
  let owner: TestClient;
  let ownFactorId: string;

  beforeEach(async () => {
    tenant = await stack.createTenant();
    ({ client: owner, id: ownFactorId } = await createPersonWithFactor(stack, tenant.id));
  });

  const require = async () => {
    const response = await owner.patch('/settings', { require_factor: true });
    expect(response.status, response.text).to.equal(200);
    expect(response.body.require_factor).to.equal(true);
  };

  it('only a signed-in person who has a factor changes require_factor, and only in the live account', async () => {
    const without = await openSession(stack, { tenantId: tenant.id });
    for (const client of [without, tenant.client, tenant.sandbox])
      expectError(await client.patch('/settings', { require_factor: true }), 403, 'forbidden');
    await require();
    expectError(await tenant.client.patch('/settings', { require_factor: false }), 403, 'forbidden');
    const { body } = await tenant.client.get('/settings');
    const same = await tenant.client.patch('/settings', { ...body, grace_days: 4 });
    expect(same.body, same.text).to.include({ grace_days: 4, require_factor: true });
    expect((await owner.patch('/settings', { require_factor: false })).body.require_factor).to.equal(false);
  });

  it('in an account that requires second factors, a person without one reaches only /session, /me/sessions and /me/factors', async () => {
    const person = await openSession(stack, { tenantId: tenant.id });
    await require();
    await eventually('the requirement counts', async () => (await person.get('/me')).status === 403, 6000);
    for (const path of ['/me', '/customers', '/settings', '/users', '/stream', '/audit-log'])
      expectError(await person.get(path), 403, 'factor_setup_required');
    expectError(await person.post('/customers', { company_name: 'Club' }), 403, 'factor_setup_required');
    expectError(await person.patch('/settings', { require_factor: false }), 403, 'factor_setup_required');
    expect((await person.get('/session')).body.is_factor_setup_required).to.equal(true);
    expect((await person.get('/me/sessions')).status).to.equal(200);
    expect((await person.get('/me/factors')).status).to.equal(200);
  });

  it('an account that requires second factors closes its sandbox too to a person without one', async () => {
    await require();
    const user = await createUser(stack, tenant.id);
    const { cookie } = (await openSession(stack, user)).defaultHeaders;
    const inSandbox = createSessionClient(stack.origin, cookie as string, 'sandbox');
    expectError(await inSandbox.get('/customers'), 403, 'factor_setup_required');
  });

  it('in an account that requires second factors, confirming a factor opens all routes at once', async () => {
    await require();
    const person = await openSession(stack, { tenantId: tenant.id });
    expectError(await person.get('/customers'), 403, 'factor_setup_required');
    await addTotp(person);
    expect((await person.get('/customers')).status).to.equal(200);
    expect((await person.delete('/session')).status).to.equal(200);
  });

  it('in an account that requires second factors, keys still work, and nobody removes their own last factor', async () => {
    await require();
    expect((await tenant.client.get('/customers')).status).to.equal(200);
    expectError(await owner.delete(`/me/factors/${ownFactorId}`), 409, 'conflict');
    await addTotp(owner);
    expect((await owner.delete(`/me/factors/${ownFactorId}`)).status).to.equal(200);
  });
});
