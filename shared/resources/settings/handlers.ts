import type { Command, Outcome } from '../../contracts/command.js';
import type { SettingsPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { mergeOf, mergeRecords } from '../merge-records.js';
import { lockRecords, missing, refKey, refOf } from '../sets.js';

const EDITABLE = `time_zone text, tax_rate_bps integer, grace_days integer, terms_days integer, agent_gate_cents bigint`;

/** JSON merge of an account's settings. What is invoiced already keeps the rate it was priced with. */
export async function updateSettings(
  tx: Transaction,
  commands: Command<SettingsPatch>[],
): Promise<Outcome[]> {
  const rows = await lockRecords<Row>(tx, 'tenants', commands.map(refOf));
  return mergeRecords(tx, commands, {
    table: 'tenants',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(refOf(command)));
      return row ? mergeOf(row, command.input) : missing('account');
    },
  });
}
