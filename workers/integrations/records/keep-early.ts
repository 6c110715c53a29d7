import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { insertInboundNotices } from '../../../shared/sync/notice-rows.js';
import type { Step } from '../vendor/step.js';
import type { RecordKind } from './record-kind.js';
import { toHint } from './store-changes.js';

/**
 * Stores each early change as if it were an item of a webhook, so that the worker reads it again.
 * An early change refers to a record that is not stored yet.
 */
export async function keepEarly(
  tx: Transaction,
  { connection }: Step,
  { stream, kind, early }: { stream: string; kind: RecordKind; early: readonly Change<unknown>[] },
): Promise<void> {
  const { tenantId: tenant_id, connectionId: connection_id } = connection;
  await insertInboundNotices(
    tx,
    early.map((change) => ({
      tenant_id,
      connection_id,
      dedupe_id: `early/${change.externalId}/${change.version}`,
      stream,
      hint: toHint(kind, change),
    })),
  );
}
