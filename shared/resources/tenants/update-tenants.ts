import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { mergeRecords, type PlannedMerge } from '../../records/merge-records.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';

const EDITABLE = `time_zone text, tax_rate_bps integer, grace_days integer, terms_days integer, agent_gate_cents bigint, agent_day_cents bigint,
  business_name text, address text, city text, state text, zip text, phone text, email text, remittance_text text,
  mail_subject text, mail_text text, sms_text text, require_factor boolean,
  driver_payments boolean`;

/** Merges changes into the commands' accounts. {@link mergeRecords} describes `plan`. */
export function mergeTenants<Input>(
  tx: Transaction,
  commands: Command<Input>[],
  plan: (command: Command<Input>) => PlannedMerge | CommandOutcome,
): Promise<CommandOutcome[]> {
  return mergeRecords(tx, commands, { table: 'tenants', columns: EDITABLE, plan });
}

/**
 * Sets a new `updated_at` on accounts. Call this function after a change to data of other tables
 * that the settings show, such as the logo.
 */
export async function touchTenants(
  tx: Transaction,
  refs: readonly Pick<RecordRef, 'tenant_id'>[],
): Promise<void> {
  await tx.query({
    name: 'touch-settings',
    text: `update tenants t set updated_at = ${nextUpdatedAtSql('t')} from ${recordsetSql('tenant_id uuid')} where t.tenant_id = r.tenant_id`,
    values: [JSON.stringify(refs)],
  });
}
