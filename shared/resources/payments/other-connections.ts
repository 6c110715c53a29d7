import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import type { PaymentReport } from './commands.js';

/**
 * Finds the reports about payments that another connection to the same vendor has already
 * recorded. After an account connects the vendor again, the new connection reports these payments
 * too.
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
           join payments p on p.tenant_id = c.tenant_id and p.connection_id = c.id and p.provider_payment_id = r.provider_payment_id
           union
           select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid, invoice_id uuid, provider text, provider_payment_id text, is_booked boolean')}
           join payments p on p.tenant_id = r.tenant_id and p.invoice_id = r.invoice_id and p.provider = r.provider
             and p.provider_payment_id = r.provider_payment_id where r.is_booked`,
    values: [
      JSON.stringify(
        commands.map((command) => ({
          ...toRecordRef(command),
          connection_id: command.actor.id,
          provider_payment_id: command.input.provider_payment_id,
          invoice_id: command.input.invoice_id,
          provider: command.actor.name,
          is_booked: command.input.is_booked ?? false,
        })),
      ),
    ],
  });
  return new Set(rows.map(refKey));
}
