import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { expectError } from '../../support/expect-error.js';
import { insertNotice } from '../../support/records/notices.js';
import { createUser } from '../../support/records/sign-in.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { EndpointHealth } from '../../support/webhooks/endpoint-health.js';

describe('notices', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const listIds = async (query: string): Promise<string[]> => {
    const response = await tenant.client.get(`/notices${query}`);
    return response.body.data.items.map(({ id }: { id: string }) => id);
  };

  it('GET /notices lists notices newest first, in pages, and filters them by kind and unread', async () => {
    const [old, middle, fresh] = [
      await insertNotice(stack, tenant.id),
      await insertNotice(stack, tenant.id, { kind: 'delivery_exhausted' }),
      await insertNotice(stack, tenant.id),
    ];
    expect(await listIds('')).to.deep.equal([fresh, middle, old]);
    expect(await listIds('?kind=delivery_exhausted')).to.deep.equal([middle]);
    const page = (await tenant.client.get('/notices?limit=2')).body.data;
    expect(await listIds(`?limit=2&cursor=${page.cursor}`)).to.deep.equal([old]);
    const { body: read } = await tenant.client.post(`/notices/${middle}/read`, {});
    expect(read.read_at).to.be.a('string');
    expect(await listIds('?unread=true')).to.deep.equal([fresh, old]);
    expect(await listIds('?unread=false')).to.deep.equal([middle]);
    expect((await tenant.client.get(`/notices/${middle}`)).body).to.deep.equal(read);
  });

  it('POST /notices/{id}/read changes nothing the second time, and the audit log names the key of each request', async () => {
    const id = await insertNotice(stack, tenant.id);
    const other = stack.createClient(await stack.createKey(tenant.id, { permissions: ['write'] }));
    const dryRun = await tenant.client.post(
      `/notices/${id}/read`,
      {},
      { headers: { 'X-Service-Dry-Run': 'true' } },
    );
    expect(dryRun.body.data.read_at).to.be.a('string');
    const first = (await other.post(`/notices/${id}/read`, {})).body;
    expect((await tenant.client.post(`/notices/${id}/read`, {})).body).to.deep.equal(first);
    const log = await tenant.client.get(`/audit-log?entity_type=notice&entity_id=${id}`);
    const entries = log.body.data.items.filter(({ outcome }: { outcome: string }) => outcome === 'ok');
    expect(entries.map(({ action }: { action: string }) => action)).to.deep.equal(
      Array(2).fill('notice.acknowledged'),
    );
    const ids = entries.map(({ actor }: { actor: { id: string } }) => actor.id);
    expect(ids[0]).to.not.equal(ids[1]);
    expect(entries[1].changes).to.have.length(1);
    expect(entries[0].changes).to.deep.equal([]);
    expectError(await tenant.client.post(`/notices/${newId()}/read`, {}), 404, 'not_found');
  });

  it('a notice about a failing endpoint names that endpoint, and without a mail server no mail is stored', async () => {
    await createUser(stack, tenant.id);
    for (const tenantId of [tenant.id, tenant.sandboxId]) {
      const health = new EndpointHealth(stack, tenantId);
      const endpoint = await health.createEndpoint();
      await health.setFailing(endpoint, 25);
      await health.runCommands(endpoint);
      const client = tenantId === tenant.id ? tenant.client : tenant.sandbox;
      const [notice] = (await client.get('/notices?unread=true&limit=1')).body.data.items;
      expect(notice).to.include({
        kind: 'endpoint_failing',
        entity_type: 'webhook_endpoint',
        mailed_at: null,
      });
      expect(notice.entity_id).to.equal(endpoint);
      expect(await stack.rows(tenantId, 'select * from notice_mails')).to.deep.equal([]);
    }
  });
});
