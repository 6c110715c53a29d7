import { expect } from 'chai';
import fc from 'fast-check';
import { deliveryId, deliveryIdSql } from '../../shared/events/delivery-ids.js';
import { isUuid, newId } from '../../shared/platform/ids.js';
import { TestStack } from '../support/stack.js';

const ids = fc.array(fc.uuid({ version: 7 }), { minLength: 2, maxLength: 4 });

const EARLIER = '01900000-0000-7000-8000-000000000000';

describe('ids of deliveries', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start();
  });
  after(() => stack.stop());

  it('are the same whether PostgreSQL or a worker makes them', async () => {
    const cases = fc.sample(ids, 200);
    const tenant = await stack.createTenant();
    const sql = cases.map(
      ([timeId, ...seeds]) =>
        `select ${deliveryIdSql(`'${timeId}'::uuid`, ...seeds.map((seed) => `'${seed}'::uuid`))}::text as id`,
    );
    const rows = await stack.rows<{ id: string }>(tenant.id, sql.join(' union all '));
    expect(rows.map((row) => row.id)).to.deep.equal(
      cases.map(([timeId, ...seeds]) => deliveryId(timeId as string, ...seeds)),
    );
  });

  it('are UUIDv7 of the given time, and differ with each seed and with their order', () => {
    const [timeId, a, b] = [newId(), newId(), newId()];
    const id = deliveryId(timeId, a, b);
    expect(isUuid(id)).to.equal(true);
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
    expect(id.slice(0, 13)).to.equal(timeId.slice(0, 13));
    expect(deliveryId(timeId, a, b)).to.equal(id);
    expect(
      new Set([id, deliveryId(timeId, a), deliveryId(timeId, b, a), deliveryId(EARLIER, a, b)]).size,
    ).to.equal(4);
  });
});
