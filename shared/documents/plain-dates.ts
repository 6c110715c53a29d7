import type { Command } from '../contracts/command.js';
import { isSupportedDate } from '../contracts/schemas/fields.js';
import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from '../records/record-refs.js';

interface DateMembers {
  due_date?: string | null;
  service_date?: string | null;
}

const MEMBERS = ['due_date', 'service_date'] as const;

/**
 * Replaces a plain date such as `2026-11-21` by the start of that day: midnight in the account's
 * time zone. The filters `since` and `until` follow the same rule, so a filter for a day finds the
 * invoices due on that day.
 */
export async function replacePlainDates<Input extends DateMembers>(
  tx: Transaction,
  commands: Command<Input>[],
): Promise<Command<Input>[]> {
  const days = commands.flatMap(({ tenantId, input }) =>
    MEMBERS.flatMap((member) =>
      isSupportedDate(input[member]) ? [{ tenant_id: tenantId, day: input[member] }] : [],
    ),
  );
  if (days.length === 0) return commands;
  const rows = await tx.query<{ tenant_id: string; day: string; at: string }>({
    name: 'midnights-of-days',
    text: `select distinct r.tenant_id, r.day,
             to_char(r.day::date::timestamp at time zone t.time_zone at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at
           from ${recordsetSql('tenant_id uuid, day text')} join tenants t on t.tenant_id = r.tenant_id`,
    values: [JSON.stringify(days)],
  });
  const midnights = new Map(rows.map(({ tenant_id, day, at }) => [`${tenant_id}/${day}`, at]));
  return commands.map((command) => {
    const replaced = MEMBERS.flatMap((member) => {
      const at = midnights.get(`${command.tenantId}/${command.input[member]}`);
      return at === undefined ? [] : [[member, at]];
    });
    return replaced.length === 0
      ? command
      : { ...command, input: { ...command.input, ...Object.fromEntries(replaced) } };
  });
}
