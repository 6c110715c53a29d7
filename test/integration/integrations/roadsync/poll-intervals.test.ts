import { expect } from 'chai';
import { openIntegrationsQueue, wakeConnectionQueues } from '../../../../shared/queues/integrations.js';
import { eventually } from '../../../support/poll.js';
import { type ClubAccount, useClubStack } from '../../../support/vendors/clubs/billing-partner.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Seconds since the submission, and the seconds after which a claim of that age is read again. */
const INTERVALS = [
  [10 * MINUTE, 5 * MINUTE],
  [HOUR, 5 * MINUTE],
  [6 * HOUR, 30 * MINUTE],
  [DAY, 2 * HOUR],
  [3 * DAY, 6 * HOUR],
  [30 * DAY, 6 * HOUR],
  [179 * DAY, 6 * HOUR],
] as const;

/** More than the time that the test needs between two queries. */
const MARGIN = 60;

describe('how often claims are read at RoadSync', () => {
  requireContracts();
  const clubs = useClubStack();
  let account: ClubAccount;
  let claimId: string;

  before(async () => {
    account = await clubs.createAccount({});
    claimId = (await account.releaseSent()).claim.id;
    await account.poll();
  });

  /** Sets the age of the claim and of its last read, in seconds, as if the time had passed. */
  async function setAges(submitted: number, compared: number): Promise<void> {
    const { stack, tenant } = account;
    const ago = "now() - $3 * interval '1 second'";
    const text = `update claims set submitted_at = ${ago} where tenant_id = $1 and id = $2`;
    await stack.rows(tenant.id, text, [tenant.id, claimId, submitted]);
    const read = `update external_ids set compared_at = ${ago} where tenant_id = $1 and local_id = $2`;
    await stack.rows(tenant.id, read, [tenant.id, claimId, compared]);
  }

  /** Lets the worker read what is due, and returns the number of reads of the claim. */
  async function countReads(): Promise<number> {
    const { stack, tenant, connectionId } = account;
    const count = () => clubs.double.listCalls('GET /v1/invoice/{id}', account.company).length;
    const before = count();
    const values = [tenant.id, connectionId];
    const where = "where tenant_id = $1 and connection_id = $2 and stream = 'claims'";
    await stack.rows(tenant.id, `update sync_states set next_at = now() ${where}`, values);
    const queue = openIntegrationsQueue(stack.runtime);
    await wakeConnectionQueues(queue, [{ tenantId: tenant.id, connectionId }]);
    await eventually('the stream has been read', async () => {
      const text = `select from sync_states ${where} and next_at > now()`;
      return (await stack.rows(tenant.id, text, values)).length > 0;
    });
    return count() - before;
  }

  for (const [age, interval] of INTERVALS)
    it(`a claim of ${age / MINUTE} minutes is read after ${interval / MINUTE} minutes, and not before`, async () => {
      await setAges(age, interval - MARGIN);
      expect(await countReads(), 'before the interval').to.equal(0);
      await setAges(age, interval + MARGIN);
      expect(await countReads(), 'after the interval').to.equal(1);
      expect(await countReads(), 'once it is read').to.equal(0);
    });

  it('a claim of more than 180 days is not read any more', async () => {
    await setAges(181 * DAY, 30 * DAY);
    expect(await countReads()).to.equal(0);
  });
});
