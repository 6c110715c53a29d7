import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import type { PaymentReport } from './commands.js';

/**
 * Finds the reports about payments that another connection to the same vendor has recorded. An
 * account that connects the vendor again sees the payments of its earlier connection.
 * @returns the keys of the reported records ({@link refKey})
 */
export async function findRecordedElsewhere(
  tx: Transaction,
  commands: readonly Command<PaymentReport>[],
): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-payments-of-other-connections',
    text: `select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid, connection_id uuid, provider_payment_id text')}
           join connections me on me.tenant_id = r.tenant_id and me.id = r.connection_id
           join connections c on c.tenant_id = me.tenant_id and c.vendor = me.vendor and c.id <> me.id
           join payments p on p.tenant_id = c.tenant_id and p.connection_id = c.id and p.provider_payment_id = r.provider_payment_id`,
    values: [
      JSON.stringify(
        commands.map((command) => ({
          ...toRecordRef(command),
          connection_id: command.actor.id,
          provider_payment_id: command.input.provider_payment_id,
        })),
      ),
    ],
  });
  return new Set(rows.map(refKey));
}
