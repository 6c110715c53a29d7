import { newId } from '../../../shared/platform/ids.js';
import { diffNewRecord } from '../../../shared/records/changes.js';
import { deriveTimedDemoId } from './random.js';

/** A row of `audit_entries` whose actor is the system. */
export type DemoAuditEntry = ReturnType<typeof createAuditEntry>;

const BY_SYSTEM = { actor_type: 'system', actor_name: 'tow', outcome: 'ok', source: 'job' };

interface StoredRecord {
  tenant_id: string;
  id: string;
  created_at: string;
}

/** Makes an audit entry `<type>.created` for every record, at the record's creation time. */
export function makeAuditEntries(records: Record<string, readonly StoredRecord[]>) {
  return Object.entries(records).flatMap(([entity_type, rows]) =>
    rows.map(({ tenant_id, id, created_at }) => ({
      ...BY_SYSTEM,
      tenant_id,
      id: deriveTimedDemoId(`${id}/created`, created_at),
      occurred_at: created_at,
      action: `${entity_type}.created`,
      entity_type,
      entity_id: id,
      changes: null,
    })),
  );
}

/**
 * Makes an audit entry at the current time.
 * @param facts the new values, without secrets
 */
export function createAuditEntry(
  entity: { tenant_id: string; entity_type: string; entity_id: string },
  action: string,
  facts: Record<string, unknown> = {},
) {
  const changes = diffNewRecord(facts);
  return {
    ...BY_SYSTEM,
    ...entity,
    action,
    id: newId(),
    occurred_at: new Date().toISOString(),
    changes: changes.length > 0 ? changes : null,
  };
}
