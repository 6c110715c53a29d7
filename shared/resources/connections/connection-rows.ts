import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { lockRecords } from '../../records/lock-records.js';
import { type PlannedMerge, planMerge, storeMerges } from '../../records/merge-records.js';
import { failedOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import { lockConnectionQueues } from '../../sync/lease-connection-queues.js';
import { forgetBooks } from '../books/find-books.js';
import { type ConnectionMove, nextConnectionStatus } from './transitions.js';
import type { ConnectionStatus } from './vocabulary.js';

export const CONNECTION_LABEL = 'connection';

export interface ConnectionRow extends Row, RecordRef {
  vendor: string;
  label: string | null;
  status: ConnectionStatus;
  status_reason: string | null;
  environment: 'live' | 'sandbox';
  external_account: string | null;
}

const NEW_COLUMNS = `tenant_id uuid, id uuid, vendor text, kind text, label text, status text, environment text, settings jsonb, scopes text[],
  webhook_url text`;
const NEW_NAMES = parseColumnNames(NEW_COLUMNS).join(', ');

export async function insertConnections(tx: Transaction, rows: readonly RecordRef[]): Promise<void> {
  await tx.query({
    name: 'insert-connections',
    text: `insert into connections (${NEW_NAMES}) select ${NEW_NAMES} from ${recordsetSql(NEW_COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Locks connections and their queues. A worker locks the queue before the rows that its step
 * changes, so handlers must lock the queue too. Otherwise a worker and a handler could deadlock.
 */
export async function lockConnections(
  tx: Transaction,
  commands: Command[],
): Promise<Map<string, ConnectionRow>> {
  const refs = commands.map(toRecordRef);
  const [rows] = await Promise.all([
    lockRecords<ConnectionRow>(tx, 'connections', refs),
    lockConnectionQueues(tx, refs),
  ]);
  return rows;
}

/** Returns the keys of those connections that exist. */
export async function findConnections(tx: Transaction, refs: readonly RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-connections',
    text: `select distinct c.tenant_id, c.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join connections c on c.tenant_id = r.tenant_id and c.id = r.id`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}

/** Returns the keys of the connections to accounting vendors. */
export async function findAccountingConnections(
  tx: Transaction,
  refs: readonly RecordRef[],
): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-accounting-connections',
    text: `select c.tenant_id, c.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join connections c on c.tenant_id = r.tenant_id and c.id = r.id and c.kind = 'accounting'`,
    values: [JSON.stringify(refs)],
  });
  return new Set(rows.map(refKey));
}

const CHANGEABLE =
  'label text, settings jsonb, status text, status_reason text, external_account text, account_hash bytea';

export function storeConnections(tx: Transaction, merges: PlannedMerge[]): Promise<void> {
  forgetBooks(tx);
  return storeMerges(tx, { table: 'connections', columns: CHANGEABLE }, merges);
}

/**
 * Plans a status change of a connection. Returns undefined if the current status does not allow the
 * change.
 */
export function moveConnection(
  row: ConnectionRow,
  move: ConnectionMove,
  reason: string | null = null,
): PlannedMerge | undefined {
  const status = nextConnectionStatus(row.status, move);
  return status && planMerge(row, { status, status_reason: reason });
}

export function refuseMove({ status }: ConnectionRow, verb: string): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `The connection is ${status}, so it cannot be ${verb}.`,
  });
}

/** Returns a successful outcome that also wakes the worker for the command's connection. */
export function promptedOutcome(command: Command, merge?: PlannedMerge): CommandOutcome {
  return {
    ok: true,
    changes: merge?.changes ?? [],
    events: [],
    prompts: [{ queue: INTEGRATIONS_QUEUE, id: command.entityId }],
  };
}
