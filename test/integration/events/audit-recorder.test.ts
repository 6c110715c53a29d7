import { expect } from 'chai';
import { AccountFrozenError } from '../../../shared/platform/frozen/frozen-accounts.js';
import { newId } from '../../../shared/platform/ids.js';
import type { AuditRecord } from '../../../shared/resources/audit-log/insert.js';
import { AuditRecorder, MAX_WAITING_ENTRIES } from '../../../shared/resources/audit-log/recorder.js';
import { useStack } from '../../support/use-stack.js';

describe('the audit recorder', () => {
  const stack = useStack({ worker: false });

  const createRecord = (tenantId: string, overrides: Partial<AuditRecord> = {}): AuditRecord => ({
    tenantId,
    id: newId(),
    action: 'invoice.read',
    entityType: 'invoice',
    entityId: null,
    outcome: 'ok',
    source: 'mcp',
    tool: 'get_invoice',
    changes: null,
    error: null,
    responseStatus: 200,
    requestId: 'r',
    idempotencyKey: null,
    ip: null,
    userAgent: null,
    actor: { type: 'agent', id: newId(), name: 'a' },
    ...overrides,
  });

  it('the audit recorder refuses an entry that PostgreSQL does not accept, and stores the others of its batch', async () => {
    const recorder = new AuditRecorder(stack.runtime.db);
    const [one, two] = [await stack.createTenant(), await stack.createTenant()];
    const records = Array.from({ length: 40 }, (_, index) =>
      createRecord(index % 2 ? one.id : two.id, index === 7 ? { tool: '\ud83d' } : {}),
    );
    const outcomes = await Promise.allSettled(records.map((record) => recorder.record(record)));
    const refused = outcomes.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
    expect(refused).to.deep.equal([7]);
    const found = await stack.rows(
      one.id,
      "select id from audit_entries where tenant_id = $1 and request_id = 'r'",
      [one.id],
    );
    expect(found).to.have.length(19);
  });

  it('the audit recorder refuses the entries of a frozen account, and stores the others of its batch in one more run', async () => {
    const [frozen, other] = [await stack.createTenant(), await stack.createTenant()];
    const { db } = stack.runtime;
    const freeze = { text: 'insert into frozen_accounts (tenant_id) values ($1)', values: [frozen.id] };
    await db.transaction([frozen.id], (tx) => tx.query(freeze), { mayWriteFrozen: true });
    let runs = 0;
    const counting = Object.assign(Object.create(db), {
      transaction: (...args: Parameters<typeof db.transaction>) => {
        runs += 1;
        return db.transaction(...args);
      },
    });
    const recorder = new AuditRecorder(counting);
    const records = Array.from({ length: 40 }, (_, index) => createRecord(index % 2 ? frozen.id : other.id));
    const outcomes = await Promise.allSettled(records.map((record) => recorder.record(record)));
    const errors = outcomes.map((outcome) => (outcome.status === 'rejected' ? outcome.reason : undefined));
    expect(errors.filter((_, index) => index % 2 === 0)).to.deep.equal(Array(20).fill(undefined));
    for (const error of errors.filter((_, index) => index % 2))
      expect(error).to.be.instanceOf(AccountFrozenError);
    expect(runs).to.equal(2);
  });

  it('the audit recorder refuses a second entry with the same id', async () => {
    const recorder = new AuditRecorder(stack.runtime.db);
    const { id } = await stack.createTenant();
    const record = createRecord(id);
    await recorder.record(record);
    const again = await recorder.record({ ...record, outcome: 'denied' }).catch((error: unknown) => error);
    expect(again).to.include({ code: 'service_unavailable' });
  });

  it('the audit recorder refuses entries while its queue is full, and accepts them again afterwards', async () => {
    const recorder = new AuditRecorder(stack.runtime.db);
    const { id } = await stack.createTenant();
    const recorded = Promise.all(
      Array.from({ length: MAX_WAITING_ENTRIES }, () => recorder.record(createRecord(id))),
    );
    const refused = await recorder.record(createRecord(id)).catch((error: unknown) => error);
    expect(refused).to.include({ code: 'service_unavailable' });
    await recorded;
    await recorder.record(createRecord(id));
  });
});
