import { expect } from 'chai';
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
