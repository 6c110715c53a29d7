import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { recordsetSql } from '../../records/record-refs.js';
import { toPhoneKey } from './phone-key.js';

export interface NewConsent {
  tenant_id: string;
  id?: string;
  number: string;
  state: 'opted_in' | 'opted_out';
  source: 'text' | 'vendor' | 'person';
}

/**
 * Stores whether numbers accept texts. Only the newest choice of a number counts. Consents never
 * expire.
 * @returns the id of each stored consent, in the order of `consents`
 */
export async function storeConsents(tx: Transaction, consents: readonly NewConsent[]): Promise<string[]> {
  const ids: string[] = [];
  // Store them one by one, because one batch may contain several choices of the same number.
  for (const { id = newId(), number, ...consent } of consents) {
    const row = { ...consent, id, number, phone_key: toPhoneKey(number) };
    const [stored] = await tx.query<{ id: string }>({
      name: 'store-consent',
      text: `insert into text_consents as t (tenant_id, id, phone_key, number, state, source)
             select tenant_id, id, phone_key, number, state, source
             from ${recordsetSql('tenant_id uuid, id uuid, phone_key text, number text, state text, source text')}
             on conflict (tenant_id, phone_key) do update set state = excluded.state, source = excluded.source,
               number = excluded.number, updated_at = ${nextUpdatedAtSql('t')}
             returning t.id`,
      values: [JSON.stringify([row])],
    });
    ids.push(stored?.id ?? id);
  }
  return ids;
}

export async function deleteConsent(
  tx: Transaction,
  { tenant_id, phoneKey }: { tenant_id: string; phoneKey: string },
): Promise<void> {
  await tx.query({
    name: 'delete-consent',
    text: 'delete from text_consents where tenant_id = $1 and phone_key = $2',
    values: [tenant_id, phoneKey],
  });
}
