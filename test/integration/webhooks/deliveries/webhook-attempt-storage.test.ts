import { expect } from 'chai';
import { type AttemptRecord, storeAttempts } from '../../../../shared/deliveries/store-attempts.js';
import { newId } from '../../../../shared/platform/ids.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import { insertSignedEndpoint } from '../../../support/webhooks/webhooks.js';

const FAILED = {
  status: 'failed',
  errorClass: 'timeout',
  retryInMs: 300_000,
  stop: null,
  pauseMs: 0,
} as const;
const SUCCEEDED = { status: 'succeeded', errorClass: null, retryInMs: null, stop: null, pauseMs: 0 } as const;

describe('storing webhook attempts', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let endpointId: string;

  before(async () => {
    ({ id: endpointId } = await insertSignedEndpoint(stack.runtime, tenant.id, {
      url: 'http://127.0.0.1:9/',
    }));
  });

  async function insertDelivery(): Promise<string> {
    const id = newId();
    await stack.rows(
      tenant.id,
      `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type) values ($1, $2, $3, $2, 'invoice.created')`,
      [tenant.id, id, endpointId],
    );
    return id;
  }

  function createRecord(
    deliveryId: string,
    number: number,
    decision: AttemptRecord['decision'],
  ): AttemptRecord {
    const attempt = {
      id: newId(),
      startedAt: new Date(),
      url: 'http://127.0.0.1:9/',
      requestHeaders: {},
      status: decision.status === 'succeeded' ? 200 : undefined,
      responseHeaders: null,
      responseBody: null,
      isTruncated: false,
      errorClass: decision.errorClass ?? undefined,
      errorMessage: null,
      remoteAddress: null,
      connectMs: null,
      firstByteMs: null,
      totalMs: 1,
    };
    return { tenantId: tenant.id, endpointId, deliveryId, number, attempt, decision };
  }

  async function readDelivery(id: string) {
    const [row] = await stack.rows(
      tenant.id,
      `select status, attempts, last_error, next_attempt_at, completed_at from webhook_deliveries where id = $1`,
      [id],
    );
    return row;
  }

  async function countLoggedAttempts(id: string): Promise<number> {
    return (await stack.rows(tenant.id, 'select id from webhook_attempts where delivery_id = $1', [id]))
      .length;
  }

  const store = (...records: AttemptRecord[]) => storeAttempts(stack.runtime.db, records, []);

  it('storing a webhook attempt again after a commit with unknown outcome changes nothing', async () => {
    const id = await insertDelivery();
    const first = createRecord(id, 1, FAILED);
    await store(first);
    const stored = await readDelivery(id);
    await store(first);
    expect(await readDelivery(id)).to.deep.equal(stored);
    expect(await countLoggedAttempts(id)).to.equal(1);
  });

  it('a webhook delivery keeps the outcome that another worker has stored, and the log has both attempts', async () => {
    for (const decision of [SUCCEEDED, { ...FAILED, errorClass: 'http_500' }]) {
      const id = await insertDelivery();
      await store(createRecord(id, 1, decision));
      const stored = await readDelivery(id);
      await store(createRecord(id, 1, FAILED));
      expect(await readDelivery(id)).to.deep.equal(stored);
      expect(await countLoggedAttempts(id)).to.equal(2);
    }
  });

  it('a late success makes a webhook delivery succeeded, because the receiver has the event', async () => {
    const id = await insertDelivery();
    await store(createRecord(id, 1, FAILED));
    await store(createRecord(id, 2, FAILED));
    await store(createRecord(id, 1, SUCCEEDED));
    const { status, attempts, next_attempt_at, last_error } = (await readDelivery(id)) ?? {};
    expect([status, attempts, next_attempt_at, last_error]).to.deep.equal(['succeeded', 2, null, null]);
  });
});
