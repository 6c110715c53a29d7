import type { Outcome } from '../../contracts/command.js';
import type { ExportStatus } from '../../contracts/vocabulary.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { failed, type RecordRef } from '../sets.js';
import { MOST_UNFINISHED } from './limits.js';

/** A row of exports, as JSON has it. */
export interface ExportRow extends Row, RecordRef {
  resource: string;
  format: string;
  status: ExportStatus;
  attempts: number;
  tries: number;
  expires_at: string | null;
}

/** Counts what is queued or running, and takes a place for each that begins. The accounts are locked: of two that each want the last place, one comes second and sees it taken. */
export class Unfinished {
  private constructor(private readonly counts: Map<string, number>) {}

  static async count(tx: Transaction, tenantIds: string[]): Promise<Unfinished> {
    const own = [...new Set(tenantIds)];
    await tx.query({
      name: 'lock-accounts-for-exports',
      text: 'select from tenants where tenant_id = any($1::uuid[]) order by tenant_id for no key update',
      values: [own],
    });
    const rows = await tx.query<{ tenant_id: string; unfinished: number }>({
      name: 'count-unfinished-exports',
      text: `select own.tenant_id, e.unfinished from unnest($1::uuid[]) as own(tenant_id) cross join lateral (
               select count(*) as unfinished from exports e where e.tenant_id = own.tenant_id and e.status in ('queued', 'running')) e`,
      values: [own],
    });
    return new Unfinished(new Map(rows.map(({ tenant_id, unfinished }) => [tenant_id, unfinished])));
  }

  /** @returns why there is no place for one more; undefined: it has one */
  take(tenantId: string): Outcome | undefined {
    const others = this.counts.get(tenantId) ?? 0;
    if (others >= MOST_UNFINISHED) return tooMany();
    this.counts.set(tenantId, others + 1);
    return undefined;
  }
}

function tooMany(): Outcome {
  const message = `${MOST_UNFINISHED} exports of this account are not finished yet. Wait for one to complete, or cancel one.`;
  return failed({ code: 'conflict', message });
}
