import { expect } from 'chai';
import type { OwnSession } from '../../../shared/contracts/generated.js';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import {
  createSessionClient,
  createUser,
  openSession,
  readCookie,
  requestSession,
} from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { PROXIED_STACK, useStack } from '../../support/use-stack.js';

const listSessions = async (client: TestClient): Promise<OwnSession[]> =>
  (await client.get('/me/sessions')).body.data.items;
const getStatus = async (client: TestClient) => (await client.get('/session')).status;

describe('the sessions of a person', () => {
  const stack = useStack();
  let tenant: TestTenant;

  before(async () => {
    tenant = await stack.createTenant();
  });

  it("GET /me/sessions lists the person's own live sessions and marks the current one", async () => {
    const user = await createUser(stack, tenant.id);
    const [first, second] = [await openSession(stack, user), await openSession(stack, user)];
    const ended = await openSession(stack, user);
    await openSession(stack, { tenantId: tenant.id });
    await ended.delete('/session');
    const sessions = await listSessions(second);
    expect(sessions.map(({ is_current: isCurrent }) => isCurrent)).to.deep.equal([true, false]);
    const { id } = (await first.get('/session')).body;
    expect(sessions[1]).to.include({ id, user_agent: null, network: null });
    expect(Object.keys(sessions[1] as OwnSession)).to.have.members([
      ...['id', 'user_agent', 'network', 'created_at', 'last_used_at'],
      ...['idle_expires_at', 'expires_at', 'is_current'],
    ]);
  });

  it('GET /me/sessions omits sessions that were idle for too long', async () => {
    const user = await createUser(stack, tenant.id);
    const [current, idle] = [await openSession(stack, user), await openSession(stack, user)];
    const { id } = (await idle.get('/session')).body;
    await stack.rows(
      tenant.id,
      `update sessions set idle_expires_at = now() - interval '1 second' where tenant_id = $1 and id = $2`,
      [tenant.id, id],
    );
    expect(await listSessions(current)).to.have.length(1);
  });

  it('DELETE /me/sessions/{id} ends that session at once and no other', async () => {
    const user = await createUser(stack, tenant.id);
    const [kept, lost] = [await openSession(stack, user), await openSession(stack, user)];
    const { id } = (await lost.get('/session')).body;
    const response = await kept.delete(`/me/sessions/${id}`);
    expect(response.status, response.text).to.equal(200);
    expect(response.body.ended_at).to.be.a('string');
    await eventually('the session has ended', async () => (await getStatus(lost)) === 401, 5000);
    expect(await getStatus(kept)).to.equal(200);
  });

  it('DELETE /me/sessions ends all other sessions of the person, and keeps this one', async () => {
    const user = await createUser(stack, tenant.id);
    const current = await openSession(stack, user);
    const others = [await openSession(stack, user), await openSession(stack, user)];
    const colleague = await openSession(stack, { tenantId: tenant.id });
    for (const other of others) expect(await getStatus(other)).to.equal(200);
    const response = await current.delete('/me/sessions');
    expect(response.status, response.text).to.equal(200);
    expect(response.body.ended_at).to.equal(null);
    for (const other of others)
      await eventually('the other session has ended', async () => (await getStatus(other)) === 401, 5000);
    expect([await getStatus(current), await getStatus(colleague)]).to.deep.equal([200, 200]);
    expect(await listSessions(current)).to.have.length(1);
  });

  it("nobody ends another person's session, in the same account or in another", async () => {
    const victim = await openSession(stack, { tenantId: tenant.id });
    const { id } = (await victim.get('/session')).body;
    const other = await stack.createTenant();
    for (const tenantId of [tenant.id, other.id]) {
      const attacker = await openSession(stack, { tenantId });
      expectError(await attacker.delete(`/me/sessions/${id}`), 404, 'not_found');
    }
    expect(await getStatus(victim)).to.equal(200);
  });

  it('keys have no sessions', async () => {
    expectError(await tenant.client.get('/me/sessions'), 403, 'forbidden');
    expectError(await tenant.client.delete('/me/sessions'), 403, 'forbidden');
  });

  it('a person lists and ends sessions while the sandbox is selected', async () => {
    const user = await createUser(stack, tenant.id);
    const other = await openSession(stack, user);
    const { cookie } = (await openSession(stack, user)).defaultHeaders;
    const inSandbox = createSessionClient(stack.origin, cookie as string, 'sandbox');
    expect(await listSessions(inSandbox)).to.have.length(2);
    expect((await inSandbox.delete('/me/sessions')).status).to.equal(200);
    await eventually('the other session has ended', async () => (await getStatus(other)) === 401, 5000);
  });
});

describe('what a session shows of its sign-in', () => {
  const stack = useStack(PROXIED_STACK);

  it('a session shows the browser and only the first 24 bits of the address', async () => {
    const user = await createUser(stack, (await stack.createTenant()).id);
    const response = await requestSession(
      stack.origin,
      { email: user.email, password: user.password },
      { 'user-agent': 'Mozilla/5.0 Test', 'x-forwarded-for': '198.51.100.77' },
    );
    const [session] = await listSessions(createSessionClient(stack.origin, readCookie(response)));
    expect(session).to.include({ user_agent: 'Mozilla/5.0 Test', network: '198.51.100.0/24' });
  });
});
