import { expect } from 'chai';
import { useStack } from '../../support/use-stack.js';

describe('yards', () => {
  const stack = useStack();

  it('a yard is created, changed and listed, and no other account sees it', async () => {
    const { client } = await stack.createTenant();
    const created = await client.post('/yards', { name: 'North' });
    expect(created.status, created.text).to.equal(201);
    const path = `/yards/${created.body.id}`;
    const changed = await client.patch(path, { address: '12 Canal Street' });
    expect(changed.body, changed.text).to.include({ name: 'North', address: '12 Canal Street' });
    expect((await client.get('/yards')).body.data.items).to.deep.equal([changed.body]);
    const other = await stack.createTenant();
    expect((await other.client.get(path)).status).to.equal(404);
    expect((await other.client.get('/yards')).body.data.items).to.deep.equal([]);
  });
});
