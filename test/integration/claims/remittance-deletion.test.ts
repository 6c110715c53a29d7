import { expect } from 'chai';
import type { Json, TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { createClaimAfter } from '../../support/records/lifecycle-records.js';
import { remittanceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('DELETE /remittances/{id}', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Mistaken');
  let client: TestClient;

  before(async () => {
    ({ client } = tenant);
  });

  const create = async (body: Record<string, unknown>): Promise<Json> => {
    const response = await client.post('/remittances', body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const listLines = async ({ id }: Json): Promise<Json[]> =>
    (await client.get(`/remittance-lines?remittance_id=${id}`)).body.data.items;
  const listIds = async (): Promise<string[]> =>
    (await client.get('/remittances')).body.data.items.map(({ id }: Json) => id);

  it('deletes a wrong import with its lines, and the same reference can be imported again and again', async () => {
    const body = remittanceInput({ reference: 'EFT D-1' });
    const kept = await create(remittanceInput({ reference: 'EFT D-2' }));
    for (let round = 0; round < 2; round += 1) {
      const wrong = await create(body);
      expectError(await client.post('/remittances', body), 409, 'conflict');
      const [line] = await listLines(wrong);
      await client.patch(`/remittance-lines/${line?.id}`, { ignored_reason: 'A wrong list' });
      const deleted = await client.delete(`/remittances/${wrong.id}`);
      expect(deleted.status, deleted.text).to.equal(200);
      expect(deleted.body).to.include({ id: wrong.id, reference: 'EFT D-1' });
      expect(await listIds()).to.deep.equal([kept.id]);
      expect(await listLines(wrong)).to.deep.equal([]);
      for (const path of [`/remittances/${wrong.id}`, `/remittance-lines/${line?.id}`])
        expectError(await client.get(path), 404, 'not_found');
      expectError(
        await client.patch(`/remittance-lines/${line?.id}`, { ignored_reason: null }),
        404,
        'not_found',
      );
      expectError(await client.post(`/remittances/${wrong.id}/apply`, {}), 404, 'not_found');
      expectError(await client.delete(`/remittances/${wrong.id}`), 404, 'not_found');
      const { items } = (await client.get(`/audit-log?entity_id=${wrong.id}&action=remittance.deleted`)).body
        .data;
      const done = items.filter(({ outcome }: Json) => outcome === 'ok');
      expect(done.map(({ changes }: Json) => changes)).to.deep.equal([
        [{ field: 'deleted_at', from: null, to: 'now' }],
      ]);
    }
    expect(await listLines(kept)).to.have.length(1);
    expect((await create(body)).status).to.equal('matched');
  });

  it('refuses a remittance that has recorded a payment, and keeps its lines', async () => {
    const claim = await createClaimAfter(client, ['submit'], { invoice: { po_number: 'DPO-1' } });
    const lines = [
      { po_number: 'DPO-1', amount_cents: 10_000 },
      { po_number: 'DPO-2', amount_cents: 100 },
    ];
    const remittance = await create(remittanceInput({ reference: 'EFT D-3', total_cents: 10_100, lines }));
    await client.post(`/remittances/${remittance.id}/apply`, {});
    const refused = await client.delete(`/remittances/${remittance.id}`);
    expectError(refused, 409, 'conflict');
    expect(refused.text).to.contain('One line of the remittance EFT D-3 recorded payments already');
    expect(await listLines(remittance)).to.have.length(2);
    expect((await client.get(`/claims/${claim.id}`)).body).to.include({ status: 'paid' });
  });

  it('of a deletion and an application at the same time, only one happens', async () => {
    await createClaimAfter(client, ['submit'], { invoice: { po_number: 'DPO-3' } });
    const lines = [{ po_number: 'DPO-3', amount_cents: 10_000 }];
    const { id } = await create(remittanceInput({ reference: 'EFT D-4', total_cents: 10_000, lines }));
    const both = await Promise.all([
      client.delete(`/remittances/${id}`),
      client.post(`/remittances/${id}/apply`, {}),
    ]);
    expect(both.map(({ status }) => status).sort()).to.be.deep.oneOf([
      [200, 404],
      [200, 409],
    ]);
    const isDeleted = both[0].status === 200;
    expect((await client.get(`/remittances/${id}`)).status).to.equal(isDeleted ? 404 : 200);
  });

  it('a worker of the previous release still refuses a reference that was imported already', async () => {
    const remittance = await create(remittanceInput({ payer: 'Club', reference: 'EFT D-5' }));
    const insert = `insert into remittances (tenant_id, id, payer, reference, paid_on, total_cents, status, lines_cents, applied_cents,
        line_count, ready_count, open_count, applied_count, ignored_count)
      select tenant_id, gen_random_uuid(), upper(payer), reference, paid_on, 1, status, 0, 0, 0, 0, 0, 0, 0 from remittances
      where tenant_id = $1 and id = $2 on conflict (tenant_id, identity) do nothing returning id`;
    expect(await stack.rows(tenant.id, insert, [tenant.id, remittance.id])).to.deep.equal([]);
    await client.delete(`/remittances/${remittance.id}`);
    expect(await stack.rows(tenant.id, insert, [tenant.id, remittance.id])).to.have.length(1);
  });
});
