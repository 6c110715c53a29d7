import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { forgetVersions } from '../../sync/external-ids.js';
import { readLater } from '../../sync/notice-rows.js';
import { insertOperations } from '../../sync/operation-rows.js';
import { BOOKED_PAYMENT_KIND, INVOICE_KIND } from './kinds.js';
import { toOperation } from './store.js';

/** A record whose difference a person wants to try again. */
export interface DifferingRecord {
  tenant_id: string;
  connection_id: string;
  kind: string;
  id: string | null;
  external_id: string;
}

const STREAMS: Readonly<Record<string, string>> = {
  [INVOICE_KIND]: 'invoices',
  [BOOKED_PAYMENT_KIND]: 'booked_payments',
};

/**
 * Writes our side of records in the books again. What was made in the books is never written from
 * here: it is only read and compared again.
 */
export async function bookAgain(tx: Transaction, records: readonly DifferingRecord[]): Promise<void> {
  if (records.length === 0) return;
  const own = await findOwn(tx, records);
  const isOwn = ({ id }: DifferingRecord) => id !== null && own.has(id);
  await insertOperations(
    tx,
    records.flatMap(({ id, kind, ...ref }) =>
      id !== null && own.has(id) ? [toOperation({ ...ref, id }, kind)] : [],
    ),
  );
  for (const record of records.filter((one) => !isOwn(one))) {
    const { tenant_id, connection_id, kind, external_id } = record;
    const connection = { tenantId: tenant_id, connectionId: connection_id };
    await forgetVersions(tx, connection, { kind, externalIds: [external_id] });
    const hints = [external_id.split('/')[0] as string];
    await readLater(tx, connection, { stream: STREAMS[kind] as string, hints, inMs: 0 });
  }
}

/** Finds the invoices, and the payments that were not made in the books. */
async function findOwn(tx: Transaction, records: readonly DifferingRecord[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-own-records-of-books',
    text: `select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, connection_id uuid, kind text, id uuid')}
           join connections c on c.tenant_id = r.tenant_id and c.id = r.connection_id
           where case r.kind
             when '${INVOICE_KIND}' then exists (select from invoices i where i.tenant_id = r.tenant_id and i.id = r.id)
             else exists (select from payments p where p.tenant_id = r.tenant_id and p.id = r.id
               and p.provider is distinct from c.vendor) end`,
    values: [JSON.stringify(records)],
  });
  return new Set(rows.map(({ id }) => id));
}
