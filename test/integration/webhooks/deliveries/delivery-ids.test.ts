import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { deliveryIdSql } from '../../../../shared/deliveries/delivery-ids.js';
import { isUuid, newId } from '../../../../shared/platform/ids.js';
import { useStack } from '../../../support/use-stack.js';

const ids = fc.array(fc.uuid({ version: 7 }), { minLength: 2, maxLength: 4 });

const EARLIER = '01900000-0000-7000-8000-000000000000';

/**
 * Computes the expected id: the time of the first id, the version 7, and an MD5 hash of the seeds.
 */
function computeExpectedId([timeId = '', ...seeds]: string[]): string {
  const hash = createHash('md5').update(seeds.join('')).digest('hex');
  const time = timeId.replaceAll('-', '').slice(0, 12);
  const hex = `${time}7${hash.slice(13, 16)}8${hash.slice(17)}`;
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

describe('ids of webhook deliveries', () => {
  const stack = useStack();
  let tenantId: string;

  before(async () => {
    tenantId = (await stack.createTenant()).id;
  });

  /**
   * Computes one id per case in SQL. The first id in a case gives the time, and the others are the
   * seeds.
   */
  const createIds = async (cases: string[][]): Promise<string[]> => {
    const sql = cases.map(([timeId, ...seeds]) => {
      const id = deliveryIdSql(`'${timeId}'::uuid`, ...seeds.map((seed) => `'${seed}'::uuid`));
      return `select ${id}::text as id`;
    });
    const rows = await stack.rows<{ id: string }>(tenantId, sql.join(' union all '));
    return rows.map(({ id }) => id);
  };

  it('the SQL for delivery ids returns the time of the first id and a hash of the seeds', async () => {
    const cases = fc.sample(ids, 200);
    expect(await createIds(cases)).to.deep.equal(cases.map(computeExpectedId));
  });

  it('a delivery id is a UUIDv7 of the given time and differs with each seed and their sequence', async () => {
    const [timeId, a, b] = [newId(), newId(), newId()];
    const [id = '', again, ...others] = await createIds([
      [timeId, a, b],
      [timeId, a, b],
      [timeId, a],
      [timeId, b, a],
      [EARLIER, a, b],
    ]);
    expect(isUuid(id)).to.equal(true);
    expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);
    expect(id.slice(0, 13)).to.equal(timeId.slice(0, 13));
    expect(again).to.equal(id);
    expect(new Set([id, ...others]).size).to.equal(4);
  });
});
