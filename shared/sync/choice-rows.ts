import type { Transaction } from '../platform/postgres/database.js';

/** Replaces the stored entries that an account can choose in the settings of a connection. */
export function storeChoices(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  choices: Readonly<Record<string, readonly object[]>>,
): void {
  tx.queryAtCommit({
    name: 'store-choices',
    text: `insert into connection_choices as t (tenant_id, connection_id, subject, choices)
           select $1, $2, c.subject, c.choices from jsonb_each($3::jsonb) as c(subject, choices)
           on conflict (tenant_id, connection_id, subject) do update set choices = excluded.choices, read_at = now()`,
    values: [tenantId, connectionId, JSON.stringify(choices)],
  });
}
