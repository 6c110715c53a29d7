import { expect } from 'chai';
import type { Role } from '../../../shared/contracts/roles.js';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { eventually } from '../../support/poll.js';
import { invoiceInput } from '../../support/records/samples.js';
import { createUser, openSession, TEST_PASSWORD, type TestUser } from '../../support/records/sign-in.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

let serial = 0;

describe('roles of people', () => {
  const stack = useStack();
  let tenant: TestTenant;
  let owner: TestUser;
  let asOwner: TestClient;

  beforeEach(async () => {
    tenant = await stack.createTenant();
    owner = await createUser(stack, tenant.id);
    asOwner = await openSession(stack, owner);
  });

  /** Adds a person with this role. The person can sign in. */
  const add = async (role: Role | undefined, by = asOwner) => {
    serial += 1;
    const email = `role.${serial}@example.com`;
    const response = await by.post('/users', {
      name: 'Rita',
      email,
      password: TEST_PASSWORD,
      ...(role ? { role } : {}),
    });
    expect(response.status, response.text).to.equal(201);
    const user: TestUser = {
      tenantId: tenant.id,
      id: response.body.id,
      name: 'Rita',
      email,
      password: TEST_PASSWORD,
    };
    return { user, record: response.body, client: await openSession(stack, user) };
  };

  it('a role gives exactly its permissions, in /me, in /session and on the routes', async () => {
    const permissions: Record<Role, string[]> = {
      owner: ['read', 'write', 'approve', 'admin'],
      admin: ['read', 'write', 'approve', 'admin'],
      dispatcher: ['read', 'write', 'approve'],
      bookkeeper: ['read', 'write', 'approve'],
      driver: ['read', 'write'],
      viewer: ['read'],
    };
    for (const [role, expected] of Object.entries(permissions) as [Role, string[]][]) {
      const { client } = await add(role);
      expect((await client.get('/me')).body.key.permissions, role).to.deep.equal(expected);
      expect((await client.get('/session')).body.user.role).to.equal(role);
      const mayWrite = expected.includes('write');
      const draft = () => invoiceInput({ billing_email: 'billing@example.com' });
      const created = await client.post('/invoices', draft());
      expect(created.status, role).to.equal(mayWrite ? 201 : 403);
      const id = mayWrite ? created.body.id : (await asOwner.post('/invoices', draft())).body.id;
      const approved = await client.post(`/invoices/${id}/approve`);
      expect(approved.status, role).to.equal(expected.includes('approve') ? 200 : 403);
      expect((await client.get('/users')).status, role).to.equal(expected.includes('admin') ? 200 : 403);
      expect((await client.delete('/session')).status, `${role} signs out`).to.equal(200);
    }
  });

  it('a person who is added without a role becomes an admin', async () => {
    expect((await add(undefined)).record.role).to.equal('admin');
  });

  it('only an owner makes, changes or deactivates owners', async () => {
    const { client: asAdmin } = await add('admin');
    const { record } = await add('viewer');
    const email = 'new.owner@example.com';
    expectError(await asAdmin.post('/users', { name: 'N', email, role: 'owner' }), 403, 'forbidden');
    expectError(await asAdmin.patch(`/users/${record.id}`, { role: 'owner' }), 403, 'forbidden');
    expectError(await asAdmin.patch(`/users/${owner.id}`, { name: 'Renamed' }), 403, 'forbidden');
    expectError(
      await asAdmin.patch(`/users/${owner.id}`, { password: 'a password of the admin' }),
      403,
      'forbidden',
    );
    expectError(await asAdmin.delete(`/users/${owner.id}`), 403, 'forbidden');
    expect((await asAdmin.patch(`/users/${record.id}`, { role: 'dispatcher' })).status).to.equal(200);
    expect((await asOwner.patch(`/users/${record.id}`, { role: 'owner' })).body.role).to.equal('owner');
  });

  it('an account never loses its last owner, also if two owners demote each other at the same time', async () => {
    expectError(await asOwner.patch(`/users/${owner.id}`, { role: 'admin' }), 409, 'conflict');
    await add('admin');
    expectError(await asOwner.delete(`/users/${owner.id}`), 409, 'conflict');
    const { record, client: asSecond } = await add('owner');
    const both = await Promise.all([
      asOwner.patch(`/users/${record.id}`, { role: 'viewer' }),
      asSecond.patch(`/users/${owner.id}`, { role: 'viewer' }),
    ]);
    expect(both.filter(({ status }) => status === 200)).to.have.length(1);
    const { body } = await tenant.client.get('/users?is_active=true');
    expect(body.data.items.filter(({ role }: { role: Role }) => role === 'owner')).to.have.length(1);
  });

  it('a new role counts for open sessions within seconds', async () => {
    const { record, client } = await add('dispatcher');
    expect((await client.post('/invoices', invoiceInput())).status).to.equal(201);
    await asOwner.patch(`/users/${record.id}`, { role: 'viewer' });
    await eventually(
      'the session to have the new role',
      async () => (await client.post('/invoices', invoiceInput())).status === 403,
      5000,
    );
  });

  it('a key with the permission admin manages people, but neither makes nor changes an owner', async () => {
    const { record } = await add('viewer');
    const changed = await tenant.client.patch(`/users/${record.id}`, { role: 'driver' });
    expect([changed.status, changed.body.role]).to.deep.equal([200, 'driver']);
    expectError(await tenant.client.patch(`/users/${record.id}`, { role: 'king' }), 400, 'validation_error');
    // An admin can create such a key. If the key could make owners, the admin could become one.
    const email = 'owner.by.key@example.com';
    expectError(await tenant.client.patch(`/users/${record.id}`, { role: 'owner' }), 403, 'forbidden');
    expectError(await tenant.client.post('/users', { name: 'N', email, role: 'owner' }), 403, 'forbidden');
    expectError(await tenant.client.patch(`/users/${owner.id}`, { email }), 403, 'forbidden');
    expectError(await tenant.client.delete(`/users/${owner.id}`), 403, 'forbidden');
  });

  it('the audit log shows who gave whom which role', async () => {
    const { record } = await add('viewer');
    await asOwner.patch(`/users/${record.id}`, { role: 'driver' });
    const { body } = await tenant.client.get(`/audit-log?entity_type=user&entity_id=${record.id}`);
    const [latest] = body.data.items;
    expect(latest.actor).to.include({ type: 'user', id: owner.id });
    expect(latest.changes).to.deep.include({ field: 'role', from: 'viewer', to: 'driver' });
  });
});
