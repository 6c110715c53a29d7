import type { Command, Outcome } from '../../contracts/command.js';
import type { SettingsPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { moveToTimeZone } from '../export-schedules/schedule-rows.js';
import { mergeOf, mergeRecords } from '../merge-records.js';
import { lockRecords, missing, refKey, refOf } from '../sets.js';

const EDITABLE = `time_zone text, tax_rate_bps integer, grace_days integer, terms_days integer, agent_gate_cents bigint, agent_day_cents bigint`;

/** JSON merge of an account's settings. What is invoiced already keeps the rate it was priced with; what is scheduled goes by the new time zone. */
export async function updateSettings(
  tx: Transaction,
  commands: Command<SettingsPatch>[],
): Promise<Outcome[]> {
  const rows = await lockRecords<Row>(tx, 'tenants', commands.map(refOf));
  const outcomes = await mergeRecords(tx, commands, {
    table: 'tenants',
    columns: EDITABLE,
    plan: (command) => {
      const row = rows.get(refKey(refOf(command)));
      return row ? mergeOf(row, command.input) : missing('account');
    },
  });
  const moved = commands.filter((_, index) => {
    const outcome = outcomes[index];
    return outcome?.ok && outcome.changes.some(({ field }) => field === 'time_zone');
  });
  await moveToTimeZone(
    tx,
    moved.map(({ tenantId }) => tenantId),
  );
  return outcomes;
}
