import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { DisputeEvidenceCreate } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { insertOperations } from '../../sync/operation-rows.js';
import { findSuccessors } from '../../sync/same-account.js';
import type { DisputeReport } from './commands.js';

/** The kind of the outbound operations that send evidence. */
const DISPUTE_KIND = 'dispute';

export interface DisputeRow extends Row, RecordRef {
  payment_id: string;
  invoice_id: string;
  connection_id: string;
  status: DisputeReport['status'];
  respond_by: string | null;
  evidence_sent_at: string | null;
  refund_id: string | null;
  observed_at: string;
}

/**
 * Sends evidence: stores operations, with which the worker sends the account's records of the work
 * to the vendor.
 */
export async function sendEvidence(
  tx: Transaction,
  commands: Command<DisputeEvidenceCreate>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<DisputeRow>(tx, 'disputes', commands.map(toRecordRef));
  // If the account has connected the vendor again since the dispute began, the newer connection
  // sends the evidence.
  const successors = await findSuccessors(
    tx,
    [...rows.values()].map(({ tenant_id, connection_id: id }) => ({ tenant_id, id })),
  );
  const sent: { command: Command<DisputeEvidenceCreate>; row: DisputeRow; connection_id: string }[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('dispute');
    const refusal = refuseEvidence(row);
    if (refusal) return refusal;
    const connection_id = successors.get(row.connection_id) ?? row.connection_id;
    sent.push({ command, row, connection_id });
    return {
      ok: true,
      changes: [{ field: 'evidence', from: null, to: command.input.text ?? '' }],
      events: [],
      prompts: [{ queue: INTEGRATIONS_QUEUE, id: connection_id }],
    };
  });
  if (sent.length === 0) return outcomes;
  await tx.query({
    name: 'store-evidence',
    text: `update disputes t set evidence = r.evidence, evidence_sent_at = now(), updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, evidence jsonb')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [
      JSON.stringify(
        sent.map(({ command, row: { tenant_id, id } }) => ({ tenant_id, id, evidence: command.input })),
      ),
    ],
  });
  await insertOperations(
    tx,
    sent.map(({ row: { tenant_id, id: local_id }, connection_id }) => ({
      tenant_id,
      connection_id,
      kind: DISPUTE_KIND,
      local_id,
      verb: 'respond',
      is_creation: true,
    })),
  );
  return outcomes;
}

function refuseEvidence({ status, respond_by, evidence_sent_at }: DisputeRow): CommandOutcome | undefined {
  const message =
    evidence_sent_at !== null
      ? 'Evidence was sent already. The vendor accepts it only once.'
      : status !== 'open' || respond_by === null
        ? 'The vendor asks for no evidence on this dispute.'
        : undefined;
  return message === undefined ? undefined : failedOutcome({ code: 'conflict', message });
}
