import type { Change, Command, Outcome } from '../../contracts/command.js';
import type { SettingsPatch } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { changesOf } from '../changes.js';
import { lockRecords, missing, nextUpdatedAt, recordset, refKey, refOf } from '../sets.js';

const EDITABLE = `time_zone text, tax_rate_bps integer, grace_days integer, terms_days integer, agent_gate_cents bigint`;
const NAMES = EDITABLE.split(',').map((column) => column.trim().split(' ')[0] as string);

interface Plan {
  command: Command<SettingsPatch>;
  row: Row;
  changes: Change[];
}

/** JSON merge of an account's settings. What is invoiced already keeps the rate it was priced with. */
export async function updateSettings(
  tx: Transaction,
  commands: Command<SettingsPatch>[],
): Promise<Outcome[]> {
  const rows = await lockRecords<Row>(tx, 'tenants', commands.map(refOf));
  const plans = commands.map((command): Plan | Outcome => {
    const row = rows.get(refKey(refOf(command)));
    return row
      ? { command, row, changes: changesOf(row, command.input as Record<string, unknown>) }
      : missing('account');
  });
  const changed = plans.filter((plan): plan is Plan => 'row' in plan && plan.changes.length > 0);
  if (changed.length > 0) {
    await tx.query({
      name: 'update-settings',
      text: `update tenants t set ${NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAt('t')}
             from ${recordset(`tenant_id uuid, ${EDITABLE}`)} where t.tenant_id = r.tenant_id`,
      values: [JSON.stringify(changed.map(({ row, command }) => ({ ...row, ...command.input })))],
    });
  }
  return plans.map((plan) => ('row' in plan ? { ok: true, changes: plan.changes, events: [] } : plan));
}
